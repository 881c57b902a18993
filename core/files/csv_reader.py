"""Reads an imported CSV file: the header, the rows, and what is wrong with either."""

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from ..refusals import Refusal
from .records import check_count, read_text
from .spreadsheets import read_table

MOST_LISTED = 1000


@dataclass(frozen=True, slots=True)
class Row:
    """One row, by column name; `line` is the line on which it begins in the file."""

    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        """The text of a cell that holds one word (a key, a name, a verdict), stripped; `cells` has it exactly."""
        return self.cells.get(column, "").strip()


@dataclass
class Result:
    """What an import did, or would do."""

    what: str
    written: int = 0
    there: int = 0
    # (line, reason)
    bad: list[tuple[int, str]] = field(default_factory=list)
    is_check: bool = False

    def lines(self) -> Iterator[str]:
        for line, reason in self.bad[:MOST_LISTED]:
            yield f"Line {line}: {reason}"
        if len(self.bad) > MOST_LISTED:
            yield "… and perhaps more: the rest of the file was not read."
        yield self.summary

    @property
    def is_full(self) -> bool:
        """Whether so many rows are bad that there is no point in reading the rest."""
        return len(self.bad) > MOST_LISTED

    @property
    def summary(self) -> str:
        there = f" {self.there} {'was' if self.there == 1 else 'were'} there already." if self.there else ""
        if self.bad:
            bad = f"{len(self.bad)} bad row{'' if len(self.bad) == 1 else 's'}"
            return f"{bad}: nothing was written. {self.written} {self.what} could be imported.{there}"
        if self.is_check:
            return f"No bad rows. {self.written} {self.what} would be imported; nothing was written.{there}"
        return f"{self.written} {self.what} imported.{there}"


def read_csv(stream: BinaryIO, *, needed: Collection[str]) -> list[Row]:
    """The rows of a UTF-8 file separated by commas, semicolons or tabs. Column names are lower-cased.

    Raises `Refusal` if the file is too large, is not UTF-8, lacks a `needed` column, or has a row with more cells
    than columns.
    """
    text = read_text(stream)
    if "\x00" in text:
        raise Refusal("The file contains NUL bytes, so it is not a CSV file.", status=400)
    try:
        table = read_table(io.StringIO(text, newline=""))
        header = [name.strip().lower() for name in next(table)[1]]
        missing = [name for name in needed if name not in header]
        if missing:
            raise Refusal(f"The first line has no column {', '.join(missing)}. Nothing was written.", status=400)
        return list(_rows(table, header))
    except csv.Error as error:
        raise Refusal(f"The file cannot be read as CSV: {error}. Nothing was written.", status=400) from error


def _rows(table: Iterator[tuple[int, list[str]]], header: list[str]) -> Iterator[Row]:
    for number, (line, cells) in enumerate(table, start=1):
        check_count(number)
        if len(cells) > len(header) and any(cells[len(header) :]):
            raise Refusal(
                f"Line {line} has {len(cells)} cells, and the first line names {len(header)} columns: perhaps a "
                f"text that contains the separator has no quotation marks around it. Nothing was written.",
                status=400,
            )
        if any(cell.strip() for cell in cells):
            yield Row(line, dict(zip(header, cells, strict=False)))
