"""Writes much data in pieces: another writer waits for one piece, not for all of them.

SQLite has one lock for all writers. They queue for it (`config/sqlite/turns.py`), so a waiting writer comes before
the next piece. PostgreSQL locks rows.
"""

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from django.db import connection, transaction
from django.db.models import Model, QuerySet

T = TypeVar("T")
M = TypeVar("M", bound=Model)
# The target time of a piece, and the time above which its fixed cost cannot explain its duration.
PIECE_SECONDS, TOO_LONG_SECONDS = 0.05, 0.15
FIRST, MOST = 20, 2_000
ROWS_AT_A_TIME = 500


def in_pieces(rows: Iterable[T], write: Callable[[list[T]], object], *, most: int | None = None) -> int:
    """Give `rows` to `write` piece by piece, at most `most` rows each, each in its own transaction. Returns the
    number of rows.

    `rows` may be a generator that reads: it is never advanced inside a transaction. The size of a piece depends on
    how long the last one took. Do not call this inside another transaction, whose lock would be held all the time.
    """
    most = min(most or MOST, MOST)
    source, count, size = iter(rows), 0, min(FIRST, most)
    while piece := list(islice(source, size)):
        began = time.perf_counter()
        with no_garbage_collected(), transaction.atomic():
            write(piece)
        count += len(piece)
        size = next_size(len(piece), time.perf_counter() - began, most=most)
    return count


def in_chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in their order, in chunks of this size; `values` may be a generator."""
    source = iter(values)
    while chunk := list(islice(source, size)):
        yield chunk


def summed_in_pieces(rows: Iterable[T], write: Callable[[list[T]], int], *, most: int | None = None) -> int:
    """Like `in_pieces`; returns the sum of the results of `write`."""
    counts: list[int] = []
    in_pieces(rows, lambda piece: counts.append(write(piece)), most=most)
    return sum(counts)


def few_at_a_time(rows: QuerySet[M, T]) -> Iterator[T]:
    """The rows of a query, with only some in memory at a time. No cursor stays open, so other rows may be written in
    between: SQLite refuses writes beside a cursor that began to read before others wrote.
    """
    keys = list(rows.values_list("pk", flat=True))
    for chunk in in_chunks(keys, ROWS_AT_A_TIME):
        yield from rows.filter(pk__in=chunk)


def next_size(size: int, took: float, *, most: int) -> int:
    """The number of rows for the next piece, if the last one had `size` rows and took `took` seconds. It doubles at
    most, as one quick piece says little about the next. On a busy machine the fixed cost of a piece dominates: fewer
    rows would take just as long, so there is a minimum.
    """
    fitting = int(size * PIECE_SECONDS / max(took, 0.001))
    least = FIRST if took < TOO_LONG_SECONDS else 1
    return min(max(fitting, least), 2 * size, most)


_pieces_open = 0
_counting = threading.Lock()


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """Python's full garbage collection visits every object: with a plan of 100,000 rows in memory that takes seconds,
    possibly with the lock held. This postpones it until after the piece."""
    global _pieces_open
    with _counting:
        was_on = _pieces_open > 0 or gc.isenabled()
        _pieces_open += 1
        gc.disable()
    try:
        yield
    finally:
        with _counting:
            _pieces_open -= 1
            if was_on and not _pieces_open:
                gc.enable()


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything inside from one moment, without making anyone wait. Nothing can be written inside."""
    if connection.in_atomic_block:  # either the reads are already from one moment, or that is the caller's concern
        yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            # Django's own transactions take the lock at once.
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
