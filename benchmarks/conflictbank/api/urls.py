from django.urls import path

from . import views

urlpatterns = [
    path("facts/", views.Facts.as_view(), name="facts"),
    path("facts/<uuid:key>/", views.OneFact.as_view(), name="fact"),
    path("conflicts/", views.Conflicts.as_view(), name="conflicts"),
    path("conflicts/<uuid:key>/", views.OneConflict.as_view(), name="conflict"),
    path("imports/conflictbank-answers/", views.ImportAnswers.as_view(), name="import_answers"),
    path("imports/facts/", views.ImportFacts.as_view(), name="import_facts"),
]
