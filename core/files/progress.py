"""Tells how far a long piece of work is."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..writing.progress import along

Row = TypeVar("Row")
# Passes rows on as they are asked for, and tells how many there were: rows, what they are called, how many there will
# be.
Progress = Callable[[Iterable[Row], str, int], Iterator[Row]]


def in_silence(rows: Iterable[Row], words: str, total: int) -> Iterator[Row]:
    return iter(rows)


def as_heard(rows: Iterable[Row], words: str, total: int) -> Iterator[Row]:
    """For whoever listens: a command does."""
    return along(words, rows, of=total)
