"""Writes the outcome of a call into the database: the only way for new replies, replies found on disk, refusals, and
calls with an unknown outcome.

Landing a result twice changes nothing. A reply always lands, however late and even if the call was sent again since;
the first one answers it. Any other result counts only if it is about the call's last attempt.
"""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from django.db.models import F
from django.utils import timezone

from core.backoff import backoff
from core.engine.queries.conditions import is_one_of
from core.engine.queries.parameters import Numbers
from core.engine.writing.pieces import in_pieces
from core.engine.writing.updates import update_each

from ...catalogue.purposes import purpose_of
from ...endpoints.failures import CallFailed, InDoubt, RateLimited, Rejected
from ...endpoints.replies import ChatReply, read_reply
from ...models import Attempt, AttemptOutcome, Call, CallState, ModelKind, Run
from . import journal, spool, throttle
from .calls import lease_end, overdue_calls
from .failures import NOTHING_SAID, failure_group, general_message
from .outputs import store_outputs
from .width import Ended

log = logging.getLogger(__name__)

MOST_FAILURES = 10
# Failures that the next call will meet as well, until an admin changes something.
HOPELESS = {"endpoint", "key", "model", "quota", "redirect", "web page"}
# Outcomes that say nothing about the endpoint.
OUR_OWN = {"process ended", "not stored"}
HOPELESS_IN_A_ROW = 5
# The message of an attempt that is repeated because an admin declared its outcome as not billed.
BY_DECLARATION = "Not billed, according to the model's settings."
# The fields of an attempt that are written when it ends.
ENDED = ("outcome", "ended_at", "reason", "message", "status", "raw", "tokens", "cost")


@dataclass(frozen=True)
class Result:
    """The outcome of an attempt at a call: a reply, or one of the failures of `judging.endpoints.replies`."""

    key: str
    attempt: int
    reply: ChatReply | None = None
    failure: CallFailed | None = None
    model_id: int | None = None
    sent_at: datetime | None = None
    # Reported by the clock, not by the process that made the call: void if that one has reported in the meantime.
    lease_ran_out: bool = False
    # It is on disk, or costs nothing to produce again.
    can_wait: bool = False
    # It was sent to test whether the endpoint can be reached again.
    was_probe: bool = False


def clear_spool(results: list[Result]) -> None:
    for result in results:
        journal.keep_landed(result.key, result.attempt)


def land(results: list[Result], *, clear: Callable[[list[Result]], object] = clear_spool) -> None:
    """Write results into the database, then `clear` the disk of them.

    A result that the database rejects, for any reason, must not hold up the others: its call is in doubt, and its
    reply stays on disk. Raises OperationalError or InterfaceError where the database does not answer.
    """
    if not results:
        return
    try:
        hopeless = land_together(results)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        if len(results) > 1:
            for result in results:
                land([result])
            return
        log.exception("The reply to call %s cannot be stored", results[0].key)
        if results[0].reply is None and not isinstance(error, DatabaseError):
            raise
        set_aside(results[0], error)
        return
    clear(results)
    for trouble in hopeless:
        fail_the_rest(*trouble)


def set_aside(result: Result, error: Exception) -> None:
    message = f"The reply came, but could not be stored: {error}. It is kept below {spool.folder() / 'unknown'}."
    land_together([Result(result.key, result.attempt, failure=InDoubt(message[:2000], reason="not stored"))])
    set_apart(result)


def set_apart(result: Result) -> None:
    path = spool.reply_path(result.key, result.attempt)
    if path.exists():
        spool.set_apart(path)


