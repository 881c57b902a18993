"""Pages of documents and candidates. Their addresses begin with `judging/`."""

from django.urls import path

from judging.views.making import checks, generation_new

from .items import CODE
from .views import documents, making

OF_OURS = {"benchmark": CODE}
urlpatterns = [
    path("runs/new/statements/", generation_new, OF_OURS, name="generation_new"),
    path("runs/<row:pk>/statements/", making.run_statements, name="run_statements"),
    path("runs/<row:pk>/read-again/", making.run_read_again, name="run_read_again"),
    path("documents/", documents.documents, name="documents"),
    path("documents/import/", documents.documents_import, name="documents_import"),
    path("documents/<uuid:key>/", documents.document, name="document"),
    path("candidates/", documents.candidates, name="candidates"),
    path("candidates/<uuid:key>/", documents.candidate, name="candidate"),
    path("candidates/checks/", checks, OF_OURS, name="checks"),
    path("candidates/checks/settings/", making.checks_settings, name="checks_settings"),
]
