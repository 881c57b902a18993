"""For admins: have models contradict statements of documents, see unreadable replies, and check candidates."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.lists.pages import page_of
from core.models import Role
from core.web.access import SignedInRequest, role_required
from core.words import plural
from judging.models import Run
from judging.runs.blinding import names_models
from judging.tasks import wake_workers
from judging.views.models import status_of

from ..forms import ChecksForm, GenerationForm, ThresholdsForm
from ..making.checking import decide_again, to_check
from ..making.components import MEASURES, components_for
from ..making.generation import ForStatements, create_generation_run, documents_of, read_again
from ..making.listing import check_counts, refused_statements, unread_replies
from ..making.measuring import plan_checks, run_checks
from ..making.registry import Maker, maker_of, makers
from ..making.thresholds import change_check_settings
from ..models import CheckSettings

UNREAD, REFUSED = "unread", "refused"


def chosen_maker(benchmark: str) -> Maker:
    """The maker of documents of the benchmark in the address; of the first one if it names none."""
    return maker_of(benchmark) if benchmark else makers()[0]


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def generation_new(request: SignedInRequest) -> HttpResponse:
    maker = chosen_maker(request.GET.get("benchmark", ""))
    form = GenerationForm(request.POST or None, maker=maker)
    if request.method == "POST" and form.is_valid():
        return redirect("run", create_generation_run(maker=maker, actor=request.user, **form.cleaned_data).pk)
    context = {"form": form, "has_documents": documents_of(maker.benchmark).exists()}
    return render(request, "contradoc/generation_new.html", context, status=status_of(form))


@role_required(Role.ADMIN)
@names_models
@require_GET
def run_statements(request: SignedInRequest, pk: int) -> HttpResponse:
    """The parts of a run's replies that did not become candidates: unreadable replies, refused statements."""
    row = get_object_or_404(Run, pk=pk, purpose=ForStatements.code)
    show = REFUSED if request.GET.get("show") == REFUSED else UNREAD
    lists: dict[str, Any] = {
        UNREAD: unread_replies(row).select_related("document", "model", "attempt__call"),
        REFUSED: refused_statements(row).select_related("document", "reply__model", "reply__attempt__call"),
    }
    context = {
        "run": row,
        "show": show,
        "page": page_of(request, lists[show], "pk"),
        "chips": [
            (UNREAD, "Replies that cannot be read", lists[UNREAD].count()),
            (REFUSED, "Refused statements", lists[REFUSED].count()),
        ],
    }
    return render(request, "contradoc/run_statements.html", context)


@role_required(Role.ADMIN)
@require_POST
def run_read_again(request: SignedInRequest, pk: int) -> HttpResponse:
    """Read the unreadable replies with the current reader: this costs nothing."""
    row = get_object_or_404(Run, pk=pk, purpose=ForStatements.code)
    there, read = read_again(run=row, actor=request.user)
    messages.success(request, f"{plural(there, 'reply', 'replies')} read again; {read:,} can be read now.")
    return redirect("run_statements", pk)


# --- Checks -------------------------------------------------------------------------------------------------------


@role_required(Role.ADMIN)
@names_models
@require_http_methods(["GET", "HEAD", "POST"])
def checks(request: SignedInRequest) -> HttpResponse:
    """The checks and their outcomes; an admin chooses the components, sees the plan, and then starts them."""
    maker = chosen_maker(request.GET.get("benchmark", ""))
    planned = request.GET if "plan" in request.GET else None
    sent = request.POST if request.method == "POST" else planned
    form = ChecksForm(sent)
    context: dict[str, object] = {"form": form}
    if sent is not None and form.is_valid():
        values = form.cleaned_data
        asked = {
            "maker": maker,
            "components": components_for(maker, {measure: values[measure] for measure in MEASURES}),
            "budget": values["budget"],
            "again": values["again"],
        }
        if request.method == "POST":
            return make_checks(request, asked)
        context |= {"plan": plan_checks(**asked), "waiting": to_check(maker, again=values["again"]).count()}
        context["measured"] = [(kind.name, asked["components"][kind.measure]) for kind in maker.checks]
    context |= {
        "counts": check_counts(maker),
        "thresholds": ThresholdsForm(instance=CheckSettings.of(maker.benchmark)),
        "to_check": to_check(maker).count(),
    }
    return render(request, "contradoc/checks.html", context, status=status_of(form))


def make_checks(request: SignedInRequest, asked: dict[str, Any]) -> HttpResponse:
    changed = decide_again(asked["maker"])
    run = run_checks(**asked, actor=request.user)
    wake_workers()
    again = f" {plural(changed, 'check')} changed because a threshold did." if changed else ""
    if run is None:
        messages.success(request, f"The checks are recorded; no calls are needed.{again}")
        return redirect("checks")
    messages.success(request, f"The run for the checks has started.{again}")
    return redirect("run", run.pk)


@role_required(Role.ADMIN)
@require_POST
def checks_settings(request: SignedInRequest) -> HttpResponse:
    maker = chosen_maker(request.GET.get("benchmark", ""))
    form = ThresholdsForm(request.POST, instance=CheckSettings.of(maker.benchmark))
    if not form.is_valid():
        messages.error(request, "A threshold is not a number in its range. Nothing was changed.")
        return redirect("checks")
    changed = change_check_settings(benchmark=maker.benchmark, admin=request.user, **form.cleaned_data)
    said = "Saved. The thresholds apply when the checks are run again." if changed else "Nothing was changed."
    messages.success(request, said)
    return redirect("checks")
