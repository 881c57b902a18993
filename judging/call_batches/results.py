"""Gets the results of a batch and lands them, through the same function as every other reply.

The files are on disk before anything in them is read, and stay there until all of it is in the database. Landing a
line twice changes nothing, so a worker that takes over begins at the first line. A line that is not a result of this
batch (of another call, a second one for a call, garbage) is counted but not stored; its file is then kept.
"""

import uuid
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from django.db.models import Count

from ..endpoints import batches
from ..endpoints.batches import ProviderBatch, ResultLine
from ..endpoints.failures import CallFailed, InDoubt, NotDone, Rejected, says_no_money
from ..models import Attempt, AttemptOutcome, CallBatch, RunState
from ..runs.calls import spool
from ..runs.calls.landing import Result, land
from .holds import BatchHold

AT_A_TIME = 100
CANCELLED = "batch cancelled"


def batch_file(batch: CallBatch, name: str) -> Path:
    folder = spool.folder() / "batches"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{batch.key}.{name}.jsonl"


def land_results(hold: BatchHold, seen: ProviderBatch) -> str:
    """Land the provider's results of a finished batch. Returns how it ended, in a sentence; "" if there is nothing to
    report. Raises CallFailed if a file cannot be fetched, LeaseLost, or OSError.
    """
    landing = ResultLanding(hold)
    files = [("output", seen.output_file_id), ("errors", seen.error_file_id)]
    paths = [fetched(hold, name, file_id) for name, file_id in files if file_id]
    for path in paths:
        landing.land_file(path)
    landing.land_rest(without_result(hold.batch, seen))
    hold.save(**{f"{what}_lines": landing.strange[what] for what in ("foreign", "doubled", "unreadable")})
    for path in paths:
        if landing.strange.total() or not_stored(hold.batch):
            spool.set_apart(path)
        else:
            path.unlink(missing_ok=True)
    return how_it_ended(hold.batch, seen)


def fetched(hold: BatchHold, name: str, file_id: str) -> Path:
    path = batch_file(hold.batch, name)
    if not path.exists():
        batches.download(hold.batch.model.endpoint, file_id, path, watch=hold.renew_when_due)
    return path


def not_stored(batch: CallBatch) -> bool:
    return batch.attempts.filter(reason="not stored").exists()


def without_result(batch: CallBatch, seen: ProviderBatch) -> CallFailed:
    """The outcome of a call that the results do not mention."""
    if seen.status == "expired":
        return NotDone("The batch ran out of time before this call was made.", reason="expired")
    if seen.status == "cancelled":
        return cancelled(batch)
    if seen.status == "failed":
        said = f"The provider did not accept the batch: {seen.message or 'no reason given'}"
        if seen.code in batches.TRY_LATER:
            return NotDone(said, reason="batch limit")
        if says_no_money({"code": seen.code}, seen.message):
            return Rejected(said, reason="quota")
        return Rejected(said, reason="model" if seen.code == "model_not_found" else "request")
    return InDoubt("The batch is complete, and has no result for this call.", reason="no result")


def cancelled(batch: CallBatch) -> CallFailed:
    """The outcome of a call that was not made because its batch was cancelled: with its run, or at the provider."""
    batch.run.refresh_from_db(fields=["state"])
    if batch.run.state == RunState.CANCELLED:
        return NotDone("The run was cancelled before this call was made.", reason=CANCELLED)
    return Rejected("The batch was cancelled at the provider before this call was made.", reason=CANCELLED)


def how_it_ended(batch: CallBatch, seen: ProviderBatch) -> str:
    if seen.status == "failed":
        return f"The provider did not accept it: {seen.message or 'no reason given'}"
    reasons = {
        "expired": "It ran out of time: {} of its calls were not made, and cost nothing.",
        CANCELLED: "It was cancelled: {} of its calls were not made, and cost nothing.",
        "no result": "It has no result for {} of its calls: these are in doubt.",
    }
    counts = batch.attempts.filter(reason__in=reasons).order_by().values_list("reason").annotate(n=Count("pk"))
    return " ".join(reasons[reason].format(f"{count:,}") for reason, count in counts)


class ResultLanding:
    """Lands the lines of a batch's files, some at a time."""

    def __init__(self, hold: BatchHold):
        self.hold, self.batch = hold, hold.batch
        self.read: set[int] = set()  # calls whose line was read
        self.strange: Counter[str] = Counter()

    def land_file(self, path: Path) -> None:
        lines = self.lines(path)
        while some := list(islice(lines, AT_A_TIME)):
            self.land_some(some)

    def lines(self, path: Path) -> Iterator[ResultLine]:
        endpoint = self.batch.model.endpoint
        for line in batches.result_lines(path, endpoint):
            try:
                yield batches.read_line(line, endpoint)
            except ValueError:
                self.strange["unreadable"] += 1

    def land_some(self, lines: list[ResultLine]) -> None:
        keys = {key for line in lines if (key := key_of(line)) is not None}
        here = self.batch.attempts.filter(call__key__in=keys)
        numbers = {key.int: number for key, number in here.values_list("call__key", "number")}
        results = []
        for line in lines:
            key = key_of(line)
            if key is None or key.int not in numbers:
                self.strange["foreign"] += 1
            elif key.int in self.read:
                self.strange["doubled"] += 1
            else:
                self.read.add(key.int)
                results.append(Result(line.key, numbers[key.int], reply=line.reply, failure=self.failure_of(line)))
        self.land(results)

    def failure_of(self, line: ResultLine) -> CallFailed | None:
        if line.failure and line.failure.reason == CANCELLED:
            return cancelled(self.batch)
        return line.failure

    def land_rest(self, failure: CallFailed) -> None:
        """Land the open calls with this outcome."""
        while some := open_calls(self.batch):
            self.land([Result(key, number, failure=failure) for key, number in some])

    def land(self, results: list[Result]) -> None:
        self.hold.renew_when_due()
        land(results, clear=lambda _: None)


def open_calls(batch: CallBatch) -> list[tuple[str, int]]:
    """Some calls of the batch without an outcome, with the number of their attempt."""
    rows = Attempt.objects.filter(call_batch=batch, outcome=AttemptOutcome.SENT).order_by("pk")
    return [(str(key), number) for key, number in rows.values_list("call__key", "number")[:AT_A_TIME]]


def key_of(line: ResultLine) -> uuid.UUID | None:
    """The call's key in a line; None if it is not one of ours."""
    try:
        key = uuid.UUID(line.key)
    except ValueError:
        return None
    return key if str(key) == line.key else None
