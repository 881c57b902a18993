"""Plan, start, pause, resume, cancel and finish runs. For repeated calls, see `repeating.py`.

Each rule is one conditional change: doing it twice, from two tabs or a tab and a terminal, has the effect of doing it
once. The reply to a call in flight is landed in any state of its run, because it is paid.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from itertools import chain

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.kinds.registry import name_of
from annotation.models import Release
from core.engine.writing.inserts import Insert, insert
from core.engine.writing.pieces import in_pieces
from core.languages import in_sentence, say
from core.models import Event, User
from core.refusals import Refusal
from core.writing.progress import along

from ..models import (
    Call,
    CallState,
    JudgingAction,
    LanguageModel,
    ModelKind,
    PromptTemplate,
    Response,
    Run,
    RunKind,
    RunState,
    TokenProbabilities,
)
from ..protocol.tasks import verdict_readers
from .announcing import announce_end
from .blinding import refuse_names
from .calls.reuse import take_over_replies
from .plan import Plan, Planner, plan_with

Actor = User | None
# A process that starts a run renews this with each piece; even planning many calls with nothing to write takes less.
STARTING_LEASE = timedelta(minutes=2)


# --- Planned ------------------------------------------------------------------------------------------------------


def create_run(
    *,
    release: Release,
    language_models: Collection[LanguageModel],
    templates: Collection[PromptTemplate],
    actor: Actor = None,
    **columns: object,
) -> Run:
    """Create a planned run of models over a release. Its name, its budget and its settings are `columns` of the run.
    Nothing is asked before `start_run`. Raises Refusal as `check_run` does.
    """
    run = Run(kind=RunKind.ANSWER, release=release, **columns)
    check_run(run, language_models, templates)
    return save_planned(run, actor=actor, language_models=language_models, templates=templates)


def create_judge_run(
    *,
    language_models: Collection[LanguageModel],
    source_runs: Collection[Run] = (),
    responses: Iterable[Response] = (),
    actor: Actor = None,
    **columns: object,
) -> Run:
    """Create a planned run of judge models over the responses of runs, or over selected responses. Its name, its
    budget and its settings are `columns` of the run.

    Raises Refusal if neither or both are given, if a model cannot be asked at all or within the budget, or if some
    responses are given and the `actor` must not learn their models.
    """
    run = Run(kind=RunKind.JUDGE, **columns)
    check_judge_run(run, language_models)
    selected = [response.pk for response in responses]
    if bool(source_runs) == bool(selected):
        raise Refusal(
            say("A judge run needs either runs or some responses to judge. Nothing was planned."), status=400
        )
    if selected and actor is not None:
        # The plan and the verdicts of a run over one response would reveal its model.
        refuse_names(actor)
    return save_planned(
        run, actor=actor, language_models=language_models, source_runs=source_runs, selected_responses=selected
    )


@transaction.atomic
def save_planned(run: Run, *, actor: Actor, told: Mapping[str, object] = {}, **related: Iterable[object]) -> Run:
    """Save a checked run, with the rows that it refers to by these names; `told` goes to the log as well."""
    run.created_by = actor
    run.save()
    for name, rows in related.items():
        getattr(run, name).add(*rows)
    Event.record(JudgingAction.PLANNED, run, actor=actor, after={"state": run.state, **told})
    return run


def check_run(run: Run, language_models: Collection[LanguageModel], templates: Collection[PromptTemplate]) -> None:
    """Raises Refusal if these do not make a valid run of models over a release."""
    check_models(language_models, budget=run.budget, in_batches=run.in_batches)
    if not templates:
        raise Refusal(say("A run needs at least one prompt. Nothing was planned."), status=400)
    if run.release is not None:
        check_templates(run.release, templates)
    check_logprobs(language_models, templates, in_batches=run.in_batches)
    if run.repetitions < 1:
        raise Refusal(say("A run needs at least one repetition. Nothing was planned."), status=400)


def check_templates(release: Release, templates: Collection[PromptTemplate]) -> None:
    """Raises Refusal if a template is for another benchmark than the release's."""
    if others := [each for each in templates if each.benchmark != release.benchmark]:
        named = ", ".join(f"{each.label} ({name_of(each.benchmark)})" for each in others)
        raise Refusal(
            say(
                "Release {number} is of {benchmark}, and these prompts are for another benchmark: "
                "{named}. Leave them out. Nothing was planned.",
                number=release.number,
                benchmark=name_of(release.benchmark),
                named=named,
            ),
            status=400,
        )


