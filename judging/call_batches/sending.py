"""Takes a batch from closed to its end: uploads it, polls the provider, and lands the results.

The order of writes makes a worker's death harmless. The calls are sent, in the database, before the file goes up. A
file that is uploaded twice costs nothing. Before the provider is asked to create the batch, `asked_at` is committed;
a batch with `asked_at` whose creation has not been confirmed is looked up at the provider, by the key in its metadata
and by its file, before another is created. From then on it can be polled by its id as often as needed.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from core.writing.leases import LeaseLost

from ..endpoints import batches
from ..endpoints.batches import ProviderBatch
from ..endpoints.failures import CallFailed, InDoubt, NotDone, NotSent, RateLimited, Rejected
from ..endpoints.requests import call_line
from ..models import AttemptOutcome, BatchState, RunState
from ..runs.calls import journal
from .gathering import Gathering
from .holds import BatchHold
from .results import CANCELLED, ResultLanding, batch_file, land_results

ROWS_AT_A_TIME = 200
# A batch that its provider has not known for this long after it was sent will not come back.
LOST_AFTER = timedelta(days=2)
# Statuses of an endpoint that cannot list batches.
CANNOT_LIST = {404, 405, 501}
LONGEST_POLL = 300.0
PAUSED_SECONDS = 10.0


def go_on(hold: BatchHold) -> float:
    """Advance the batch as far as possible now. Returns the seconds until the next step, 0 if there is nothing more
    to do. Raises CallFailed if the provider failed, LeaseLost, TakenElsewhere, OSError.
    """
    batch = hold.batch
    if batch.state == BatchState.GATHERING:
        Gathering(hold).fill()
        if batch.pk is None or not batch.calls:
            return 0.0
    if batch.state in (BatchState.CLOSED, BatchState.CREATING) and batch.asked_at is None:
        batch.run.refresh_from_db(fields=["state"])
        if batch.run.state == RunState.CANCELLED:
            return end_all(hold, NotDone("The run was cancelled.", reason=CANCELLED), "The run was cancelled.")
        if batch.run.state == RunState.PAUSED:
            return PAUSED_SECONDS
    try:
        if batch.state == BatchState.CLOSED:
            upload(hold)
        if batch.state == BatchState.CREATING and not create(hold):
            return poll_seconds(None)
    except Rejected as refused:
        if batch.state == BatchState.UNDER_WAY:
            raise
        return end_all(hold, refused, refused.message)
    return look(hold)


def upload(hold: BatchHold) -> None:
    batch = hold.batch
    path = batch_file(batch, "input")
    with open(path, "wb") as file:
        for line in call_lines(hold):
            file.write(line)
    endpoint = batch.model.endpoint
    file_id = batches.upload(endpoint, path, name=f"{batch.key}.jsonl", watch=hold.renew_when_due)
    hold.save(state=BatchState.CREATING, file_id=file_id)
    path.unlink(missing_ok=True)


def call_lines(hold: BatchHold) -> Iterator[bytes]:
    sent = hold.batch.attempts.filter(outcome=AttemptOutcome.SENT).order_by("call_id")
    last = 0
    while some := list(sent.filter(call_id__gt=last).values_list("call_id", "call__key", "request")[:ROWS_AT_A_TIME]):
        hold.renew_when_due()
        yield from (call_line(str(key), request) for _, key, request in some)
        last = some[-1][0]


def create(hold: BatchHold) -> bool:
    """Have the provider create the batch, or find that it has. Returns whether it is known to exist now. Raises
    Rejected if it certainly does not exist and will not.
    """
    batch = hold.batch
    if batch.asked_at is not None:
        # Before that, the request may still be in progress.
        is_certain = timezone.now() > batch.asked_at + timedelta(seconds=settings.BATCH_GRACE_SECONDS)
        found = look_up(hold)
        if found is None:
            if is_certain:
                hold.save(asked_at=None)
            return False
        adopt(hold, found)
        return True
    hold.renew()
    hold.save(asked_at=timezone.now())
    journal.note_batch(batch)
    try:
        made = batches.create(batch.model.endpoint, batch.file_id, key=str(batch.key))
    except (NotSent, RateLimited, Rejected):
        hold.save(asked_at=None)
        raise
    adopt(hold, made)
    return True


def look_up(hold: BatchHold) -> ProviderBatch | None:
    """The batch at the provider; None if there is certainly none. Raises InDoubt, once its calls are in doubt, if the
    provider cannot be asked.
    """
    batch = hold.batch
    try:
        return batches.find(batch.model.endpoint, key=str(batch.key), file_id=batch.file_id)
    except Rejected as refused:
        if refused.status in CANNOT_LIST or refused.reason == "no list":
            said = f"It is not known whether the provider created the batch, because it lists none: {refused.message}"
            end_all(hold, InDoubt(said, reason="unknown batch"), said)
            raise LeaseLost from None
        raise InDoubt(refused.message, reason=refused.reason, status=refused.status) from None


def adopt(hold: BatchHold, found: ProviderBatch) -> None:
    hold.save(
        state=BatchState.UNDER_WAY,
        provider_id=found.id,
        provider_status=found.status,
        sent_at=timezone.now(),
        message="",
        failures=0,
    )


def look(hold: BatchHold) -> float:
    """Poll the batch; land it if it is finished, have it cancelled if its run is."""
    batch, endpoint = hold.batch, hold.batch.model.endpoint
    seen = batches.look_at(endpoint, batch.provider_id)
    batch.run.refresh_from_db(fields=["state"])
    if batch.run.state == RunState.CANCELLED and batch.cancelled_at is None and not seen.is_over:
        try:
            seen = batches.cancel(endpoint, batch.provider_id)
        except Rejected:
            seen = batches.look_at(endpoint, batch.provider_id)  # it may have ended in between
        hold.save(cancelled_at=timezone.now())
    hold.save(provider_status=seen.status)
    if not seen.is_over:
        return poll_seconds(batch.sent_at)
    end(hold, land_results(hold, seen))
    return 0.0


def poll_seconds(sent_at: datetime | None) -> float:
    """Seconds until the next poll: longer for a batch that has taken long already."""
    age = (timezone.now() - sent_at).total_seconds() if sent_at else 0.0
    return max(settings.BATCH_POLL_SECONDS, min(age / 20, LONGEST_POLL))


def end_all(hold: BatchHold, failure: CallFailed, message: str) -> float:
    """Land all calls of the batch that have no outcome with this one, and end the batch."""
    ResultLanding(hold).land_rest(failure)
    batch_file(hold.batch, "input").unlink(missing_ok=True)
    end(hold, message)
    return 0.0


def end(hold: BatchHold, message: str) -> None:
    if not hold.let_go(state=BatchState.ENDED, ended_at=timezone.now(), message=message):
        raise LeaseLost
