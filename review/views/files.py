"""For admins: judgments as imported and exported files, and the responses with a known verdict."""

from collections.abc import Callable

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.files.imports import RowImport
from core.languages import say
from core.lists.pages import page_of
from core.models import Role
from core.refusals import Refusal
from core.web.access import SignedInRequest, role_required
from core.web.files import download
from judging.runs.blinding import why_hidden

from ..files.exports import FORMATS, WHAT, export_chunks
from ..files.judgment_imports import import_judgments
from ..files.known_verdicts import import_known, withdraw_known
from ..forms import CsvForm, JudgmentsFileForm
from ..models import Item, ItemKind, KnownVerdict
from ..rounds.rounds import hidden_from


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def judgment_files(request: SignedInRequest) -> HttpResponse:
    context, status = _sent(request, JudgmentsFileForm, import_judgments)
    context |= {"hidden": hidden_from(request.user), "exports": WHAT}
    return render(request, "review/files.html", context, status=status)


def _sent(
    request: SignedInRequest, form_class: type[Form], rule: Callable[..., RowImport]
) -> tuple[dict[str, object], int]:
    """The form and, if it was sent, the result of its import or check, for the page; and the status of the page."""
    form = form_class(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return {"form": form, "refused": why_hidden(request.user)}, 400 if form.errors else 200
    given = dict(form.cleaned_data)
    check_only = request.POST.get("action") != "import"
    result = rule(given.pop("file"), **given, admin=request.user, check_only=check_only)
    return {"form": form, "result": result}, 400 if result.bad else 200


@role_required(Role.ADMIN)
@require_GET
def judgment_export(request: SignedInRequest, what: str, kind: str) -> HttpResponseBase:
    """The export, without rounds in which this admin judges and that are not finished."""
    if what not in WHAT or kind not in FORMATS:
        raise Refusal(say("There is no such export."), status=404)
    chunks = export_chunks(what, kind, person=request.user, names="names" in request.GET)
    return download(f"{what}.{kind}", chunks)


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def known(request: SignedInRequest) -> HttpResponse:
    context, status = _sent(request, CsvForm, import_known)
    # Not the check items of a round in which this person judges: they must not be recognisable there.
    checks = Item.objects.filter(kind=ItemKind.CHECK, round__in=hidden_from(request.user).order_by().values("pk"))
    rows = KnownVerdict.objects.exclude(pk__in=checks.values("known"))
    rows = rows.select_related("response__instance", "response__template", "added_by")
    context["page"] = page_of(request, rows, "-pk")
    return render(request, "review/known.html", context, status=status)


@role_required(Role.ADMIN)
@require_POST
def known_withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    found = KnownVerdict.objects.filter(pk=pk).first()
    if found is None:
        raise Refusal(say("There is no such known verdict."), status=404)
    withdraw_known(known=found, admin=request.user)
    messages.success(request, say("It will not be used in new rounds."))
    return redirect("known")