def check_logprobs(
    language_models: Iterable[LanguageModel], templates: Iterable[PromptTemplate], *, in_batches: bool
) -> None:
    """Raises Refusal if a template's task needs log-probabilities that a model's endpoint does not give, or not in
    batches.
    """
    asking = [template.label for template in templates if template.what.reply_spec.top_logprobs]
    for model in language_models if asking else ():
        if model.kind != ModelKind.ENDPOINT:
            continue
        if model.token_probabilities == TokenProbabilities.NONE:
            raise Refusal(
                say(
                    "The endpoint of {model} gives no log-probabilities according to the model's "
                    "page, and these prompts need them: {asking}. Change it there, or leave them "
                    "out. Nothing was planned.",
                    model=model,
                    asking=", ".join(asking),
                ),
                status=400,
            )
        if in_batches and model.token_probabilities != TokenProbabilities.CHAT:
            raise Refusal(
                say(
                    "{model} gives log-probabilities only with completions, which cannot be sent in "
                    "batches. Leave batches out. Nothing was planned.",
                    model=model,
                ),
                status=400,
            )


def check_models(
    language_models: Collection[LanguageModel], *, budget: Decimal | None, in_batches: bool = False
) -> None:
    """Raises Refusal if a model cannot be asked at all, or not within a budget, or not in batches."""
    if not language_models:
        raise Refusal(say("A run needs at least one model. Nothing was planned."), status=400)
    for model in language_models:
        if model.kind == ModelKind.IMPORTED:
            raise Refusal(
                say(
                    "{model} is known only from imported responses, so it cannot be called. Create a "
                    "model with an endpoint under another name. Nothing was planned.",
                    model=model,
                ),
                status=400,
            )
        if in_batches and model.kind == ModelKind.ENDPOINT and not model.offers_batches:
            raise Refusal(
                say(
                    "The provider of {model} offers no batches according to the model's page. Change "
                    "it there, or leave batches out. Nothing was planned.",
                    model=model,
                ),
                status=400,
            )
        if budget is not None and model.is_priced and model.max_tokens is None:
            raise Refusal(
                say(
                    "The decoding of {model} sets no token limit, so a call's cost has no upper "
                    "limit and no budget can be kept. Set max_tokens, or leave the budget out. "
                    "Nothing was planned.",
                    model=model,
                ),
                status=400,
            )


def check_judge_run(run: Run, language_models: Collection[LanguageModel]) -> None:
    """Raises Refusal if a model cannot be asked, or if a verdict as JSON cannot be requested or read."""
    check_models(language_models, budget=run.budget, in_batches=run.in_batches)
    if not run.as_json_schema:
        return
    readers = verdict_readers()
    if not readers[run.reader].reads_json:
        those = " or ".join(f"“{each.label}”" for each in readers.values() if each.reads_json)
        raise Refusal(
            say(
                "Verdicts by a JSON schema are read by {those} only. Choose it, or do not request "
                "the schema. Nothing was planned.",
                those=those,
            ),
            status=400,
        )
    for model in language_models:
        if model.kind == ModelKind.ENDPOINT and not model.takes_json_schema:
            raise Refusal(
                say(
                    "{model} is not marked as accepting a JSON schema. Mark it on its page if it "
                    "does. Nothing was planned.",
                    model=model,
                ),
                status=400,
            )


