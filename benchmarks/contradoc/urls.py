"""Pages of documents and candidates. Their addresses begin with `judging/`."""

from django.urls import path

from .views import documents, making

urlpatterns = [
    path("runs/new/statements/", making.generation_new, name="generation_new"),
    path("runs/<row:pk>/statements/", making.run_statements, name="run_statements"),
    path("runs/<row:pk>/read-again/", making.run_read_again, name="run_read_again"),
    path("documents/", documents.documents, name="documents"),
    path("documents/import/", documents.documents_import, name="documents_import"),
    path("documents/<uuid:key>/", documents.document, name="document"),
    path("candidates/", documents.candidates, name="candidates"),
    path("candidates/<uuid:key>/", documents.candidate, name="candidate"),
    path("candidates/checks/", making.checks, name="checks"),
    path("candidates/checks/settings/", making.checks_settings, name="checks_settings"),
]
