"""Tells how far a long piece of work is."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeVar

Row = TypeVar("Row")
# Passes rows on as they are asked for, and tells how many there were: rows, what they are called, how many there will
# be.
Progress = Callable[[Iterable[Row], str, int], Iterator[Row]]
SECONDS = 5.0


def in_silence(rows: Iterable[Row], words: str, total: int) -> Iterator[Row]:
    return iter(rows)


def in_lines(stream: TextIO) -> Progress:
    """A line every five seconds, and one at the end."""

    def counted(rows: Iterable[Row], words: str, total: int) -> Iterator[Row]:
        said, done = time.monotonic(), 0
        for done, row in enumerate(rows, start=1):
            yield row
            if time.monotonic() - said > SECONDS:
                said = time.monotonic()
                stream.write(f"{words}: {done:,} of {total:,}\n")
        stream.write(f"{words}: {done:,}\n")

    return counted
