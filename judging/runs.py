"""Plan, start, pause, resume and cancel runs; try again what failed; decide what is in doubt.

Each rule is one conditional change: doing it twice, from two tabs or a tab and a terminal, is doing it once. What a
call in flight brings is landed whatever state its run is in: it is paid.
"""

from collections.abc import Collection, Iterable
from decimal import Decimal

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.errors import Refusal
from annotation.models import Event, Release, User
from judging.models import (
    Call,
    CallState,
    LanguageModel,
    ModelJudgment,
    ModelKind,
    PromptTemplate,
    Response,
    Run,
    RunKind,
    RunState,
)
from judging.plan import Planner

Actor = User | None


# --- Planned ------------------------------------------------------------------------------------------------------


@transaction.atomic
def create_run(
    *,
    release: Release,
    language_models: Collection[LanguageModel],
    templates: Collection[PromptTemplate],
    actor: Actor = None,
    name: str = "",
    repetitions: int = 1,
    budget: Decimal | None = None,
    include_same_passage: bool = False,
    only_missing: bool = False,
) -> Run:
    """A planned run of models over a release. Nothing is asked before `start_run`."""
    check_models(language_models, budget=budget)
    if not templates:
        raise Refusal("A run needs at least one prompt template. Nothing was planned.", status=400)
    if repetitions < 1:
        raise Refusal("A run needs at least one repetition. Nothing was planned.", status=400)
    run = Run.objects.create(
        kind=RunKind.ANSWER,
        name=name,
        release=release,
        repetitions=repetitions,
        budget=budget,
        include_same_passage=include_same_passage,
        only_missing=only_missing,
        created_by=actor,
    )
    run.language_models.set(language_models)
    run.templates.set(templates)
    Event.record("planned", run, actor=actor, after={"state": run.state})
    return run


@transaction.atomic
def create_judge_run(
    *,
    language_models: Collection[LanguageModel],
    source_runs: Collection[Run] = (),
    responses: Iterable[Response] | None = None,
    actor: Actor = None,
    name: str = "",
    budget: Decimal | None = None,
    include_marked: bool = False,
) -> Run:
    """A planned run of judge models over the responses of runs, or over a selection of responses."""
    check_models(language_models, budget=budget)
    selection = None if responses is None else sorted(response.pk for response in responses)
    if not source_runs and not selection:
        raise Refusal("A judge run needs a run or some responses to judge. Nothing was planned.", status=400)
    run = Run.objects.create(
        kind=RunKind.JUDGE,
        name=name,
        selection=selection,
        budget=budget,
        include_marked=include_marked,
        created_by=actor,
    )
    run.language_models.set(language_models)
    run.source_runs.set(source_runs)
    Event.record("planned", run, actor=actor, after={"state": run.state})
    return run


def check_models(language_models: Collection[LanguageModel], *, budget: Decimal | None) -> None:
    """Raises Refusal for models that cannot be asked, or not within a budget."""
    if not language_models:
        raise Refusal("A run needs at least one model. Nothing was planned.", status=400)
    for model in language_models:
        if model.kind == ModelKind.IMPORTED:
            raise Refusal(
                f"{model} is known by imported responses only, it cannot be asked. Give it an endpoint under another "
                "name. Nothing was planned.",
                status=400,
            )
        if budget is not None and model.is_priced and model.max_tokens is None:
            raise Refusal(
                f"The decoding of {model} sets no token limit, so that a call has no highest price and no budget can "
                "be kept. Set max_tokens, or leave the budget out. Nothing was planned.",
                status=400,
            )


# --- Started ------------------------------------------------------------------------------------------------------


