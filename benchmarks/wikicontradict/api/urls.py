from django.urls import path

from . import files

urlpatterns = [
    path("imports/human-evaluation/", files.ImportHumanEvaluation.as_view(), name="import_human_evaluation"),
]
