"""Repeats calls of a run: failed, without a readable verdict, or in doubt. Or gives these up."""

from collections.abc import Collection

from django.db.models import QuerySet
from django.utils import timezone

from core.engine.writing.pieces import in_pieces
from core.languages import say
from core.models import Event
from core.refusals import Refusal

from ..catalogue.purposes import purpose_of_run
from ..models import Call, CallState, JudgingAction, Run, RunState
from .calls.failures import NOTHING_SAID, given_up_group
from .runs import Actor
from .visibility import known_calls, refuse_outcomes


def reopen(run: Run, calls: QuerySet[Call], *, action: JudgingAction, actor: Actor, message: str = "") -> int:
    """Reopen these calls, and with them the run; returns their number.

    In pieces: if the process dies meanwhile, some are reopened and the others are unchanged. The first piece makes
    the run continue and logs the number of calls to be repeated.
    """
    again = 0

    def write(piece: list[int]) -> None:
        nonlocal again
        # The row is locked, so that nobody cancels the run in between.
        locked = Run.objects.select_for_update().get(pk=run.pk)
        refuse_cancelled(locked)
        before = locked.state
        changed = calls.filter(pk__in=piece).update(
            state=CallState.PENDING,
            failures=0,
            **NOTHING_SAID,
            ended_at=None,
            not_before=timezone.now(),
        )
        if changed:
            Run.objects.filter(pk=run.pk, state=RunState.FINISHED).update(state=RunState.RUNNING, finished_at=None)
            run.refresh_from_db()
        if changed and not again:
            after = {"state": run.state, "calls": len(numbers)}
            Event.record(action, run, actor=actor, before={"state": before}, after=after, message=message)
        again += changed

    run.refresh_from_db()
    refuse_cancelled(run)
    numbers = list(calls.values_list("pk", flat=True))
    in_pieces(numbers, write)
    return again


def refuse_cancelled(run: Run) -> None:
    """Raises Refusal if the run was cancelled: none of its calls is repeated."""
    if run.state == RunState.CANCELLED:
        raise Refusal(say("The run was cancelled. Plan a new one for the missing calls."))


def retry_failed(*, run: Run, actor: Actor = None, group: str = "") -> int:
    """Repeat failed calls, or one group of them (`Call.failure_group`); returns their number."""
    refuse_outcomes(run, actor)
    failed = failed_calls(run, actor, group)
    return reopen(
        run, failed, action=JudgingAction.RETRIED_FAILED, actor=actor, message=group_in_words(failed, group)
    )


def failed_calls(run: Run, actor: Actor, group: str = "") -> QuerySet[Call]:
    return in_group(known_calls(run, actor).filter(state=CallState.FAILED), group)


def in_group(calls: QuerySet[Call], group: str) -> QuerySet[Call]:
    """The calls in one group of failures; all of them if `group` is ""."""
    return calls.filter(failure_group=group) if group else calls


def group_in_words(calls: QuerySet[Call], group: str) -> str:
    """Model and message of a group, for the activity log; "" for all groups."""
    call = calls.select_related("model").first() if group else None
    return f"{call.model}: {call.error}"[:500] if call else ""


def retry_unreadable(*, run: Run, actor: Actor = None) -> int:
    """Repeat calls with an unreadable reply, such as a judge's without a verdict; returns their number. They are paid
    again.
    """
    refuse_outcomes(run, actor)
    return reopen(run, unreadable_calls(run), action=JudgingAction.RETRIED_UNREADABLE, actor=actor)


def unreadable_calls(run: Run) -> QuerySet[Call]:
    """The answered calls of a run with unreadable replies."""
    purpose = purpose_of_run(run)
    return purpose.unreadable(run) if purpose else run.calls.none()


def repeat_in_doubt(*, run: Run, actor: Actor, calls: Collection[int] | None = None, group: str = "") -> int:
    """Repeat calls in doubt (all, one group, or some), accepting that they may be paid twice; returns their
    number.
    """
    refuse_outcomes(run, actor)
    doubtful = in_doubt(run, actor, calls, group)
    message = group_in_words(doubtful, group)
    return reopen(run, doubtful, action=JudgingAction.REPEATED_IN_DOUBT, actor=actor, message=message)


def give_up_in_doubt(*, run: Run, actor: Actor, calls: Collection[int] | None = None, group: str = "") -> int:
    """Give up calls in doubt: they count as failed, and as possibly paid. Returns their number."""
    refuse_outcomes(run, actor)
    doubtful, given_up = in_doubt(run, actor, calls, group), 0
    numbers = list(doubtful.values_list("pk", flat=True))

    def write(piece: list[int]) -> None:
        nonlocal given_up
        Run.objects.select_for_update().get(pk=run.pk)  # as where replies land: the run before its calls
        if not given_up:
            Event.record(JudgingAction.GAVE_UP_IN_DOUBT, run, actor=actor, after={"calls": len(numbers)})
        rows = doubtful.filter(pk__in=piece)
        for name in set(rows.values_list("failure_group", flat=True)):
            given_up += rows.filter(failure_group=name).update(
                state=CallState.FAILED,
                reason="given up in doubt",
                failure_group=given_up_group(name),
                ended_at=timezone.now(),
            )

    in_pieces(numbers, write)
    return given_up


def in_doubt(run: Run, actor: Actor, calls: Collection[int] | None = None, group: str = "") -> QuerySet[Call]:
    doubtful = known_calls(run, actor).filter(
        state=CallState.IN_DOUBT, **({} if calls is None else {"pk__in": calls})
    )
    return in_group(doubtful, group)
