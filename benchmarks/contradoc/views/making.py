"""For admins: replies of models that cannot be read, and the thresholds of checks."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from core.languages import say, say_count
from core.lists.pages import page_of
from core.models import Role
from core.web.access import SignedInRequest, role_required
from judging.models import Run
from judging.runs.blinding import names_models

from ..maker.maker import MAKER
from ..maker.values import Maker
from ..making.generation import ForStatements, read_again
from ..making.listing import refused_statements, unread_replies
from ..making.thresholds import ThresholdsForm, change_check_settings
from ..models import CheckSettings

UNREAD, REFUSED = "unread", "refused"


def chosen_maker(benchmark: str) -> Maker:
    """The maker of documents of the benchmark in the address, if it names one. Raises Http404 if it names another."""
    if benchmark not in ("", MAKER.benchmark):
        raise Http404
    return MAKER


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
            (UNREAD, say("Replies that cannot be read"), lists[UNREAD].count()),
            (REFUSED, say("Refused statements"), lists[REFUSED].count()),
        ],
    }
    return render(request, "contradoc/run_statements.html", context)


@role_required(Role.ADMIN)
@require_POST
def run_read_again(request: SignedInRequest, pk: int) -> HttpResponse:
    """Read the unreadable replies with the current reader: this costs nothing."""
    row = get_object_or_404(Run, pk=pk, purpose=ForStatements.code)
    there, read = read_again(run=row, actor=request.user)
    messages.success(
        request,
        say_count(
            there,
            "{count:,} reply read again; {read:,} can be read now.",
            "{count:,} replies read again; {read:,} can be read now.",
            read=read,
        ),
    )
    return redirect("run_statements", pk)


@role_required(Role.ADMIN)
@require_POST
def checks_settings(request: SignedInRequest) -> HttpResponse:
    maker = chosen_maker(request.GET.get("benchmark", ""))
    form = ThresholdsForm(request.POST, instance=CheckSettings.of(maker.benchmark))
    if not form.is_valid():
        messages.error(request, say("A threshold is not a number in its range. Nothing was changed."))
        return redirect("checks")
    changed = change_check_settings(benchmark=maker.benchmark, admin=request.user, **form.cleaned_data)
    said = (
        say("Saved. The thresholds apply when the checks are run again.") if changed else say("Nothing was changed.")
    )
    messages.success(request, said)
    return redirect("checks")
