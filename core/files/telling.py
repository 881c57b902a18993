"""Shows the progress of a long command: a bar on a terminal, a plain line now and then in a log."""

import time
from collections.abc import Iterable, Iterator
from typing import BinaryIO, TextIO

from tqdm import tqdm

# Between two lines in a log.
SECONDS_BETWEEN_LINES = 10.0
MEGABYTE = 1_000_000


class Telling:
    """Progress on a stream, usually the standard error. Short work prints nothing in a log."""

    def __init__(self, stream: TextIO, *, seconds: float = SECONDS_BETWEEN_LINES):
        self.stream, self.seconds = stream, seconds
        self.is_terminal = stream.isatty()
        self.bar: tqdm | None = None
        self.what = ""
        self.said_at = time.monotonic()

    def tell(self, what: str, done: int, of: int | None = None, *, more: str = "", in_bytes: bool = False) -> None:
        """Show the progress; `more` is additional information."""
        if self.is_terminal:
            self._draw(what, done, of, more, in_bytes)
        elif time.monotonic() - self.said_at >= self.seconds:
            self.said_at = time.monotonic()
            self.stream.write(f"{what}: {_amount(done, of, in_bytes)}{', ' if more else ''}{more}\n")
            self.stream.flush()

    def _draw(self, what: str, done: int, of: int | None, more: str, in_bytes: bool) -> None:
        if self.bar is None or what != self.what:
            self.close()
            self.what = what
            scale = {"unit": "B", "unit_scale": True} if in_bytes else {"unit": ""}
            self.bar = tqdm(desc=what, file=self.stream, leave=False, dynamic_ncols=True, **scale)
        self.bar.total = of
        if more:
            self.bar.set_postfix_str(more, refresh=False)
        # `update` draws at most ten times per second; the end is always drawn.
        self.bar.update(done - self.bar.n)
        if done == of:
            self.bar.refresh()

    def line(self, text: str) -> None:
        """A line that stays, above the bar if there is one."""
        if self.bar is not None:
            self.bar.clear()
        self.stream.write(f"{text}\n")
        self.stream.flush()
        if self.bar is not None:
            self.bar.refresh()

    def close(self) -> None:
        """Remove the bar, so that the next output begins on a new line."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None

    def written(self, pieces: Iterable[str]) -> Iterator[str]:
        """The pieces of a file, with progress told as they are written."""
        done = 0
        for piece in pieces:
            yield piece
            done += len(piece)
            self.tell("Writing", done, in_bytes=True)


class ToldReading:
    """A file read from beginning to end, with progress shown."""

    def __init__(self, stream: BinaryIO, size: int | None, telling: Telling):
        self.stream, self.size, self.telling = stream, size, telling
        self.done = 0
        self.name = getattr(stream, "name", "")

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size)
        self.done += len(data)
        self.telling.tell("Reading", self.done, self.size, in_bytes=True)
        return data


def _amount(done: int, of: int | None, in_bytes: bool) -> str:
    total = "" if of is None else f" of {_number(of, in_bytes)}"
    return f"{_number(done, in_bytes)}{total}{' MB' if in_bytes else ''}"


def _number(value: int, in_bytes: bool) -> str:
    return f"{value / MEGABYTE:,.1f}" if in_bytes else f"{value:,}"
