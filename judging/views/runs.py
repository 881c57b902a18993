"""For admins: runs of models that answer or judge; plan one, start it, see its progress, decide on calls in doubt."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.desk.visibility import blind_tags
from annotation.kinds.registry import annotated
from annotation.models import Release
from core.languages import say, say_count
from core.lists.columns import Columns
from core.lists.pages import MOST_COUNTED, Window, count_each_up_to, page_of
from core.models import Event, Role, User
from core.navigation.closing import closed_because, reason_for
from core.outside import row_numbers
from core.web.access import SignedInRequest, role_required
from core.web.acts import confirmation
from core.words import up_to

from ..catalogue.purposes import load_subjects, made_by, purpose_of_run
from ..forms import BudgetForm, JudgeRunForm, RunFilters, RunForm
from ..models import CallState, IsUnanswered, JudgingAction, PromptTemplate, Response, Run, RunKind, RunState
from ..protocol.tasks import benchmarks_of, judged_tasks, judges
from ..responses.judge_verdicts import verdict_table
from ..responses.listing import ResponseFilters
from ..runs import repeating
from ..runs import runs as rules
from ..runs.blinding import is_blind, refuse_names, why_hidden
from ..runs.bulk import RunAction, change_runs
from ..runs.calls.failures import GROUP_LENGTH
from ..runs.plan import plan_run
from ..runs.progress.progress import batches_of, judge_runs_of, progress_of
from ..runs.progress.sums import counts_of
from ..runs.visibility import hides_outcomes, known_calls, plan_reveals, refuse_outcomes, refuse_plan
from ..tasks import wake_workers
from .models import number, status_of

CALLS_SHOWN = 50
COLUMNS = Columns(
    2,
    numbers=("done", "in_doubt", "failed", "left", "money"),
    state=say("State"),
    kind=say("Kind"),
    models=say("Models"),
    done=say("Done"),
    in_doubt=say("In doubt"),
    failed=say("Failed"),
    left=say("Left"),
    money=say("Cost"),
    made=say("Created"),
)
# These entries of the log say how many calls there were, and what went wrong.
TELL_OF_CALLS = (JudgingAction.RETRIED_FAILED, JudgingAction.REPEATED_IN_DOUBT, JudgingAction.GAVE_UP_IN_DOUBT)


@role_required(Role.ADMIN)
@require_GET
def runs(request: SignedInRequest) -> HttpResponse:
    rows = Run.objects.select_related("created_by").prefetch_related("language_models")
    filters = RunFilters(request.GET)
    page = page_of(request, filters.among(rows), window=Window(Run.objects.all(), is_whole=not filters.narrow))
    counts = counts_of(page.object_list, reader=request.user)
    context = {
        "page": page,
        "filters": filters,
        "actions": RunAction.choices,
        "columns": COLUMNS.chosen(request.GET),
        "rows": [(run, counts[run.pk], hides_outcomes(run, request.user)) for run in page],
        "has_release": Release.objects.exists(),
    }
    return render(request, "judging/runs.html", context)


@role_required(Role.ADMIN)
@require_POST
def runs_change(request: SignedInRequest) -> HttpResponse:
    """Apply an action to the selected runs; then return to the list."""
    chosen = list(Run.objects.filter(pk__in=row_numbers(request.POST.getlist("run"))).order_by("pk"))
    action = request.POST.get("action", "")
    if page := confirmation(request, what="runs", final=(RunAction.CANCEL,), rows=chosen, back="runs"):
        return page
    count = change_runs(runs=chosen, action=action, actor=request.user)
    if action in (RunAction.RESUME, RunAction.RETRY):
        wake_workers()
    if action == RunAction.RETRY:
        done = say_count(count, "{count:,} call to be repeated.", "{count:,} calls to be repeated.")
    else:
        done = say_count(count, "Done for {count:,} run.", "Done for {count:,} runs.")
    messages.success(request, done)
    return redirect("runs")


# --- A new one ----------------------------------------------------------------------------------------------------


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def run_new(request: SignedInRequest) -> HttpResponse:
    form = RunForm(request.POST or None, initial=initial_of(request))
    if request.method == "POST" and form.is_valid():
        return to_the_plan(request, rules.create_run(actor=request.user, **form.cleaned_data))
    context = {"form": form, "templates": PromptTemplate.objects.offered(), "has_release": Release.objects.exists()}
    return render(request, "judging/run_new.html", context, status=status_of(form))


def to_the_plan(request: SignedInRequest, run: Run) -> HttpResponse:
    """Lead to the plan of a new run, or back to the list if this person must not see the plan."""
    if plan_reveals(run) and (hidden := why_hidden(request.user)):
        messages.warning(request, say("{run} is planned. Another admin reads its plan and starts it.", run=run))
        messages.warning(request, hidden)
        return redirect("runs")
    return redirect("run", run.pk)


def initial_of(request: HttpRequest) -> dict[str, object]:
    """The values of the run that a new one should copy; else the release that the address names, or the newest of the
    benchmark that is annotated here.
    """
    run = Run.objects.filter(pk=number(request.GET.get("like", "")), kind=RunKind.ANSWER).first()
    if run is None:
        named = Release.objects.filter(number=number(request.GET.get("release", ""))).first()
        newest = Release.objects.order_by("-number")
        return {"release": named or newest.filter(benchmark=annotated().code).first() or newest.first()}
    names = (
        "name",
        "release",
        "repetitions",
        "budget",
        "include_left_out",
        "only_missing",
        "in_batches",
        "reuses_replies",
    )
    values = {name: getattr(run, name) for name in names}
    return values | {"language_models": run.language_models.all(), "templates": run.templates.all()}


@role_required(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def judge_run_new(request: SignedInRequest) -> HttpResponse:
    """Judge the responses of runs or, with the filters of the list of responses in the address, those it shows."""
    filters = ResponseFilters(request.GET)
    is_selection = "selection" in request.GET
    if is_selection:
        refuse_names(request.user)
    selection = filters.responses() if is_selection else Response.objects.none()
    initial = {"source_runs": [number(request.GET.get("run", ""))]}
    form = JudgeRunForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        if is_selection:
            values |= {"source_runs": [], "responses": selection}
        if is_selection or values["source_runs"] or values["responses"]:
            return to_the_plan(request, rules.create_judge_run(actor=request.user, **values))
        form.add_error("source_runs", say("Choose at least one run."))
    context = {"form": form, "is_selection": is_selection, "prompts": [judge.name for judge in judges()]}
    if is_selection:
        context["count"] = selection.count()
    return render(request, "judging/judge_run_new.html", context, status=status_of(form))


# --- One run ------------------------------------------------------------------------------------------------------


def why_plan_closed(person: User, pk: int) -> str:
    """The reason why the page of a planned run is refused to this person now, for links to it; "" if it is open."""
    reason = reason_for(person, why_hidden)
    planned = Run.objects.filter(pk=pk, state=RunState.PLANNED).first() if reason else None
    return reason if planned and plan_reveals(planned) else ""


@role_required(Role.ADMIN)
@require_GET
@closed_because(why_plan_closed, by_arguments=True)
def run(request: SignedInRequest, pk: int) -> HttpResponse:
    """The plan of a run that has not started, otherwise its progress; for htmx, only the part that changes while it
    runs.
    """
    row = get_object_or_404(Run.objects.select_related("release", "created_by"), pk=pk)
    context: dict[str, object] = {"run": row}
    if row.state == RunState.PLANNED:
        refuse_plan(row, request.user)
        plan = plan_run(row)
        left_out = sorted((template, reason, count) for (template, reason), count in plan.left_out.items())
        return render(request, "judging/run_plan.html", context | about(row) | {"plan": plan, "left_out": left_out})
    context |= progress_context(row, request.user)
    if request.headers.get("HX-Request"):
        fragment = "judging/_run_hidden.html" if "is_blind" in context else "judging/_run.html"
        return render(request, fragment, context)
    context |= about(row) | {
        "budget_form": BudgetForm(initial={"budget": row.budget}),
        "events": events_of(row, request.user)[:50],
        "judge_runs": judge_runs_of(row, is_blind=hides_outcomes(row, request.user)),
    }
    return render(request, "judging/run.html", context)


def gets_verdicts(row: Run) -> bool:
    """Return whether judge models can judge the run's responses."""
    has_responses = row.kind in (RunKind.ANSWER, RunKind.IMPORT)
    return has_responses and (row.release is None or row.release.benchmark in benchmarks_of(judged_tasks()))


