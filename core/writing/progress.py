"""Progress of long work, for any listener: a command in a terminal has one, a page does not."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
# A name for the work, the amount done, and the total amount if known.
Listener = Callable[[str, int, int | None], object]
# The number of rows between reports of progress, which cost time, too.
EVERY = 100

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Have this listener hear the progress that `along` reports inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def along(what: str, rows: Iterable[T], *, of: int | None = None, every: int = EVERY) -> Iterator[T]:
    """The rows, `of` this number if it is known, counted for the listener as they pass: after each `every` rows."""
    tell = _listener.get()
    if tell is None:
        yield from rows
        return
    done = 0
    for done, row in enumerate(rows, start=1):
        yield row
        if done % every == 0:
            tell(what, done, of)
    tell(what, done, of)
