"""For admins: the models that answer and judge, a new one, and a test call."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.accounts.confirming import confirm_first
from core.languages import say
from core.models import Event, Role, User
from core.outside import whole_number
from core.web.access import SignedInRequest, role_required

from ..catalogue.language_models import add_model, change_model, is_used, offer_model, try_model
from ..catalogue.needs import find_needs, key_problem
from ..catalogue.presets import PRESETS, find_preset, find_price
from ..model_form import ModelForm
from ..models import Call, LanguageModel, ModelKind, Response, Throttle
from ..runs.calls.throttle import lift_pause
from ..runs.progress.sums import calls_of
from ..tasks import wake_workers

COPIED = [name for name in ModelForm.Meta.fields if name not in ("name", "notes")]


@role_required(Role.ADMIN)
@require_GET
def models(request: SignedInRequest) -> HttpResponse:
    used = Exists(Call.objects.filter(model=OuterRef("pk"))) | Exists(Response.objects.filter(model=OuterRef("pk")))
    rows = list(LanguageModel.objects.annotate(is_used=used))
    groups = [
        (say("At an endpoint"), [row for row in rows if row.kind == ModelKind.ENDPOINT]),
        (say("Baselines that need no model"), [row for row in rows if row.kind == ModelKind.BASELINE]),
        (say("Known from imported responses"), [row for row in rows if row.kind == ModelKind.IMPORTED]),
    ]
    shown = [(title, [with_key(row) for row in group]) for title, group in groups if group]
    return render(request, "judging/models.html", {"groups": shown, "has_endpoint": bool(groups[0][1])})


@dataclass(frozen=True, slots=True)
class ShownModel:
    """A model with what this process knows about its key: the name, and whether it is set; never the key itself."""

    row: LanguageModel
    key_problem: str


def with_key(row: LanguageModel) -> ShownModel:
    return ShownModel(row, key_problem(row.key_name) if row.key_name else "")


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
@confirm_first
def model_new(request: SignedInRequest) -> HttpResponse:
    copied = LanguageModel.objects.filter(pk=number(request.GET.get("copy", "")), kind=ModelKind.ENDPOINT).first()
    blank = LanguageModel()
    for name in [*COPIED, "decoding"] if copied else []:
        setattr(blank, name, getattr(copied, name))
    preset = find_preset(request.GET.get("preset", ""))
    price = find_price(preset, request.GET.get("price", "")) if preset else None
    filled_in = (preset.fields if preset else {}) | (price.values if price else {})
    form = ModelForm(request.POST or None, instance=blank, initial=filled_in)
    if request.method == "POST" and form.is_valid():
        model = add_model(actor=request.user, **form.cleaned_data)
        messages.success(request, say("{model} is saved. Try it with a test call.", model=model))
        return redirect("model", model.pk)
    context = {"form": form, "copied": copied, "presets": PRESETS, "preset": preset, "price": price}
    return render(request, "judging/model_form.html", context | needs_of_form(form), status=status_of(form))


def needs_of_form(form: ModelForm) -> dict[str, object]:
    """The operator's settings needed for a form's values. Typed variables may be keys themselves: only names that are
    listed, or that the form was filled in with, are shown.
    """
    base_url = form["base_url"].value() or ""
    if not base_url:
        return {}
    filled_in = {form.initial.get("key_name", ""), *(form.initial.get("headers") or {}).values()}
    typed = {form["key_name"].value() or ""} & {*settings.LLM_KEY_NAMES}
    return {"needs": find_needs(base_url, filled_in | typed)}


@role_required(Role.ADMIN)
@require_GET
def model(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(LanguageModel.objects.select_related("throttle", "created_by"), pk=pk)
    return render(request, "judging/model.html", page_of(row, request.user))


def page_of(row: LanguageModel, reader: User) -> dict[str, object]:
    throttle = getattr(row, "throttle", None) or Throttle(model=row)
    return {
        "model": row,
        "shown": with_key(row),
        "headers": [(name, variable, key_problem(variable)) for name, variable in row.headers.items()],
        "needs": find_needs(row.base_url, [row.key_name, *row.headers.values()]),
        "is_used": is_used(row),
        "at_a_time": throttle.calls_at_a_time,
        "paused_until": throttle.pause_at(timezone.now()),
        "calls": calls_of(row, reader=reader),
        "runs": row.runs.order_by("-pk")[:20],
        "events": Event.objects.about(row).select_related("actor").reverse()[:50],
    }


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
@confirm_first
def model_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(LanguageModel, pk=pk)
    if row.kind != ModelKind.ENDPOINT:
        messages.warning(request, say("{row} has no settings to change.", row=row))
        return redirect("model", pk)
    name, used = row.name, is_used(row)
    form = ModelForm(request.POST or None, instance=row, is_used=used)
    if request.method == "POST" and form.is_valid():
        saved = change_model(model=row, actor=request.user, **form.cleaned_data)
        messages.success(request, say("{saved} is saved.", saved=saved))
        return redirect("model", pk)
    context = {"form": form, "pk": pk, "name": name, "is_used": used} | needs_of_form(form)
    return render(request, "judging/model_form.html", context, status=status_of(form))


@role_required(Role.ADMIN)
@require_POST
def model_lift_pause(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(LanguageModel, pk=pk)
    if lift_pause(model=row, admin=request.user):
        wake_workers()
        messages.success(request, say("The pause of {row} is lifted. Calls are sent again.", row=row))
    else:
        messages.info(request, say("{row} is not paused.", row=row))
    return redirect("model", pk)


@role_required(Role.ADMIN)
@require_POST
def model_test(request: SignedInRequest, pk: int) -> HttpResponse:
    """Call the model once and show the result, in the answer to the POST itself, so that the browser asks before a
    reload calls again."""
    row = get_object_or_404(LanguageModel.objects.select_related("throttle", "created_by"), pk=pk)
    context = {"trial": try_model(model=row, actor=request.user)}
    if request.headers.get("HX-Request"):
        return render(request, "judging/_trial.html", context)
    return render(request, "judging/model.html", page_of(row, request.user) | context)


@role_required(Role.ADMIN)
@require_POST
def model_offer(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(LanguageModel, pk=pk)
    is_offered = request.POST.get("offer") == "yes"
    offer_model(model=row, is_offered=is_offered, actor=request.user)
    messages.success(
        request,
        say("{row} is offered for new runs.", row=row)
        if is_offered
        else say("{row} is no longer offered for new runs.", row=row),
    )
    return redirect("model", pk)


def number(text: str) -> int:
    """A row number from an address; 0, which no row has, if it is not a number."""
    return whole_number(text) or 0


def status_of(form: Any) -> int:
    return 400 if form.errors else 200
