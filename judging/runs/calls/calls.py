"""Takes calls: decides which are sent next, and records them before they are."""

import os
import socket
from collections import defaultdict, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from core.engine.queries.conditions import is_one_of
from core.engine.queries.parameters import Numbers
from core.engine.writing.inserts import Insert, insert
from core.models import Event

from ...catalogue.messages import Request, make_request
from ...catalogue.purposes import load_subjects
from ...models import Attempt, Call, CallBatch, CallState, JudgingAction, LanguageModel, ModelKind, Run, RunState
from . import throttle
from .failures import NOTHING_SAID, failure_group

READ_AHEAD = 200
CALL_PARTS = ("instance", "variant", "judged_response__instance", "judged_response__variant", "model_suggestion")
# Relations with few rows for many calls.
SHARED_PARTS = ("run", "template", "judged_response__template")


class TakenElsewhere(Exception):
    """Raised if another process changed a row between reading and writing. Nothing was changed; try again."""


@dataclass(frozen=True)
class TakenCall:
    """A call that only this process must make now. `attempt` is its fencing token."""

    call: Call
    attempt: int
    request: Request
    is_probe: bool = False
    sent_at: datetime | None = None

    @property
    def model(self) -> LanguageModel:
        return self.call.model

    @property
    def key(self) -> str:
        return str(self.call.key)


def worker_name() -> str:
    """The name of this process in attempts."""
    return f"{socket.gethostname()}:{os.getpid()}"


def lease_end(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.CALL_LEASE_SECONDS)


@dataclass
class ReadAhead:
    """Pending calls of a model with everything needed for their requests, read ahead, as reading is expensive. They
    belong to nobody yet: other workers may have read the same ones."""

    model: LanguageModel
    calls: deque[Call] = field(default_factory=deque)

    def pending(self, most: int, *, now: datetime) -> list[Call]:
        """At most `most` calls that are pending now, for the caller to take in the same transaction."""
        found = self.still_pending(most, now)
        if not found:
            self.read(now)
            found = self.still_pending(most, now)
        return found

    def still_pending(self, most: int, now: datetime) -> list[Call]:
        some = {call.pk: call for call in (self.calls.popleft() for _ in range(min(most, len(self.calls))))}
        if not some:
            return []
        left = []
        pending = pending_calls(self.model.pk, now=now).filter(is_one_of("pk", Numbers(some)))
        for pk, attempts_made in pending.values_list("pk", "attempts_made"):
            some[pk].attempts_made = attempts_made
            left.append(some[pk])
        return left

    def read(self, now: datetime) -> None:
        self.calls = deque(self.whole_calls(now).filter(model_suggestion=None)[:READ_AHEAD])
        self.put_suggestions_first(now)

    def refresh(self, model: LanguageModel, *, now: datetime) -> None:
        """Load changes made in the meantime: the model's limits, and new suggestions."""
        self.model = model
        self.put_suggestions_first(now)

    def put_suggestions_first(self, now: datetime) -> None:
        """Put suggestions first: an annotator is waiting for them; a run can wait."""
        suggestions = self.whole_calls(now).filter(model_suggestion__isnull=False)[:READ_AHEAD]
        self.calls = deque([*suggestions, *(call for call in self.calls if not call.is_for_suggestion)])
        load_subjects(call for call in self.calls if call.subject is None)

    def whole_calls(self, now: datetime) -> QuerySet[Call]:
        return pending_calls(self.model.pk, now=now).select_related(*CALL_PARTS).prefetch_related(*SHARED_PARTS)


def read_in_order(calls: QuerySet[Call]) -> Iterator[list[Call]]:
    """The calls with everything needed for their requests, with only some in memory at a time."""
    last = 0
    while some := list(calls.filter(pk__gt=last).select_related(*CALL_PARTS).order_by("pk")[:READ_AHEAD]):
        load_subjects(some)
        yield some
        last = some[-1].pk


def pending_calls(model: int, *, now: datetime) -> QuerySet[Call]:
    return one_by_one(
        Call.objects.filter(model=model, state=CallState.PENDING, not_before__lte=now, run__state=RunState.RUNNING)
    ).order_by("pk")


def one_by_one(calls: QuerySet[Call]) -> QuerySet[Call]:
    """The calls that are not sent in batches. Baselines have none."""
    return calls.exclude(run__in_batches=True, model__kind=ModelKind.ENDPOINT)


