"""Reads the header and the rows of an imported CSV file, a part at a time."""

import csv
import io
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from ..languages import say
from ..refusals import Refusal
from .problems import broken
from .records import check_count
from .spreadsheets import MOST_ROW, read_table


@dataclass(frozen=True, slots=True)
class Row:
    """One row, by column name; `line` is its first line in the file."""

    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        """The text of a cell that holds one word (a key, a name, a verdict), stripped; `cells` has it exactly."""
        return self.cells.get(column, "").strip()


def read_csv(parts: Iterable[str], *, needed: Collection[str] = (), is_exact: bool = False) -> Iterator[Row]:
    """The rows of a file separated by commas, semicolons or tabs, without blank ones. Column names are lower-cased;
    if `is_exact`, they stay as they are, must differ, and each row must have a cell for each.

    Raises `Refusal` if the file is not CSV, lacks a `needed` column, or has a row with more cells than columns.
    """
    try:
        table = read_table(_lines(parts))
        header = next(table)[1]
        if not is_exact:
            header = [name.strip().lower() for name in header]
        while header[-2:] == ["", ""]:
            header.pop()  # a spreadsheet saves columns that were emptied
        if is_exact and len(set(header)) != len(header):
            raise broken(say("Two of its columns have the same name."))
        missing = [name for name in needed if name not in header]
        if missing:
            raise Refusal(
                say("The header has no column {missing}. Nothing was written.", missing=", ".join(missing)),
                status=400,
            )
        yield from _rows(table, header, is_exact)
    except csv.Error as error:
        raise broken(say("It is not CSV: {error}.", error=error)) from error


def _rows(table: Iterator[tuple[int, list[str]]], header: list[str], is_exact: bool) -> Iterator[Row]:
    for number, (line, cells) in enumerate(table, start=1):
        check_count(number)
        if any(cell.strip() for cell in cells[len(header) :]):
            raise broken(
                say(
                    "Line {line} has {cells} cells, but the header names {header} columns: perhaps a text that "
                    "contains the separator has no quotation marks around it.",
                    line=line,
                    cells=len(cells),
                    header=len(header),
                )
            )
        if any(cell.strip() for cell in cells):
            if is_exact and len(cells) < len(header):
                raise broken(
                    say(
                        "Line {line} has {cells} cells, but there are {header} columns.",
                        line=line,
                        cells=len(cells),
                        header=len(header),
                    )
                )
            yield Row(line, dict(zip(header, cells, strict=False)))


def _lines(parts: Iterable[str]) -> Iterator[str]:
    """The lines with their line ends, which the CSV reader needs unchanged."""
    rest = ""
    for part in parts:
        if "\x00" in part:
            raise broken(
                say(
                    "It contains NUL bytes, so it is not a CSV file in UTF-8. In a spreadsheet program, save as "
                    "“CSV UTF-8”."
                )
            )
        lines = list(io.StringIO(rest + part, newline=""))
        # It may continue in the next part.
        rest = lines.pop() if lines else ""
        yield from lines
        if len(rest) > MOST_ROW:
            break  # which the reader of rows refuses
    if rest:
        yield rest