@transaction.atomic
def start_run(*, run: Run, actor: Actor = None) -> Run:
    """Make the calls of a planned run and let the workers have them. Starting a run that runs changes nothing.

    Raises Refusal where nothing is left to ask, or the run was cancelled.
    """
    now = timezone.now()
    started = Run.objects.filter(pk=run.pk, state=RunState.PLANNED).update(state=RunState.RUNNING, started_at=now)
    run.refresh_from_db()
    if not started:
        if run.state == RunState.CANCELLED:
            raise Refusal("The run was cancelled. Plan a new one.")
        return run
    calls = [item.call for item in Planner(run).items()]
    if not calls:
        raise Refusal("There is nothing to ask: see in the plan what is left out and why. The run was not started.")
    Call.objects.bulk_create(calls, batch_size=500, ignore_conflicts=True)
    Event.record(
        "started", run, actor=actor, before={"state": "planned"}, after={"state": "running", "calls": len(calls)}
    )
    return run


def change_state(run: Run, to: RunState, *, among: Collection[RunState], action: str, actor: Actor, **values) -> bool:
    """Move a run to a state from one of `among`, once; whether it moved. Raises Refusal from any other state but the
    state itself. Call it in a transaction."""
    Run.objects.select_for_update().get(pk=run.pk)
    run.refresh_from_db()
    if run.state == to:
        return False
    if run.state not in among:
        raise Refusal(f"The run is {run.get_state_display().lower()}. Nothing was changed.")
    before = run.state
    Run.objects.filter(pk=run.pk).update(state=to, **values)
    run.refresh_from_db()
    Event.record(action, run, actor=actor, before={"state": before}, after={"state": to})
    return True


@transaction.atomic
def pause_run(*, run: Run, actor: Actor = None) -> Run:
    """No new calls; those on their way are landed."""
    among = [RunState.RUNNING, RunState.STOPPED]
    change_state(run, RunState.PAUSED, among=among, action="paused", actor=actor)
    return run


@transaction.atomic
def resume_run(*, run: Run, actor: Actor = None, budget: Decimal | None = None) -> Run:
    """Go on, with another budget where one is given. Resuming twice is resuming once."""
    if budget is not None:
        set_budget(run=run, budget=budget, actor=actor)
    among = [RunState.PAUSED, RunState.STOPPED]
    if run.state == RunState.FINISHED:
        return run
    change_state(run, RunState.RUNNING, among=among, action="resumed", actor=actor)
    return run


@transaction.atomic
def set_budget(*, run: Run, budget: Decimal | None, actor: Actor = None) -> Run:
    """Another budget, or none. It takes hold with the next call."""
    run.refresh_from_db()
    if budget == run.budget:
        return run
    if budget is not None:
        if budget < 0:
            raise Refusal("A budget is not below nothing. Nothing was changed.", status=400)
        check_models(run.language_models.all(), budget=budget)
    before = run.budget
    Run.objects.filter(pk=run.pk).update(budget=budget)
    run.refresh_from_db()
    Event.record("budget set", run, actor=actor, before={"budget": text(before)}, after={"budget": text(budget)})
    return run


def text(amount: Decimal | None) -> str:
    return "" if amount is None else f"{amount:f}"


@transaction.atomic
def cancel_run(*, run: Run, actor: Actor = None) -> Run:
    """Give up what was not asked yet. What is there stays, and what is on its way is landed."""
    now = timezone.now()
    among = [RunState.PLANNED, RunState.RUNNING, RunState.PAUSED, RunState.STOPPED]
    change_state(run, RunState.CANCELLED, among=among, action="cancelled", actor=actor, finished_at=now)
    cancel_pending(run.calls.all())
    return run


def cancel_pending(calls: QuerySet[Call]) -> int:
    return calls.filter(state=CallState.PENDING).update(state=CallState.CANCELLED, ended_at=timezone.now())


# --- Once more ----------------------------------------------------------------------------------------------------


