"""For admins: bring in responses that were made elsewhere, and take responses and judgments away as files."""

from collections.abc import Iterator

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET, require_http_methods

from core.models import Role
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..files.exports import JUDGMENT_FORMATS, RESPONSE_FORMATS
from ..files.imports import import_responses
from ..forms import ResponsesFileForm
from ..models import Run
from ..responses.blinding import names_models
from ..responses.listing import ResponseFilters
from .models import status_of

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def responses_import(request: SignedInRequest) -> HttpResponse:
    form = ResponsesFileForm(request.POST or None, request.FILES or None)
    context: dict = {"form": form}
    if request.method == "POST" and form.is_valid():
        check_only = request.POST.get("action") != "import"
        file = form.cleaned_data["file"]
        result = import_responses(
            file,
            name=form.cleaned_data["name"] or file.name,
            release=form.cleaned_data["release"],
            check_only=check_only,
            actor=request.user,
        )
        context |= {"lines": result.lines(), "check_only": check_only}
        if request.headers.get("HX-Request"):
            return render(request, "annotation/_import_result.html", context)
    return render(request, "judging/responses_import.html", context, status=status_of(form))


@role_required(Role.ADMIN)
@names_models
@require_GET
def responses_export(request: SignedInRequest, kind: str) -> HttpResponseBase:
    """The responses that the list shows with the filter in the address."""
    if kind not in RESPONSE_FORMATS:
        raise Refusal(f"Responses cannot be downloaded as “{kind}”.", status=404)
    filters = ResponseFilters(request.GET)
    run = filters.chosen["run"]
    name = f"responses-run-{run}" if run else "responses"
    return file_response(f"{name}.{kind}", kind, RESPONSE_FORMATS[kind](filters.responses()))


@role_required(Role.ADMIN)
@names_models
@require_GET
def judgments_export(request: SignedInRequest, pk: int, kind: str) -> HttpResponseBase:
    run = get_object_or_404(Run, pk=pk)
    if kind not in JUDGMENT_FORMATS:
        raise Refusal(f"Judgments cannot be downloaded as “{kind}”.", status=404)
    return file_response(f"judgments-run-{pk}.{kind}", kind, JUDGMENT_FORMATS[kind](run.judgments.all()))


def file_response(name: str, kind: str, chunks: Iterator[str]) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        chunks,
        content_type=CONTENT_TYPES[kind],
        headers={"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"},
    )