@transaction.atomic
def take_calls(ahead: ReadAhead, *, most: int, arrived: int = 0, worker: str = "") -> list[TakenCall]:
    """Take up to `most` calls, as far as the model's limits and the runs' budgets allow. `arrived` is the number of
    calls for which this process has a reply but has not landed it yet.

    When this returns, they are in the database as sent, each with an attempt. A run whose next call could exceed its
    budget, with nothing in flight that may turn out cheaper, is stopped. Raises TakenElsewhere if another process
    changed a row meanwhile.
    """
    now = timezone.now()
    room = throttle.find_room(ahead.model, most=most, arrived=arrived, now=now)
    calls = ahead.pending(room.calls, now=now) if room.calls > 0 else []
    taken: list[TakenCall] = []
    purse = Purse(calls)
    for call in calls:
        call.model = ahead.model
        try:
            request = make_request(call)
        except ValueError as error:
            fail_unsent(call, str(error), now=now)
            continue
        if purse.has(call.run_id, request.possible_cost) and room.take(request.tokens):
            purse.take(call.run_id, request.possible_cost)
            taken.append(TakenCall(call, call.attempts_made + 1, request, is_probe=room.is_probe, sent_at=now))
        else:
            ahead.calls.clear()  # to keep their order, they are read again next time
    if taken:
        purse.commit()
        write_attempts(taken, worker=worker, now=now)
    for run in purse.exhausted:
        stop_at_budget(run)
    return taken


class Purse:
    """The money that the runs' budgets allow in one round of taking calls. Their rows are locked until the round is
    over, as another worker may be taking calls from the same run for another model.
    """

    def __init__(self, calls: Collection[Call]) -> None:
        locked = Run.objects.select_for_update().filter(pk__in={call.run_id for call in calls}).order_by("pk")
        self.runs = {run.pk: run for run in locked} if calls else {}
        self.taken: dict[int, Decimal] = defaultdict(Decimal)
        self.refused: set[int] = set()

    def has(self, pk: int, amount: Decimal) -> bool:
        """Return whether the run's budget also covers `amount`. Once refused, a run waits: its calls keep their
        order.
        """
        run = self.runs[pk]
        if run.budget is not None and run.committed + self.taken.get(pk, 0) + amount > run.budget:
            self.refused.add(pk)
        return pk not in self.refused

    def take(self, pk: int, amount: Decimal) -> None:
        self.taken[pk] += amount

    def commit(self) -> None:
        """Reserve the money."""
        for pk, amount in self.taken.items():
            if amount:
                Run.objects.filter(pk=pk).update(committed=self.runs[pk].committed + amount)

    @property
    def exhausted(self) -> list[Run]:
        """Runs that got no calls and have none in flight."""
        if not self.refused:
            return []
        waiting = Call.objects.filter(run__in=self.refused, state=CallState.SENT).values_list("run", flat=True)
        return [self.runs[pk] for pk in self.refused.difference(waiting, self.taken)]


def stop_at_budget(run: Run) -> None:
    if Run.objects.filter(pk=run.pk, state=RunState.RUNNING).update(state=RunState.STOPPED):
        Event.record(JudgingAction.STOPPED, run, before={"state": "running"}, after={"state": "stopped"})


def write_attempts(
    taken: list[TakenCall], *, worker: str, now: datetime, call_batch: CallBatch | None = None
) -> None:
    """Record that these calls are sent: by this worker, which then has to renew their leases, or in a batch."""
    calls = Call.objects.filter(is_one_of("pk", Numbers(each.call.pk for each in taken)), state=CallState.PENDING)
    written = calls.update(
        state=CallState.SENT,
        attempts_made=F("attempts_made") + 1,
        lease_expires_at=None if call_batch else lease_end(now),
        call_batch=call_batch,
        **NOTHING_SAID,
    )
    if written != len(taken):
        raise TakenElsewhere
    insert(
        Insert.of(
            Attempt,
            call_id=each.call.pk,
            number=each.attempt,
            model_id=each.model.pk,
            request=each.request.body,
            request_digest=each.request.digest,
            call_batch_id=call_batch.pk if call_batch else None,
            worker=worker,
            tokens=each.request.tokens,
            possible_cost=each.request.possible_cost,
            sent_at=now,
        )
        for each in taken
    )


def fail_unsent(call: Call, error: str, *, now: datetime) -> None:
    """Fail a call whose request cannot be built, without an attempt."""
    Call.objects.filter(pk=call.pk, state=CallState.PENDING).update(
        state=CallState.FAILED,
        reason="request",
        error=error,
        failure_group=failure_group(call.model_id, "request", error),
        ended_at=now,
    )


def renew_leases(taken: list[TakenCall]) -> None:
    """Extend the leases of these calls, as this process is still waiting for them."""
    keys = [each.call.pk for each in taken]
    Call.objects.filter(pk__in=keys, state=CallState.SENT).update(lease_expires_at=lease_end(timezone.now()))


def overdue_calls(*, now: datetime) -> list[Call]:
    """Calls whose process has been silent for a whole lease, some at a time."""
    return list(Call.objects.filter(state=CallState.SENT, lease_expires_at__lt=now).order_by("pk")[:200])