def reopen(run: Run, calls: QuerySet[Call], *, action: str, actor: Actor, message: str = "") -> int:
    """Have these calls made again, and the run with them; their number. Call it in a transaction."""
    Run.objects.select_for_update().get(pk=run.pk)
    run.refresh_from_db()
    if run.state == RunState.CANCELLED:
        raise Refusal("The run was cancelled. Plan a new one for what is missing.")
    again = calls.update(
        state=CallState.PENDING, failures=0, reason="", error="", ended_at=None, not_before=timezone.now()
    )
    if again:
        Run.objects.filter(pk=run.pk, state=RunState.FINISHED).update(state=RunState.RUNNING, finished_at=None)
        before, run = run.state, Run.objects.get(pk=run.pk)
        Event.record(
            action,
            run,
            actor=actor,
            before={"state": before},
            after={"state": run.state, "calls": again},
            message=message,
        )
    return again


@transaction.atomic
def retry_failed(*, run: Run, actor: Actor = None, reason: str = "") -> int:
    """Ask again what failed, or what failed for one reason; the number of calls."""
    failed = run.calls.filter(state=CallState.FAILED, **({"reason": reason} if reason else {}))
    return reopen(run, failed, action="failed calls tried again", actor=actor, message=reason)


@transaction.atomic
def retry_unreadable(*, run: Run, actor: Actor = None) -> int:
    """Ask again where the judge's reply held no verdict; the number of calls. These are paid once more."""
    unreadable = ModelJudgment.objects.filter(
        run=run, response=OuterRef("judged_response"), model=OuterRef("model"), verdict=""
    )
    calls = run.calls.filter(Exists(unreadable), state=CallState.DONE)
    return reopen(run, calls, action="unreadable verdicts asked again", actor=actor)


@transaction.atomic
def repeat_in_doubt(*, run: Run, actor: Actor, calls: Collection[int] | None = None) -> int:
    """Ask again, knowing that it may be paid twice, what is in doubt: all of it, or some calls; their number."""
    doubtful = run.calls.filter(state=CallState.IN_DOUBT, **({} if calls is None else {"pk__in": calls}))
    return reopen(run, doubtful, action="calls in doubt repeated", actor=actor)


@transaction.atomic
def give_up_in_doubt(*, run: Run, actor: Actor, calls: Collection[int] | None = None) -> int:
    """Leave unanswered what is in doubt: it counts as failed, and stays possibly paid. The number of calls."""
    doubtful = run.calls.filter(state=CallState.IN_DOUBT, **({} if calls is None else {"pk__in": calls}))
    given_up = doubtful.update(state=CallState.FAILED, reason="given up in doubt", ended_at=timezone.now())
    if given_up:
        Event.record("calls in doubt given up", run, actor=actor, after={"calls": given_up})
    return given_up


# --- What follows from the calls ----------------------------------------------------------------------------------


def settle_runs() -> None:
    """Finish runs that are through, reopen those that are not after all, cancel what a cancelled run got back."""
    open_calls = Call.objects.filter(run=OuterRef("pk"), state__in=CallState.open())
    pending = Call.objects.filter(run=OuterRef("pk"), state=CallState.PENDING)
    # Drafts come one by one, so their run is never through.
    for run in Run.objects.filter(~Exists(open_calls), state=RunState.RUNNING).exclude(kind=RunKind.DRAFT):
        finish_run(run)
    for run in Run.objects.filter(Exists(pending), state=RunState.CANCELLED):
        cancel_pending(run.calls.all())
    for run in Run.objects.filter(Exists(pending), state=RunState.FINISHED):
        Run.objects.filter(pk=run.pk, state=RunState.FINISHED).update(state=RunState.RUNNING, finished_at=None)


@transaction.atomic
def finish_run(run: Run) -> None:
    """Finish a running run without open calls. Its row is locked first, so that nobody reopens it in between."""
    Run.objects.select_for_update().get(pk=run.pk)
    if not Call.objects.filter(run=run, state__in=CallState.open()).exists():
        finished = Run.objects.filter(pk=run.pk, state=RunState.RUNNING)
        if finished.update(state=RunState.FINISHED, finished_at=timezone.now()):
            Event.record("finished", run, before={"state": "running"}, after={"state": "finished"})