def plan_unsaved(
    *,
    language_models: Collection[LanguageModel],
    templates: Collection[PromptTemplate] = (),
    source_runs: Collection[Run] = (),
    **columns: object,
) -> Plan:
    """The plan of the run that `create_run` or, with `source_runs`, `create_judge_run` would create with the same
    arguments. Nothing is written. Raises Refusal as they do."""
    run = Run(kind=RunKind.JUDGE if source_runs else RunKind.ANSWER, **columns)
    if source_runs:
        check_judge_run(run, language_models)
    else:
        check_run(run, language_models, templates)
    ordered = sorted(templates, key=lambda template: (template.code, template.version))
    return plan_with(Planner(run, language_models=language_models, templates=ordered, source_runs=source_runs))


# --- Started ------------------------------------------------------------------------------------------------------


def start_run(*, run: Run, actor: Actor = None) -> Run:
    """Create the calls of a planned run and hand them to the workers. Starting a running run changes nothing.

    The calls are written in pieces, and none goes out before the last one is written. If the process dies meanwhile,
    the run stays in the starting state and the clock continues with it (`go_on_starting`). Raises Refusal if nothing
    is left to ask, the run was cancelled, or a model has changed so that it can no longer be asked like this.
    """
    run.refresh_from_db()
    if run.state == RunState.PLANNED:
        models = run.language_models.all()
        check_models(models, budget=run.budget, in_batches=run.in_batches)
        check_logprobs(models, run.templates.all(), in_batches=run.in_batches)
        calls = calls_of(run)
        first = next(calls, None)
        if first is None:
            raise Refusal(
                say("There are no calls to make: the plan lists what is left out and why. The run was not started.")
            )
        if claim_start(run, among=RunState.PLANNED):
            write_calls(run, chain([first], calls), actor=actor)
    run.refresh_from_db()
    if run.state == RunState.CANCELLED:
        raise Refusal(say("The run was cancelled. Plan a new one."))
    return run


def claim_start(run: Run, *, among: RunState) -> bool:
    """Claim the writing of the run's calls for this process, for as long as it renews the lease; returns whether that
    worked."""
    now = timezone.now()
    free = Run.objects.filter(pk=run.pk, state=among)
    if among == RunState.STARTING:
        free = free.filter(starting_until__lt=now)
    return bool(free.update(state=RunState.STARTING, started_at=now, starting_until=now + STARTING_LEASE))


class NotStarting(Exception):
    """The run was cancelled in the meantime, or another process has taken over."""


def calls_of(run: Run) -> Iterator[Insert]:
    """The run's calls not yet created."""
    return (Insert.of(Call, **planned.columns) for planned in Planner(run).planned())


def write_calls(run: Run, calls: Iterable[Insert], *, actor: Actor) -> None:
    starting = Run.objects.filter(pk=run.pk, state=RunState.STARTING)

    def renew() -> None:
        if not starting.update(starting_until=timezone.now() + STARTING_LEASE):
            raise NotStarting

    def write(piece: list[Insert]) -> None:
        renew()
        insert(piece, ignore_conflicts=True)

    try:
        in_pieces(along("Writing calls", calls), write)
        if run.reuses_replies:
            take_over_replies(run, renew=renew)
    except NotStarting:
        return
    count = run.calls.count()
    with transaction.atomic():
        if starting.update(state=RunState.RUNNING, starting_until=None, started_at=timezone.now()):
            after = {"state": "running", "calls": count}
            Event.record(JudgingAction.STARTED, run, actor=actor, before={"state": "planned"}, after=after)


def go_on_starting() -> None:
    """Write the remaining calls of runs whose process died while it started them."""
    for run in Run.objects.filter(state=RunState.STARTING, starting_until__lt=timezone.now()):
        if claim_start(run, among=RunState.STARTING):
            write_calls(run, calls_of(run), actor=run.created_by)


def change_state(
    run: Run, to: RunState, *, among: Collection[RunState], action: JudgingAction, actor: Actor, **values
) -> bool:
    """Move a run from one of the states `among` to another, once; returns whether it moved. Raises Refusal if it is
    in any other state than these or the target. Call it in a transaction."""
    Run.objects.select_for_update().get(pk=run.pk)
    run.refresh_from_db()
    if run.state == to:
        return False
    if run.state not in among:
        raise Refusal(say("The run is {state}. Nothing was changed.", state=in_sentence(run.get_state_display())))
    before = run.state
    Run.objects.filter(pk=run.pk).update(state=to, **values)
    run.refresh_from_db()
    Event.record(action, run, actor=actor, before={"state": before}, after={"state": to})
    return True


