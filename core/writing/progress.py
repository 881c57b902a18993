"""Progress of a long piece of work, for anything that listens: a command at a terminal does, a page does not."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
# What is being done, how much of it is done, and how much there is of it, if that is known.
Listener = Callable[[str, int, int | None], object]
# It is told after so many rows, as saying it costs time, too.
EVERY = 100

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """This listener hears what `along` lets by inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def along(what: str, rows: Iterable[T], *, of: int | None = None) -> Iterator[T]:
    """The rows, `of` how many if that is known, counted for the listener as they go by."""
    tell = _listener.get()
    if tell is None:
        yield from rows
        return
    done = 0
    for done, row in enumerate(rows, start=1):
        yield row
        if done % EVERY == 0:
            tell(what, done, of)
    tell(what, done, of)
