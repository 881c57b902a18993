"""Writes much in pieces: anyone who wants to write a row in the meantime waits for one piece, not for all of it.

SQLite has one lock for all writers, and it is unfair: a waiting writer checks only now and then whether it is free,
and one that releases it and takes it again at once always wins. So a piece is short, and the pause after it is long
enough to be noticed. PostgreSQL locks rows, and needs no pause.
"""

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

from django.db import connection, transaction

T = TypeVar("T")
# A piece should take this many seconds. SQLite's waiting writers check again after 25 ms at most for their first 100
# ms, then every 100 ms. After a piece that took longer than it should, and now and then in any case, the pause is
# long enough for them to notice. So a writer that misses the short pauses waits for the next long one, however busy
# the machine is.
PIECE_SECONDS = 0.05
PAUSE_SECONDS, LONG_PAUSE_SECONDS = 0.03, 0.11
LONG_PAUSE_AFTER_SECONDS = 0.2
TOO_LONG_SECONDS = 0.15
FIRST, MOST = 20, 2_000


def in_pieces(rows: Iterable[T], write: Callable[[list[T]], object], *, most: int | None = None) -> int:
    """Give `rows` to `write` piece by piece, at most `most` rows each, each in its own transaction. Returns how many
    rows there were.

    `rows` may be a generator that reads: it is never advanced inside a transaction. The size of a piece depends on
    how long the last one took. Do not call this inside another transaction, whose lock would be held all the time.
    """
    most = min(most or MOST, MOST)
    source, count, size = iter(rows), 0, min(FIRST, most)
    piece = list(islice(source, size))
    rested_at = time.perf_counter()
    while piece:
        began = time.perf_counter()
        with no_garbage_collected(), transaction.atomic():
            write(piece)
        freed = time.perf_counter()
        count += len(piece)
        size = next_size(len(piece), freed - began, most=most)
        if piece := list(islice(source, size)):
            # The lock was free while the next rows were read and prepared: that is part of the pause.
            free_for = time.perf_counter() - freed
            let_others_write(freed - began, freed - rested_at, free_for)
            if is_long(freed - began, freed - rested_at) or free_for >= LONG_PAUSE_SECONDS:
                rested_at = time.perf_counter()
    return count


def next_size(size: int, took: float, *, most: int) -> int:
    """How many rows the next piece should have if the last one had `size` and took `took` seconds. It doubles at
    most, as one quick piece says little about the next. On a busy machine the fixed cost of a piece dominates: fewer
    rows would take just as long, so there is a minimum."""
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
    """Everything read inside is from one moment, and nobody has to wait. Nothing can be written inside."""
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


def let_others_write(held: float = 0.0, kept_busy: float = 0.0, free_for: float = 0.0) -> None:
    """Wait long enough for a writer to notice that SQLite's lock is free. All in seconds: how long it was `held`, was
    `kept_busy` since the last long pause, and has been `free_for` already."""
    if connection.vendor == "sqlite":
        pause = LONG_PAUSE_SECONDS if is_long(held, kept_busy) else PAUSE_SECONDS
        time.sleep(max(0.0, pause - free_for))


def is_long(held: float, kept_busy: float) -> bool:
    return held >= 2 * PIECE_SECONDS or kept_busy >= LONG_PAUSE_AFTER_SECONDS