@transaction.atomic
def pause_run(*, run: Run, actor: Actor = None) -> Run:
    """Make no new calls; those in flight are landed. Raises Refusal if the run cannot be paused."""
    among = [RunState.RUNNING, RunState.STOPPED]
    change_state(run, RunState.PAUSED, among=among, action=JudgingAction.PAUSED, actor=actor)
    return run


@transaction.atomic
def resume_run(*, run: Run, actor: Actor = None, budget: Decimal | None = None) -> Run:
    """Continue, with another budget if one is given. A repeated call has no further effect. Raises Refusal if the run
    cannot continue.
    """
    if budget is not None:
        set_budget(run=run, budget=budget, actor=actor)
    among = [RunState.PAUSED, RunState.STOPPED]
    if run.state == RunState.FINISHED:
        return run
    change_state(run, RunState.RUNNING, among=among, action=JudgingAction.RESUMED, actor=actor)
    return run


@transaction.atomic
def set_budget(*, run: Run, budget: Decimal | None, actor: Actor = None) -> Run:
    """Set another budget, or none. It applies from the next call on."""
    run.refresh_from_db()
    if budget == run.budget:
        return run
    if budget is not None:
        if budget < 0:
            raise Refusal(say("A budget cannot be negative. Nothing was changed."), status=400)
        check_models(run.language_models.all(), budget=budget)
    before = run.budget
    Run.objects.filter(pk=run.pk).update(budget=budget)
    run.refresh_from_db()
    Event.record(
        JudgingAction.SET_BUDGET, run, actor=actor, before={"budget": text(before)}, after={"budget": text(budget)}
    )
    return run


def text(amount: Decimal | None) -> str:
    return "" if amount is None else f"{amount:f}"


def cancel_run(*, run: Run, actor: Actor = None) -> Run:
    """Give up the pending calls. Existing results are kept, and calls in flight are landed.

    From the first step on no call is sent; the remaining calls are marked afterwards, in pieces, if necessary by the
    sweep (`finish_runs`).
    """
    end_run(run=run, actor=actor)
    cancel_pending(run.calls.all())
    return run


@transaction.atomic
def end_run(*, run: Run, actor: Actor = None) -> None:
    """The first step of cancelling."""
    among = [RunState.PLANNED, RunState.STARTING, RunState.RUNNING, RunState.PAUSED, RunState.STOPPED]
    ended = {"finished_at": timezone.now(), "starting_until": None}
    if change_state(run, RunState.CANCELLED, among=among, action=JudgingAction.CANCELLED, actor=actor, **ended):
        announce_end(run)


def cancel_pending(calls: QuerySet[Call]) -> int:
    pending = calls.filter(state=CallState.PENDING)

    def cancel(piece: list[int]) -> None:
        pending.filter(pk__in=piece).update(state=CallState.CANCELLED, ended_at=timezone.now())

    return in_pieces(list(pending.values_list("pk", flat=True)), cancel)


# --- What follows from the calls ----------------------------------------------------------------------------------


def finish_runs() -> None:
    """Finish completed runs, reopen those that turn out to be incomplete, and cancel calls returned to cancelled
    runs.
    """
    open_calls = Call.objects.filter(run=OuterRef("pk"), state__in=CallState.open())
    pending = Call.objects.filter(run=OuterRef("pk"), state=CallState.PENDING)
    # Suggestions are requested one by one, so their run never ends.
    for run in Run.objects.filter(~Exists(open_calls), state=RunState.RUNNING).exclude(kind=RunKind.SUGGESTION):
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
            Event.record(JudgingAction.FINISHED, run, before={"state": "running"}, after={"state": "finished"})
            run.refresh_from_db()
            announce_end(run)
