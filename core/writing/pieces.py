"""Much to write, in pieces: whoever wants to write one row meanwhile waits for one piece, not for all of it.

SQLite has one lock for all writers, and it is unfair: who waits for it looks only now and then whether it is free,
and whoever lets go of it and takes it again at once always wins. So a piece is short, and after it comes a pause that
is long enough to be noticed. PostgreSQL locks rows, and needs no pause.
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
# A piece is to take so many seconds. SQLite's waiting writers look again after 25 ms at most in their first 100, then
# after 100 ms: where a piece took longer than it should, and now and then in any case, the pause is one that these do
# not miss. So whoever misses the short pauses waits for the next long one, however busy the machine is.
PIECE_SECONDS = 0.05
PAUSE_SECONDS, LONG_PAUSE_SECONDS = 0.03, 0.11
LONG_PAUSE_AFTER_SECONDS = 0.2
TOO_LONG_SECONDS = 0.15
FIRST, MOST = 20, 2_000


def in_pieces(rows: Iterable[T], write: Callable[[list[T]], object], *, most: int | None = None) -> int:
    """Give `rows` to `write` a piece at a time, at most `most` of them, each in a transaction of its own. Returns how
    many rows there were.

    `rows` may be a generator that reads: it is never asked for more within a transaction. How many rows make a piece
    follows from how long the last one took. Not to be called inside another transaction, whose lock would be held all
    the while.
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
            # While the next rows were read and prepared the lock was free: that is part of the pause.
            free_for = time.perf_counter() - freed
            let_others_write(freed - began, freed - rested_at, free_for)
            if is_long(freed - began, freed - rested_at) or free_for >= LONG_PAUSE_SECONDS:
                rested_at = time.perf_counter()
    return count


def next_size(size: int, took: float, *, most: int) -> int:
    """How many rows the next piece has, where the last one had `size` and took `took` seconds. It grows to twice as
    many at most, as one quick piece tells little of the next. On a busy machine what a piece costs besides its rows
    takes longest: with fewer rows it would take as long, so there are some in any case."""
    fitting = int(size * PIECE_SECONDS / max(took, 0.001))
    least = FIRST if took < TOO_LONG_SECONDS else 1
    return min(max(fitting, least), 2 * size, most)


_pieces_open = 0
_counting = threading.Lock()


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """Python's full collection goes through every object there is: with a plan of 100,000 rows in memory it takes
    seconds, and would take them while the lock is held. It comes after the piece instead."""
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
    """All that is read within is of one moment, and nobody waits for it. Nothing can be written within."""
    if connection.in_atomic_block:  # what is read is of one moment, or the caller's concern
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
    """Wait for as long as a writer needs to see that SQLite's lock is free: it was `held` for so many seconds, so
    many went since the last long pause, and for so many it has been free already."""
    if connection.vendor == "sqlite":
        pause = LONG_PAUSE_SECONDS if is_long(held, kept_busy) else PAUSE_SECONDS
        time.sleep(max(0.0, pause - free_for))


def is_long(held: float, kept_busy: float) -> bool:
    return held >= 2 * PIECE_SECONDS or kept_busy >= LONG_PAUSE_AFTER_SECONDS
