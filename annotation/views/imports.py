"""For admins: import a file of annotations in the paper's JSON."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from core.models import Role
from core.web.access import SignedInRequest, role_required
from core.web.files import file_field, import_page

from ..releases.imports import AnnotationImport, import_records


class ImportForm(forms.Form):
    file = file_field(
        "File of records (JSON)",
        ending="json",
        content_type="application/json",
        help_text="As released with the paper, or as exported here.",
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def import_annotations(request: SignedInRequest) -> HttpResponse:
    def read(given: dict[str, Any], check_only: bool) -> AnnotationImport:
        return import_records(given["file"], admin=request.user, check_only=check_only)

    return import_page(request, "annotation/import.html", ImportForm, read)
