"""For reviewers and admins: tags that people annotated differently, with the texts side by side."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.reviewing.disagreements import (
    COLUMNS,
    DisagreementFilters,
    DisagreementList,
    file_rows,
)
from core.files.spreadsheets import csv_chunks
from core.lists.pages import page_of
from core.models import Role
from core.web import files
from core.web.access import SignedInRequest, role_required

from ..reports.people.disagreements import TAGS_COUNTED, counted_disagreements

TAGS_ON_A_PAGE = 20


@role_required(Role.REVIEWER, Role.ADMIN)
@require_GET
def disagreements(request: SignedInRequest) -> HttpResponse:
    """The list, newest first; its first page also has the numbers by field."""
    filters = DisagreementFilters(request.GET)
    filters.offer_people()
    found = DisagreementList(filters, request.user)
    window = found.window()
    page = page_of(request, window.rows, window=window, among=found.among, fetch=found.shown, most=TAGS_ON_A_PAGE)
    context = {
        "filters": filters,
        "page": page,
        "table": counted_disagreements(found) if page.is_first else None,
        "tags_counted": f"{TAGS_COUNTED:,}",
        "is_admin": request.user.has_role(Role.ADMIN),
    }
    return render(request, "review/disagreements.html", context)


@role_required(Role.REVIEWER, Role.ADMIN)
@require_GET
def download(request: SignedInRequest) -> HttpResponseBase:
    """All of the list as CSV."""
    rows = file_rows(DisagreementFilters(request.GET), request.user)
    return files.download("disagreements.csv", csv_chunks(COLUMNS, rows))
