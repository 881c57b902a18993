"""For admins: judgments in and out as files, and the responses whose verdict is known."""

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.lists import page_of
from core.models import Role
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required

from ..files.human_evaluation import import_human_evaluation
from ..files.judgment_exports import FORMATS, WHAT, export_chunks
from ..files.judgment_imports import import_judgments
from ..files.known_verdicts import import_known, withdraw_known
from ..forms import CsvForm, HumanEvaluationForm
from ..models import KnownVerdict
from ..rounds.rounds import hidden_from

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def judgment_files(request: SignedInRequest) -> HttpResponse:
    form = CsvForm(request.POST or None, request.FILES or None)
    context: dict = {"form": form, "what": list(WHAT), "hidden": hidden_from(request.user)}
    if request.method == "POST" and form.is_valid():
        context["result"] = import_judgments(
            form.cleaned_data["file"],
            admin=request.user,
            round_name=request.POST.get("round", ""),
            check_only=request.POST.get("action") != "import",
        )
    status = 400 if form.errors or (context.get("result") and context["result"].bad) else 200
    return render(request, "review/files.html", context, status=status)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def human_evaluation_import(request: SignedInRequest) -> HttpResponse:
    """Responses with people's final verdicts, in the shape of the released file."""
    form = HumanEvaluationForm(request.POST or None, request.FILES or None)
    context: dict = {"form": form}
    if request.method == "POST" and form.is_valid():
        check_only = request.POST.get("action") != "import"
        result = import_human_evaluation(form.cleaned_data["file"], admin=request.user, check_only=check_only)
        context |= {"lines": list(result.lines()), "check_only": check_only}
        if request.headers.get("HX-Request"):
            return render(request, "annotation/_import_result.html", context)
    return render(request, "review/human_evaluation_import.html", context, status=400 if form.errors else 200)


@role_required(Role.ADMIN)
@require_GET
def judgment_export(request: SignedInRequest, what: str, kind: str) -> HttpResponseBase:
    """Rounds in which this admin judges, and that are not finished, are in no export of theirs."""
    if what not in WHAT or kind not in FORMATS:
        raise Refusal("There is no such export.", status=404)
    return StreamingHttpResponse(
        export_chunks(what, kind, person=request.user, names="names" in request.GET),
        content_type=CONTENT_TYPES[kind],
        headers={
            "Content-Disposition": f'attachment; filename="wikicontradict-{what}.{kind}"',
            "X-Content-Type-Options": "nosniff",
        },
    )


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def known(request: SignedInRequest) -> HttpResponse:
    form = CsvForm(request.POST or None, request.FILES or None)
    context: dict = {"form": form}
    if request.method == "POST" and form.is_valid():
        check_only = request.POST.get("action") != "import"
        context["result"] = import_known(form.cleaned_data["file"], admin=request.user, check_only=check_only)
    rows = KnownVerdict.objects.select_related("response__instance", "response__template", "added_by")
    context["page"] = page_of(request, rows.order_by("-is_offered", "use", "pk"))
    status = 400 if form.errors or (context.get("result") and context["result"].bad) else 200
    return render(request, "review/known.html", context, status=status)


@role_required(Role.ADMIN)
@require_POST
def known_withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    found = KnownVerdict.objects.filter(pk=pk).first()
    if found is None:
        raise Refusal("There is no such known verdict.", status=404)
    withdraw_known(known=found, admin=request.user)
    messages.success(request, "It will not be used in new rounds.")
    return redirect("known")