def about(row: Run) -> dict[str, Any]:
    return {
        "language_models": row.language_models.all(),
        "templates": row.templates.order_by("code", "version"),
        "source_runs": row.source_runs.all(),
        "selected": row.selected_responses.count(),
        "purpose": purpose_of_run(row),
    }


def events_of(row: Run, reader: User) -> QuerySet[Event]:
    """The activity log of the run, as far as this person may know of it."""
    events = Event.objects.about(row).select_related("actor").reverse()
    is_blind_to_tags = row.kind == RunKind.SUGGESTION and blind_tags(reader).exists()
    if is_blind_to_tags or hides_outcomes(row, reader):
        return events.exclude(action__in=TELL_OF_CALLS)
    return events


def progress_context(row: Run, reader: User) -> dict[str, object]:
    """The context of its page while it runs. A reader who judges learns only the number of unfinished calls."""
    if hides_outcomes(row, reader):
        counts = counts_of([row], reader=reader)[row.pk]
        return {"is_blind": True, "open": counts.open, "purpose": purpose_of_run(row)}
    context: dict[str, object] = {"gets_verdicts": gets_verdicts(row), "purpose": purpose_of_run(row)}
    context["progress"] = progress_of(row, reader=reader)
    if not row.is_starting and not is_blind(reader):
        context["made"] = made_by(row)
    if row.in_batches:
        context["batches"] = batches_of(row)
    if row.kind == RunKind.JUDGE:
        context["table"] = verdict_table(row, [])
    return context


