"""Writes the many rows of an import or a release in pieces; they appear in one step or not at all."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.db.models import Max
from django.utils import timezone

from ..engine.writing import pieces
from ..engine.writing.inserts import Insert, insert
from ..engine.writing.statistics import look_again
from ..languages import say
from ..models import Batch, User, WrittenInBatches
from ..refusals import Refusal
from .repeating import repeated

T = TypeVar("T")
# The writer renews its lease every few seconds; after this long without a sign it is dead, and its rows are deleted.
LEASE = timedelta(seconds=60)
SIGN_SECONDS = 15.0
# This many prepared rows take a few milliseconds: a piece is over before the scheduler turns to something else.
MOST_INSERTS = 1_000


class Busy(Refusal):
    """Raised where another import or release is being written, or was written meanwhile, or the rows of one whose
    process died are being deleted. The same may succeed a moment later.
    """


class Writing:
    """An open batch, for the process that writes it."""

    def __init__(self, batch: Batch):
        self.batch = batch
        self.is_finished = False
        # How many rows each table got.
        self.inserted: Counter[str] = Counter()

    def write(self, rows: Iterable[T], write: Callable[[list[T]], object], *, most: int | None = None) -> int:
        """Like `in_pieces`. Raises Refusal if the batch has been given up in the meantime."""

        def write_piece(piece: list[T]) -> None:
            self.renew()
            write(piece)

        return pieces.in_pieces(rows, write_piece, most=most)

    def create(self, rows: Iterable[models.Model | Insert]) -> int:
        """Insert unsaved rows of any models, as part of the batch if their model allows it; returns the number of
        rows. Rows that others refer to need their keys first: `give_keys`.
        """

        def prepared() -> Iterator[Insert]:
            for row in rows:
                if isinstance(row, models.Model):
                    row._state.adding = False
                    row = Insert(row)
                row.put("batch_id", self.batch.pk)
                self.inserted[row.table.name] += 1
                yield row

        return self.write(prepared(), insert, most=MOST_INSERTS)

    def renew(self) -> None:
        mine = Batch.objects.filter(pk=self.batch.pk, is_open=True, is_given_up=False)
        if not mine.update(alive_until=timezone.now() + LEASE):
            raise Refusal(say("This made no progress for too long and was stopped. Nothing was written: try again."))

    def finish(self, last: Callable[[], object] = lambda: None) -> None:
        """Make everything visible, in one transaction with `last`, which should be short."""
        with transaction.atomic():
            self.renew()
            last()
            Batch.objects.filter(pk=self.batch.pk).update(is_open=False)
        self.is_finished = True
        look_again(self.inserted)


def last_batch() -> int:
    """The number of the last batch. Get it before planning and pass it to `written_together`: the plan is valid only
    if no other batch follows.
    """
    clear_dead_batches()
    return Batch.objects.aggregate(last=Max("pk"))["last"] or 0


def begin(what: str, *, actor: User | None, planned_after: int, source: dict[str, object] | None = None) -> Batch:
    try:
        with transaction.atomic():
            alive_until = timezone.now() + LEASE
            batch = Batch.objects.create(what=what, begun_by=actor, alive_until=alive_until, source=source or {})
            if Batch.objects.filter(pk__gt=planned_after).exclude(pk=batch.pk).exists():
                raise Busy(
                    say("Another import or release was written in the meantime. Nothing was written: try again.")
                )
    except IntegrityError as error:
        raise Busy(
            say("Another import or release is in progress. Nothing was written. Try again in a minute.")
        ) from error
    return batch


@contextmanager
def written_together(
    what: str, *, planned_after: int, actor: User | None = None, source: dict[str, object] | None = None
) -> Iterator[Writing]:
    """Open a batch; only one is open at a time. What the block writes through it becomes visible when it calls
    `finish`; if it ends without that, or raises, the rows are deleted. `source` says which file the rows came from.

    `planned_after` is the `last_batch` before the plan was made. Raises Busy if another batch is open or one was
    written since the plan, and Refusal if rows clash with what others wrote in the meantime.
    """
    batch = begin(what, actor=actor, planned_after=planned_after, source=source)
    writing = Writing(batch)
    with repeated(writing.renew, every=SIGN_SECONDS):
        try:
            yield writing
        except IntegrityError as error:
            clear(batch)
            raise Refusal(
                say("The data changed while this was being done. Nothing was written: try again.")
            ) from error
        except (Exception, KeyboardInterrupt) as error:  # the next import should not have to wait for the lease's end
            if isinstance(error, KeyboardInterrupt) and not connection.in_atomic_block:
                connection.close()  # what was interrupted may have been a commit, which leaves the transaction open
            clear(batch)
            raise
    if not writing.is_finished:
        clear(batch)


# --- Cleared away -------------------------------------------------------------------------------------------------

before_clearing: list[Callable[[Batch], object]] = []


def clear_dead_batches() -> None:
    """Delete rows written by a dead process, which nobody has seen. Called by the clock, and before the next
    batch.
    """
    for batch in Batch.objects.filter(is_open=True, alive_until__lt=timezone.now()):
        clear(batch)


def clear(batch: Batch) -> None:
    """Delete the rows of an open batch, in pieces. Does nothing if it is no longer open."""
    mine = Batch.objects.filter(pk=batch.pk, is_open=True)
    if not mine.update(is_given_up=True, alive_until=timezone.now() + LEASE):
        return
    for undo in before_clearing:
        undo(batch)
    for model in in_order_of_deletion():
        keys = list(everything(model).filter(batch=batch).values_list("pk", flat=True))
        pieces.in_pieces(keys, lambda piece, model=model: delete(model, piece))  # type: ignore[misc]
    mine.update(is_open=False)


def everything(model: type[WrittenInBatches]) -> Any:
    """The manager that includes rows of open batches."""
    return model.everything  # type: ignore[attr-defined]


def delete(model: type[WrittenInBatches], keys: list[int]) -> None:
    everything(model).filter(pk__in=keys).delete()


def in_order_of_deletion() -> list[type[WrittenInBatches]]:
    """All models whose rows may belong to a batch, ordered so that rows go before those they refer to."""
    left = [model for model in apps.get_models() if issubclass(model, WrittenInBatches)]
    ordered: list[type[WrittenInBatches]] = []
    while left:
        referred = {
            field.related_model
            for model in left
            for field in model._meta.concrete_fields
            if field.is_relation and field.related_model is not model
        }
        free = [model for model in left if model not in referred]
        ordered += free
        left = [model for model in left if model not in free]
    return ordered
