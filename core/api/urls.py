from django.urls import path

from . import views

urlpatterns = [
    path("me/", views.Me.as_view(), name="me"),
    path("people/", views.People.as_view(), name="people"),
    path("people/<row:pk>/", views.Person.as_view(), name="person"),
    path("activity/", views.Activity.as_view(), name="activity"),
    path("schema/", views.Schema.as_view(), name="schema"),
]