@dataclass
class Landing:
    """The changes of one transaction."""

    now: datetime
    ended: list[Attempt] = field(default_factory=list)
    done: list[Call] = field(default_factory=list)
    outputs: list[tuple[Call, Attempt, ChatReply]] = field(default_factory=list)
    money: dict[int, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    troubles: list[tuple[Call, CallFailed]] = field(default_factory=list)
    # Calls that cost nothing this time, with the number of the attempt.
    unpaid: list[tuple[Call, int]] = field(default_factory=list)

    def close_attempt(self, call: Call, attempt: Attempt, outcome: AttemptOutcome, **values) -> None:
        """Write the outcome of an attempt, and free the unspent part of its reserved money."""
        if outcome == AttemptOutcome.ANSWERED:
            cost = values.get("cost")
            self.money[call.run_id] += (attempt.possible_cost if cost is None else cost) - attempt.possible_cost
        elif outcome != AttemptOutcome.IN_DOUBT:
            self.money[call.run_id] -= attempt.possible_cost
            values["cost"] = Decimal(0)
            self.unpaid.append((call, attempt.number))
        attempt.outcome, attempt.ended_at = outcome, self.now
        for name, value in values.items():
            setattr(attempt, name, value)
        self.ended.append(attempt)

    def move(self, call: Call, state: CallState, **values) -> None:
        values.setdefault("ended_at", None if state in CallState.open() else self.now)
        call.state = state
        Call.objects.filter(pk=call.pk).update(state=state, lease_expires_at=None, call_batch=None, **values)


@transaction.atomic
def land_together(results: list[Result]) -> list[tuple[Call, CallFailed]]:
    """Write results in one transaction; returns the calls, with their failures, whose model must no longer be
    asked.
    """
    landing = Landing(timezone.now())
    by_model = defaultdict(list)
    for result in results:
        if result.model_id is not None:
            by_model[result.model_id].append(result)
    for model_id, some in sorted(by_model.items()):
        throttle.note_outcomes(
            model_id,
            [Ended(result.reply, result.failure, result.sent_at) for result in some],
            was_probe=any(result.was_probe for result in some),
            now=landing.now,
        )
    calls = lock_calls({result.key for result in results})
    found = Attempt.objects.filter(is_one_of("call", Numbers(call.pk for call in calls.values()))).defer("request")
    attempts = {(attempt.call_id, attempt.number): attempt for attempt in found}
    for result in results:
        call = calls.get(result.key)
        attempt = call and attempts.get((call.pk, result.attempt))
        if call and attempt:
            land_one(landing, call, attempt, result)
        elif result.reply:
            # From another database, or from one that was restored from an older copy.
            log.warning("A reply to call %s belongs to no call here", result.key)
            set_apart(result)
    if landing.done:
        Call.objects.filter(is_one_of("pk", Numbers(call.pk for call in landing.done))).update(
            state=CallState.DONE,
            lease_expires_at=None,
            call_batch=None,
            ended_at=landing.now,
            failures=0,
            **NOTHING_SAID,
        )
    update_each(Attempt, ENDED, landing.ended)
    store_outputs(landing.outputs, now=landing.now)
    if unpaid := [(str(call.key), number) for call, number in landing.unpaid]:
        transaction.on_commit(partial(journal.note_unpaid, unpaid))
    for run_id in sorted(pk for pk, amount in landing.money.items() if amount):
        Run.objects.filter(pk=run_id).update(committed=F("committed") + landing.money[run_id])
    return hopeless_ones(landing)


def lock_calls(keys: set[str]) -> dict[str, Call]:
    """The calls, after their runs: taking, reopening and giving up calls lock in this order too, and changing a
    call locks the sums that the database keeps of its run."""
    runs = Call.objects.filter(key__in=keys).order_by().values("run")
    list(Run.objects.select_for_update().filter(pk__in=runs).order_by("pk").values_list("pk"))
    rows = Call.objects.filter(key__in=keys).prefetch_related("model").order_by("pk")
    return {str(call.key): call for call in rows.select_for_update(of=("self",))}


def land_one(landing: Landing, call: Call, attempt: Attempt, result: Result) -> None:
    if attempt.outcome not in (AttemptOutcome.SENT, AttemptOutcome.IN_DOUBT):
        return  # already landed
    if result.lease_ran_out and (call.lease_expires_at is None or call.lease_expires_at > landing.now):
        return
    if result.reply:
        land_reply(landing, call, attempt, result.reply)
        return
    failure = result.failure or InDoubt("The outcome of this call is not known.", reason="unknown")
    values: dict[str, Any] = {"reason": failure.reason[:40], "message": failure.message, "status": failure.status}
    values |= {"raw": failure.raw} if failure.raw else {}
    is_last = call.attempts_made == attempt.number and call.state in (CallState.SENT, CallState.IN_DOUBT)
    is_unpaid = call.model.does_not_bill(failure)
    if is_unpaid and isinstance(failure, InDoubt):
        values["message"] = f"{failure.message} {BY_DECLARATION}".lstrip()
    error = values["message"] or failure.reason
    group = failure_group(call.model_id, values["reason"], error)
    said = {"reason": values["reason"], "error": error, "failure_group": group}
    if is_unpaid:
        landing.close_attempt(call, attempt, AttemptOutcome.UNPAID, **values)
        if is_last:
            try_again_later(landing, call, failure, said)
    elif isinstance(failure, Rejected):
        landing.close_attempt(call, attempt, AttemptOutcome.REJECTED, **values)
        if is_last and failure.reason == "filtered":
            # The provider's filter came before the model. That is the answer to this prompt: a response, marked.
            answer(landing, call, attempt, ChatReply(text="", finish_reason="content_filter"))
        elif is_last:
            landing.move(call, CallState.FAILED, **said)
            landing.troubles.append((call, failure))
    else:
        landing.close_attempt(call, attempt, AttemptOutcome.IN_DOUBT, **values)
        if is_last and call.state == CallState.SENT:
            doubt(landing, call, said, after_lease=result.lease_ran_out)
            if failure.reason not in OUR_OWN:
                landing.troubles.append((call, failure))


def land_reply(landing: Landing, call: Call, attempt: Attempt, reply: ChatReply) -> None:
    cost, tokens = None, attempt.tokens
    if reply.prompt_tokens is not None and reply.completion_tokens is not None:
        tokens = reply.prompt_tokens + reply.completion_tokens
        cost = call.model.cost(
            reply.prompt_tokens,
            reply.completion_tokens,
            cached_tokens=reply.cached_tokens or 0,
            in_batch=attempt.call_batch_id is not None,
        )
    elif not call.model.is_priced:
        cost = Decimal(0)
    landing.close_attempt(
        call,
        attempt,
        AttemptOutcome.ANSWERED,
        raw=reply.raw,
        status=200,
        tokens=tokens,
        cost=cost,
        reason="",
        message="",
    )
    answer(landing, call, attempt, reply)


def answer(landing: Landing, call: Call, attempt: Attempt, reply: ChatReply) -> None:
    if call.state == CallState.DONE:
        return  # an earlier reply came first; this one is kept with its attempt
    call.state = CallState.DONE
    landing.done.append(call)
    landing.outputs.append((call, attempt, reply))


def try_again_later(landing: Landing, call: Call, failure: CallFailed, said: dict[str, str]) -> None:
    failures = call.failures + 1
    if failures >= MOST_FAILURES or purpose_of(call).is_waited_for:
        landing.move(call, CallState.FAILED, failures=failures, **said)
        return
    retry_after = failure.retry_after if isinstance(failure, RateLimited) else None
    wait = backoff(failures, retry_after=retry_after, base=settings.CALL_BACKOFF_SECONDS)
    landing.move(call, CallState.PENDING, failures=failures, not_before=landing.now + timedelta(seconds=wait), **said)


def doubt(landing: Landing, call: Call, said: dict[str, str], *, after_lease: bool) -> None:
    """Handle a last attempt with an unknown outcome. A priced call then waits for a person; your own server may be
    asked once again, after the lease; a baseline can be asked any number of times.
    """
    doubts = call.doubts + 1
    is_harmless = call.model.kind == ModelKind.BASELINE or (not call.model.is_priced and doubts == 1)
    if is_harmless and not purpose_of(call).is_waited_for:
        not_before = landing.now if after_lease else lease_end(landing.now)
        landing.move(call, CallState.PENDING, doubts=doubts, not_before=not_before, **said)
    else:
        landing.move(call, CallState.IN_DOUBT, doubts=doubts, **said)


def hopeless_ones(landing: Landing) -> list[tuple[Call, CallFailed]]:
    """One call, with its failure, for each model in each run that must no longer be asked."""
    troubles = {(call.run_id, call.model_id, failure.reason): (call, failure) for call, failure in landing.troubles}
    return [trouble for trouble in troubles.values() if is_hopeless(*trouble)]


def fail_the_rest(call: Call, failure: CallFailed) -> None:
    """Fail the remaining calls to this call's model in its run without calling it. In pieces, as there may be 100,000
    and others want to write, too; if the process dies in between, the next failure handles the rest."""
    reason = failure.reason[:40]
    left = Call.objects.filter(run=call.run_id, model=call.model_id, state=CallState.PENDING)

    def write(piece: list[int]) -> None:
        left.filter(pk__in=piece).update(
            state=CallState.FAILED,
            reason=reason,
            error=f"{failure.message} No longer called: {HOPELESS_IN_A_ROW} calls in a row ended like this.",
            failure_group=failure_group(call.model_id, reason, failure.message or failure.reason),
            ended_at=timezone.now(),
        )

    in_pieces(list(left.values_list("pk", flat=True)), write)


def is_hopeless(call: Call, failure: CallFailed) -> bool:
    """Return whether the last calls to this model in the run failed in the same way: with a failure that all calls
    share, at any time; with any other, only if the model has not answered anything in this run."""
    ended = Attempt.objects.filter(call__run=call.run_id, model=call.model_id, ended_at__isnull=False)
    is_shared = failure.reason in HOPELESS
    if not is_shared and ended.filter(outcome=AttemptOutcome.ANSWERED).exists():
        return False
    last = list(ended.order_by("-ended_at", "-pk").values_list("reason", "message")[:HOPELESS_IN_A_ROW])
    if len(last) < HOPELESS_IN_A_ROW:
        return False
    if is_shared:
        return {reason for reason, _ in last} == {failure.reason}
    return len({(reason, general_message(message)) for reason, message in last}) == 1


# --- Calls without a waiting process -----------------------------------------------------------------------------


def land_spool(*, older_than: float = 0.0) -> int:
    """Land the replies left on disk by a dead process; returns their number. `older_than` is in seconds."""
    results = [read_result(kept) for kept in spool.kept_replies(older_than=older_than)]
    for start in range(0, len(results), 100):
        land(results[start : start + 100])
    return len(results)


def read_result(kept: spool.SpooledReply) -> Result:
    try:
        return Result(kept.key, kept.attempt, reply=read_reply(kept.raw, seconds=kept.seconds))
    except CallFailed as failure:
        return Result(kept.key, kept.attempt, failure=failure)


def land_overdue() -> int:
    """Stop waiting for calls whose process died; returns their number."""
    said = "The process that made this call ended before its reply came. It may have succeeded and been paid."
    results = [
        Result(str(call.key), call.attempts_made, failure=InDoubt(said, reason="process ended"), lease_ran_out=True)
        for call in overdue_calls(now=timezone.now())
    ]
    land(results)
    return len(results)
