"""Advances all batches with pending work. Safe at any time, in any number of processes: each batch is held by one
worker at a time, and its row gives the next step.
"""

import logging
import threading
from collections.abc import Callable
from datetime import timedelta

from django.db import InterfaceError, OperationalError
from django.utils import timezone

from core.backoff import backoff
from core.keeping.sending import may_call, may_send
from core.writing.leases import LeaseLost

from ..endpoints.failures import CallFailed, InDoubt, RateLimited
from ..models import BatchState, Call, CallBatch, CallState, ModelKind, RunState
from ..runs.calls.calls import TakenElsewhere
from ..runs.pump import pump_calls, stopping
from .gathering import begin_batches
from .holds import BatchHold, claim
from .sending import LOST_AFTER, end_all, go_on

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0
LOOK_AGAIN = 1.0

# One thread per process: a second would only wait for the same rows.
advancing = threading.Lock()


def advance_batches() -> bool:
    """Begin, send, poll and land due batches; returns False if this process is doing so already, or nothing may be
    sent. While calls are stopped, none is begun.
    """
    if not may_send() or not advancing.acquire(blocking=False):
        return False
    try:
        if may_call():
            for begun in begin_batches():
                advance(begun)
        now = timezone.now()
        due = CallBatch.objects.filter(not_before__lte=now).exclude(state=BatchState.ENDED)
        for number in list(due.order_by("not_before").values_list("pk", flat=True)):
            if stopping.is_set():
                break
            if hold := claim(number):
                advance(hold)
    finally:
        advancing.release()
    return True


def advance(hold: BatchHold) -> None:
    """Advance one batch as far as possible; errors are stored in its row."""
    try:
        wait = go_on(hold)
        hold.let_go(not_before=timezone.now() + timedelta(seconds=wait), failures=0)
    except LeaseLost:
        return
    except TakenElsewhere:
        hold.let_go(not_before=timezone.now())
    except CallFailed as failure:
        try_later(hold, failure)
    except OSError as error:
        log.exception("%s cannot continue", hold.batch)
        try_later(hold, InDoubt(f"It could not be written to disk: {error}", reason="disk"))


def try_later(hold: BatchHold, failure: CallFailed) -> None:
    """Store why the batch cannot continue, and when to try again. A batch that its provider no longer knows is given
    up after some days: its calls are then in doubt.
    """
    batch = hold.batch
    if failure.status == 404 and batch.sent_at and timezone.now() - batch.sent_at > LOST_AFTER:
        said = f"The provider no longer knows the batch or its results: {failure.message}"
        end_all(hold, InDoubt(said, reason="unknown batch"), said)
        return
    failures = min(batch.failures + 1, 100)
    retry_after = failure.retry_after if isinstance(failure, RateLimited) else None
    wait = backoff(failures, retry_after=retry_after, base=FIRST_PAUSE, cap=LONGEST_PAUSE)
    not_before = timezone.now() + timedelta(seconds=wait)
    hold.let_go(not_before=not_before, failures=failures, message=failure.message)


def is_anything_left() -> bool:
    """Return whether running runs have unfinished batches, or calls for one."""
    in_batches = {"run__state": RunState.RUNNING, "run__in_batches": True}
    calls = Call.objects.filter(state=CallState.PENDING, model__kind=ModelKind.ENDPOINT, **in_batches)
    return calls.exists() or CallBatch.objects.filter(**in_batches).exclude(state=BatchState.ENDED).exists()


def make_all_calls(watch: Callable[[], object] = lambda: None) -> None:
    """Make all remaining calls of running runs in this process, including batches, and wait for the last of these."""
    while True:
        try:
            pump_calls(watch)
            advance_batches()
            watch()
            if not is_anything_left():
                pump_calls(watch)  # finishes the runs
                return
        except (OperationalError, InterfaceError) as error:
            log.warning("The database does not answer: %s", error)
        if stopping.wait(LOOK_AGAIN):
            return
