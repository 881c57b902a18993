"""For admins: import responses made elsewhere, and export responses and judgments as files."""

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_http_methods

from annotation.kinds.registry import name_of
from core.background.registry import Kind
from core.languages import say
from core.models import Role, User
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.files import download, import_page

from ..files.exports import JUDGMENT_FORMATS, RESPONSE_FORMATS
from ..files.imports import ResponseImport, import_responses
from ..files.task_replies import TaskReplies, import_task_replies
from ..forms import RepliesFileForm, ResponsesFileForm
from ..models import Run
from ..protocol.tasks import benchmarks_in_files, templates_in_files
from ..responses.listing import ResponseFilters
from ..runs.blinding import names_models, why_hidden


def read_responses(given: dict[str, Any], *, check_only: bool, user: User) -> ResponseImport:
    return import_responses(given.pop("file"), **given, check_only=check_only, actor=user)


RESPONSES = Kind("responses", say("Import responses"), ResponsesFileForm, read_responses)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def responses_import(request: SignedInRequest) -> HttpResponse:
    return import_page(request, "judging/responses_import.html", RESPONSES, refused=why_hidden(request.user))


def read_replies(given: dict[str, Any], *, check_only: bool, user: User) -> TaskReplies:
    return import_task_replies(given.pop("file"), **given, check_only=check_only, actor=user)


REPLIES = Kind("replies", say("Import replies"), RepliesFileForm, read_replies)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def replies_import(request: SignedInRequest) -> HttpResponse:
    """Replies to the tasks of a benchmark, as its scripts write them."""
    kinds = [(name_of(code), list(templates_in_files(code))) for code in benchmarks_in_files()]
    return import_page(request, "judging/replies_import.html", REPLIES, kinds=kinds, refused=why_hidden(request.user))


@role_required(Role.ADMIN)
@names_models
@require_GET
def responses_export(request: SignedInRequest, kind: str) -> HttpResponseBase:
    """The responses shown by the list with the filter in the address."""
    if kind not in RESPONSE_FORMATS:
        raise Refusal(say("Responses cannot be downloaded as “{kind}”.", kind=kind), status=404)
    filters = ResponseFilters(request.GET)
    run = filters.chosen["run"]
    name = f"responses-run-{run}" if run else "responses"
    return download(f"{name}.{kind}", RESPONSE_FORMATS[kind](filters.responses()))


@role_required(Role.ADMIN)
@names_models
@require_GET
def judgments_export(request: SignedInRequest, pk: int, kind: str) -> HttpResponseBase:
    run = get_object_or_404(Run, pk=pk)
    if kind not in JUDGMENT_FORMATS:
        raise Refusal(say("Judgments cannot be downloaded as “{kind}”.", kind=kind), status=404)
    return download(f"judgments-run-{pk}.{kind}", JUDGMENT_FORMATS[kind](run.judgments.all()))