@role_required(Role.ADMIN)
@require_GET
def run_calls(request: SignedInRequest, pk: int) -> HttpResponse:
    """The calls of a run without a reply: in doubt, failed, or pending."""
    row = get_object_or_404(Run, pk=pk)
    refuse_outcomes(row, request.user)
    states = CallState.unanswered()
    state = request.GET.get("state", "")
    state = state if state in states else ""
    group = group_name(request.GET)
    there = row.calls.none() if row.is_starting else known_calls(row, request.user)
    calls = repeating.in_group(there.filter(Q(state=state) if state else IsUnanswered("state")), group)
    calls = calls.select_related(
        "model", "template", "instance", "judged_response__instance", "judged_response__template", "model_suggestion"
    )
    page = page_of(request, calls, "pk", most=CALLS_SHOWN)
    load_subjects(page)
    counts = count_each_up_to(MOST_COUNTED, {each.value: there.filter(state=each).order_by() for each in states})
    context = {
        "run": row,
        "page": page,
        "state": state,
        "group": group,
        "chips": [(each.value, str(each.label), up_to(counts[each.value], MOST_COUNTED)) for each in states],
    }
    return render(request, "judging/run_calls.html", context)


# --- Decisions ----------------------------------------------------------------------------------------------------


def decision(rule: Callable[..., Run], said: str = "", *, wakes: bool = False) -> Callable[..., HttpResponse]:
    """The view that applies a rule to one run, and reports the result to the admin."""

    @role_required(Role.ADMIN)
    @require_POST
    def decide(request: SignedInRequest, pk: int) -> HttpResponse:
        rule(run=get_object_or_404(Run, pk=pk), actor=request.user)
        if wakes:
            wake_workers()
        if said:
            messages.success(request, said)
        return redirect("run", pk)

    return decide


run_start = decision(rules.start_run, wakes=True)
run_pause = decision(rules.pause_run, say("The run is paused. Replies to calls in flight are kept when they arrive."))
run_resume = decision(rules.resume_run, say("The run continues."), wakes=True)
run_cancel = decision(
    rules.cancel_run, say("The run is cancelled. Replies so far are kept, and so are those of calls in flight.")
)


@role_required(Role.ADMIN)
@require_POST
def run_budget(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set another budget; a run that stopped at the old one continues if requested."""
    row = get_object_or_404(Run, pk=pk)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        messages.error(request, say("A budget must be a number, 0 or more. Nothing was changed."))
        return redirect("run", pk)
    rules.set_budget(run=row, budget=form.cleaned_data["budget"], actor=request.user)
    if "and_resume" in request.POST:
        rules.resume_run(run=row, actor=request.user)
        wake_workers()
    messages.success(request, say("The budget is set."))
    return redirect("run", pk)


@role_required(Role.ADMIN)
@require_POST
def run_retry(request: SignedInRequest, pk: int) -> HttpResponse:
    """Repeat failed calls: one group, or all."""
    return asked_again(request, pk, repeating.retry_failed, group=group_name(request.POST))


@role_required(Role.ADMIN)
@require_POST
def run_repeat(request: SignedInRequest, pk: int) -> HttpResponse:
    """Repeat calls in doubt: some calls, one group, or all."""
    group = group_name(request.POST)
    return asked_again(request, pk, repeating.repeat_in_doubt, calls=ticked(request), group=group)


@role_required(Role.ADMIN)
@require_POST
def run_give_up(request: SignedInRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(Run, pk=pk)
    calls = repeating.give_up_in_doubt(
        run=row, actor=request.user, calls=ticked(request), group=group_name(request.POST)
    )
    messages.success(
        request,
        say_count(
            calls,
            "{count:,} call given up. They count as failed, and may still have been paid for.",
            "{count:,} calls given up. They count as failed, and may still have been paid for.",
        ),
    )
    return redirect("run", pk)


def group_name(values: Mapping[str, str]) -> str:
    """The group of failures named in a form or an address; "" for all."""
    return values.get("group", "").replace("\0", "")[:GROUP_LENGTH]


def ticked(request: HttpRequest) -> list[int] | None:
    """The calls selected in a list; None, from the button without a list, means all."""
    return [number(value) for value in request.POST.getlist("call")] if "ticked" in request.POST else None


@role_required(Role.ADMIN)
@require_POST
def run_ask_again(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask the judge again for judgments without a readable verdict."""
    return asked_again(request, pk, repeating.retry_unreadable)


def asked_again(request: SignedInRequest, pk: int, rule: Callable[..., int], **which: object) -> HttpResponse:
    """Have a rule reopen calls of a run, and report their number."""
    calls = rule(run=get_object_or_404(Run, pk=pk), actor=request.user, **which)
    wake_workers()
    messages.success(
        request,
        say_count(calls, "{count:,} call will be repeated.", "{count:,} calls will be repeated.")
        if calls
        else say("No calls to repeat."),
    )
    return redirect("run", pk)
