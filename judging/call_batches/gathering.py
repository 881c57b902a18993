"""Puts batches together: takes a run's pending calls to a model, up to the provider's limits and the run's budget.

The calls are taken in pieces, each as `judging.runs.calls.calls` takes calls: one transaction moves them from pending
to sent, writes their attempts with the requests, and reserves the money. The file is written from the attempts, so a
worker's death leaves nothing half done: another one continues with the batch as it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from core.engine.writing.pieces import in_pieces

from ..catalogue.messages import make_request
from ..endpoints.requests import MEGABYTE, call_line
from ..models import BatchState, Call, CallBatch, CallState, LanguageModel, ModelKind, Run, RunState
from ..runs.calls import journal
from ..runs.calls.calls import (
    Purse,
    TakenCall,
    fail_unsent,
    lease_end,
    read_in_order,
    stop_at_budget,
    worker_name,
    write_attempts,
)
from .holds import BatchHold

# Wait for calls that may go out this soon, so that they go out together again.
SOON = timedelta(minutes=5)
MOST_IN_A_PIECE = 500


def begin_batches() -> Iterator[BatchHold]:
    """Begin batches for each run and model with calls to be sent in one, until none is left. The caller fills each
    before requesting the next.
    """
    for run in Run.objects.filter(state=RunState.RUNNING, in_batches=True):
        for model in run.language_models.filter(kind=ModelKind.ENDPOINT):
            while is_time(run, model) and (hold := begin(run, model)):
                yield hold
                if not hold.batch.calls:  # the budget does not go further, or another process is in the way
                    break


def waiting(run: Run, model: LanguageModel) -> QuerySet[Call]:
    return Call.objects.filter(run=run, model=model, state=CallState.PENDING)


def is_time(run: Run, model: LanguageModel) -> bool:
    now, calls = timezone.now(), waiting(run, model)
    is_ready = calls.filter(not_before__lte=now).exists()
    return is_ready and not calls.filter(not_before__gt=now, not_before__lte=now + SOON).exists()


def begin(run: Run, model: LanguageModel) -> BatchHold | None:
    try:
        with transaction.atomic():
            batch = CallBatch.objects.create(run=run, model=model, lease_expires_at=lease_end(timezone.now()))
    except IntegrityError:  # another worker is putting one together
        return None
    return BatchHold(batch)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call with its request and the length of its line; without a request, `error` gives the reason."""

    call: Call
    taken: TakenCall | None = None
    length: int = 0
    error: str = ""


class Gathering:
    """Fills a batch with calls, in the order of the run."""

    def __init__(self, hold: BatchHold):
        self.hold, self.batch = hold, hold.batch
        self.is_full = False

    def fill(self) -> None:
        """Take calls until nothing more fits, then close the batch; one without calls is dropped. Raises LeaseLost or
        TakenElsewhere, after which the caller tries again.
        """
        in_pieces(self.prepared(), self.write, most=MOST_IN_A_PIECE)
        self.batch.refresh_from_db(fields=["calls", "bytes"])
        if self.batch.calls:
            self.hold.save(state=BatchState.CLOSED)
        else:
            self.hold.delete()

    def prepared(self) -> Iterator[Prepared]:
        model = self.batch.model
        calls, size = self.batch.calls, self.batch.bytes
        for call in self.in_order():
            call.model, call.run = model, self.batch.run
            try:
                request = make_request(call, in_batch=True)
            except ValueError as error:
                yield Prepared(call, error=str(error))
                continue
            length = len(call_line(str(call.key), request.body))
            calls, size = calls + 1, size + length
            # A line that is larger than the limit goes out alone.
            if calls > model.batch_calls or (size > model.batch_megabytes * MEGABYTE and calls > 1):
                return
            yield Prepared(call, TakenCall(call, call.attempts_made + 1, request), length)

    def in_order(self) -> Iterator[Call]:
        calls = waiting(self.batch.run, self.batch.model).filter(not_before__lte=timezone.now())
        for some in read_in_order(calls):
            yield from some
            if self.is_full:
                return

    def write(self, piece: list[Prepared]) -> None:
        """Take these calls, as far as the budget allows."""
        if self.is_full:
            return
        self.hold.renew_when_due()
        purse, now, fitting = Purse([each.call for each in piece]), timezone.now(), []
        if purse.runs[self.batch.run_id].state != RunState.RUNNING:
            self.is_full = True
            return
        for each in piece:
            if each.taken is None:
                fail_unsent(each.call, each.error, now=now)
            elif purse.has(each.call.run_id, each.taken.request.possible_cost):
                purse.take(each.call.run_id, each.taken.request.possible_cost)
                fitting.append((each.taken, each.length))
            else:
                self.is_full = True
        if fitting:
            purse.commit()
            taken = [one for one, _ in fitting]
            write_attempts(taken, worker=worker_name(), now=now, call_batch=self.batch)
            transaction.on_commit(partial(journal.note_sent, taken, batch=self.batch))
            added = {"calls": F("calls") + len(fitting), "bytes": F("bytes") + sum(length for _, length in fitting)}
            CallBatch.objects.filter(pk=self.batch.pk).update(**added)
        for run in purse.exhausted:
            stop_at_budget(run)
