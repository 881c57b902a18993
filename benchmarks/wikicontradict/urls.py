"""Pages of resolved passages and of human evaluations."""

from django.urls import path

from .views import human_evaluation, resolved_passages

urlpatterns = [
    path("judging/resolved-passages/", resolved_passages.listing, name="resolved_passages"),
    path("judging/resolved-passages/<row:pk>/", resolved_passages.edit, name="resolved_passages_edit"),
    path("review/reports/human-evaluation.json", human_evaluation.human_evaluation, name="human_evaluation_download"),
    path(
        "review/reports/human-evaluation/", human_evaluation.human_evaluation_import, name="human_evaluation_import"
    ),
]
