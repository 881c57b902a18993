"""For admins: clean documents, and the candidates made of them."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET, require_http_methods

from core.background.registry import Kind
from core.languages import say
from core.lists.pages import MOST_COUNTED, count_each_up_to, page_of
from core.models import Role, User
from core.web.access import SignedInRequest, role_required
from core.web.files import import_page
from core.words import up_to
from judging.runs.blinding import is_blind, names_models

from ..forms import DocumentsFileForm
from ..maker.maker import MAKER
from ..making.documents import DocumentImport, import_documents
from ..making.listing import MOST_LISTED, CandidateFilters, DocumentFilters, checks_of, counts_by_document, pieces_of
from ..models import Candidate, CandidateState, CheckOutcome, Document


@role_required(Role.ADMIN)
@require_GET
def documents(request: SignedInRequest) -> HttpResponse:
    filters = DocumentFilters(request.GET)
    page = page_of(request, filters.documents(), "pk")
    # Verifiers must not learn that a gap that another person proposed has become a candidate.
    is_hidden = is_blind(request.user)
    counts = {} if is_hidden else counts_by_document(page)
    context = {
        "page": page,
        "is_hidden": is_hidden,
        "rows": [(each, counts.get(each.pk, 0)) for each in page],
        "filters": filters,
        "narrowed": bool(filters.chosen["q"]),
    }
    return render(request, "contradoc/documents.html", context)


def read_documents(given: dict[str, Any], *, check_only: bool, user: User) -> DocumentImport:
    how = {name: given[name] for name in ("revision", "licence")}
    return import_documents(given["file"], maker=MAKER, check_only=check_only, actor=user, **how)


DOCUMENTS = Kind("documents", say("Import documents"), DocumentsFileForm, read_documents)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def documents_import(request: SignedInRequest) -> HttpResponse:
    return import_page(request, "contradoc/documents_import.html", DOCUMENTS)


@role_required(Role.ADMIN)
@names_models
@require_GET
def document(request: SignedInRequest, key: str) -> HttpResponse:
    row = get_object_or_404(Document, key=key)
    made = row.candidates.select_related("statement__reply__model").order_by("pk")[:MOST_LISTED]
    refused = row.statements.exclude(problem="").select_related("reply__model").order_by("pk")[:MOST_LISTED]
    return render(request, "contradoc/document.html", {"document": row, "candidates": made, "refused": refused})


@role_required(Role.ADMIN)
@names_models
@require_GET
def candidates(request: SignedInRequest) -> HttpResponse:
    filters = CandidateFilters(request.GET)
    rows = filters.candidates().select_related("document", "statement__reply__model")
    page = page_of(request, rows.defer("document__text"), "pk")
    checks = checks_of(page)
    counts = count_each_up_to(
        MOST_COUNTED, {each: Candidate.objects.filter(state=each).order_by() for each in CandidateState.values}
    )
    context = {
        "page": page,
        "rows": [(each, checks.get(each.pk, [])) for each in page],
        "chosen": filters.chosen,
        "outcome": CheckOutcome(filters.chosen["outcome"]).label.lower() if filters.chosen["outcome"] else "",
        "chips": [(each.value, str(each.label), up_to(counts[each.value], MOST_COUNTED)) for each in CandidateState],
    }
    return render(request, "contradoc/candidates.html", context)


@role_required(Role.ADMIN)
@names_models
@require_GET
def candidate(request: SignedInRequest, key: str) -> HttpResponse:
    found = Candidate.objects.select_related("document", "statement__reply__model", "statement__reply__attempt__call")
    row = get_object_or_404(found, key=key)
    kinds = {kind.code: kind for kind in MAKER.checks}
    checks = row.checks.prefetch_related("measurements__attempt__call").order_by("pk")
    others = Candidate.objects.filter(statement=row.statement_id).exclude(pk=row.pk).order_by("pk")
    context = {
        "candidate": row,
        "pieces": list(pieces_of(row, {})),
        "checks": [(kinds[each.name].name if each.name in kinds else each.name, each) for each in checks],
        "others": others[:MOST_LISTED],
    }
    return render(request, "contradoc/candidate.html", context)
