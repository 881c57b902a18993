"""Reading a CSV file that somebody brings: the header, the rows, and what is wrong with either."""

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import IO

from django.conf import settings

from annotation.errors import Refusal

MOST_CELL = 200_000
MOST_LISTED = 1000


@dataclass(frozen=True, slots=True)
class Row:
    """One row, by the names of its columns; `line` is where it begins in the file."""

    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


@dataclass
class Result:
    """What an import did, or would do."""

    what: str
    written: int = 0
    there: int = 0
    # Line, reason.
    bad: list[tuple[int, str]] = field(default_factory=list)
    is_check: bool = False

    def lines(self) -> Iterator[str]:
        for line, reason in self.bad[:MOST_LISTED]:
            yield f"Line {line}: {reason}"
        if len(self.bad) > MOST_LISTED:
            yield f"… and {len(self.bad) - MOST_LISTED} more"
        yield self.summary

    @property
    def summary(self) -> str:
        there = f" {self.there} {'was' if self.there == 1 else 'were'} there already." if self.there else ""
        if self.bad:
            bad = f"{len(self.bad)} bad row{'' if len(self.bad) == 1 else 's'}"
            return f"{bad}: nothing was written. {self.written} {self.what} could be imported.{there}"
        if self.is_check:
            return f"No bad row. {self.written} {self.what} would be imported; nothing was written.{there}"
        return f"{self.written} {self.what} imported.{there}"


def read_csv(stream: IO[bytes], *, needed: Collection[str]) -> list[Row]:
    """The rows of a UTF-8 file with commas, semicolons or tabs. Names of columns are taken in small letters.

    Raises `Refusal` for a file that is too large, is not UTF-8, or lacks a column.
    """
    data = stream.read(settings.IMPORT_MAX_BYTES + 1)
    if len(data) > settings.IMPORT_MAX_BYTES:
        raise Refusal(
            f"The file has more than {settings.IMPORT_MAX_BYTES / 1e6:,.0f} MB. Cut it in parts.", status=413
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal("The file is not UTF-8. Save it as “CSV UTF-8” and try again.", status=400) from error
    if "\x00" in text:
        raise Refusal("The file holds zero bytes: it is no CSV file.", status=400)
    first_line = text.partition("\n")[0]
    delimiter = max(",;\t", key=first_line.count)
    csv.field_size_limit(MOST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in needed if name not in header]
        if missing:
            raise Refusal(f"The first line names no column {', '.join(missing)}. Nothing was written.", status=400)
        return list(_rows(reader, header))
    except csv.Error as error:
        raise Refusal(f"The file cannot be read as CSV: {error}. Nothing was written.", status=400) from error


def _rows(reader, header: list[str]) -> Iterator[Row]:
    before = reader.line_num
    for cells in reader:
        if any(cell.strip() for cell in cells):
            # What our own exports put before a cell that a spreadsheet would run.
            plain = [_plain(cell.strip()) for cell in cells]
            yield Row(before + 1, dict(zip(header, plain, strict=False)))
        before = reader.line_num


def _plain(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in tuple("=+-@\t\r\n") else cell
