"""For admins: have models make what items are made of, and check it. Each benchmark whose items are made so has
addresses of its own for these pages.
"""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.kinds.registry import name_of
from core.languages import joined, say, say_count
from core.models import Role
from core.web.access import SignedInRequest, role_required
from core.words import money

from ..forms import ChecksForm, GenerationForm
from ..making.registry import ChecksAsked, Making, pages_of
from ..runs.blinding import names_models
from ..runs.plan import Plan
from ..tasks import wake_workers
from .models import status_of
from .runs import to_the_plan


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def generation_new(request: SignedInRequest, benchmark: str) -> HttpResponse:
    """Plan a run; the next page shows its plan, and nothing is asked before it is started there."""
    making, pages = pages_of(benchmark)
    form = GenerationForm(request.POST or None, making=making)
    if request.method == "POST" and form.is_valid():
        run = making.create_generation(form.asked, actor=request.user)
        for warning in making.warnings(form.asked):
            messages.warning(request, warning)
        return to_the_plan(request, run)
    context = {"form": form, "pages": pages, "has_sources": making.has_sources()}
    context["has_writers"] = making.writers().exists()
    return render(request, "judging/generation_new.html", context, status=status_of(form))


@role_required(Role.ADMIN)
@names_models
@require_http_methods(["GET", "HEAD", "POST"])
def checks(request: SignedInRequest, benchmark: str) -> HttpResponse:
    """The checks and their outcomes; an admin chooses the components, sees the plan, and then starts them."""
    making, pages = pages_of(benchmark)
    planned = request.GET if "plan" in request.GET else None
    sent = request.POST if request.method == "POST" else planned
    form = ChecksForm(sent, making=making)
    context: dict[str, object] = {"form": form}
    if sent is not None and form.is_valid():
        if request.method == "POST":
            return make_checks(request, making, form.asked)
        plan = making.plan_checks(form.asked)
        context["lines"] = [*making.check_lines(form.asked), in_words(plan)]
    context |= {
        "pages": pages,
        "name": name_of(making.benchmark),
        "counts": making.check_counts(),
        "to_check": making.to_check(),
        "settings": making.settings_form(),
    }
    return render(request, "judging/checks.html", context, status=status_of(form))


def in_words(plan: Plan) -> str:
    """The calls of a plan and what they may cost."""
    cost = "" if plan.money is None else say(", expected to cost {cost}", cost=money(plan.money))
    most = "" if plan.most_money is None or not cost else say(" and at most {cost}", cost=money(plan.most_money))
    return say_count(
        plan.calls,
        "{count:,} call{cost}{at_most}. No calls have been made yet.",
        "{count:,} calls{cost}{at_most}. No calls have been made yet.",
        cost=cost,
        at_most=most,
    )


def make_checks(request: SignedInRequest, making: Making, asked: ChecksAsked) -> HttpResponse:
    checking = making.run_checks(asked, actor=request.user)
    wake_workers()
    remarks = joined(["", *checking.remarks])
    if checking.run is None:
        messages.success(request, say("The checks are recorded; no calls are needed.{remarks}", remarks=remarks))
        return redirect(request.path)
    messages.success(request, say("The run for the checks has started.{remarks}", remarks=remarks))
    return redirect("run", checking.run.pk)
