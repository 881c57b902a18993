"""Writes and reads CSV files: cells are safe to open in a spreadsheet, and are read back unchanged.

Every CSV file of the project is written by `csv_chunks` and read by `read_table`; `unescaped` takes back exactly what
`escaped` did, for every text.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

# The longest row that is read: a response with all that a model was thinking.
MOST_ROW = 5_000_000


class _Echo:
    """A file that returns each text written to it, for the `csv` module."""

    def write(self, text: str) -> str:
        return text


def csv_chunks(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """A CSV file line by line, the header first. No cell is a formula in a spreadsheet."""
    writer = csv.writer(_Echo())
    # In quotes, another separator in a name cannot be taken for the file's.
    is_odd = any(mark in column for mark in ";\t" for column in columns)
    header = csv.writer(_Echo(), quoting=csv.QUOTE_ALL) if is_odd else writer
    yield header.writerow([escaped(column) for column in columns])
    for row in rows:
        yield writer.writerow([escaped(row[column]) for column in columns])


def read_table(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file and the line on which each begins; the first is the header. Cells are as they were
    passed to `csv_chunks`. `lines` keep their ends.

    A first line `sep=;` names the separator for Excel; without one it is the most frequent of comma, semicolon and
    tab in the header. Raises `csv.Error` if the text is not valid CSV.
    """
    rest = iter(lines)
    header = next(rest, "")
    named = _NAMED_SEPARATOR.fullmatch(header)
    first = 1
    if named:
        header, first = next(rest, ""), 2
    csv.field_size_limit(MOST_ROW)
    bounded = _Bounded(chain([header], rest))
    reader = csv.reader(bounded, delimiter=named["separator"] if named else _separator(header), strict=True)
    line = first
    for cells in reader:
        yield line, [unescaped(cell) for cell in cells]
        line = reader.line_num + first
        bounded.of_this_row = 0


class _Bounded:
    """Lines for the CSV reader; a row may take up only a limited number of characters."""

    def __init__(self, lines: Iterator[str]):
        self.lines = lines
        self.of_this_row = 0

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.of_this_row += len(line)
            if self.of_this_row > MOST_ROW:
                raise csv.Error(f"a row has more than {MOST_ROW:,} characters")
            yield line


# Excel's own line, which names the separator: with quotation marks where a program treated it as a cell.
_NAMED_SEPARATOR = re.compile(r'\ufeff?(?P<quote>"?)sep=(?P<separator>[^\w\s"]|[\t ])(?P=quote)\s*', re.IGNORECASE)


def _separator(header: str) -> str:
    outside_quotes = re.sub(r'"[^"]*"?', "", header)
    return max(",;\t", key=outside_quotes.count)


# As spreadsheets write them, in the language in which they run.
_TRUE = {"true", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar", "prawda"}
_FALSE = {"false", "falsch", "faux", "falso", "onwaar", "fałsz"}
# A comma before three digits may as well divide thousands.
_DECIMAL_COMMA = re.compile(r"0,\d+|\d+,(\d{1,2}|\d{4,})")


def boolean(cell: str) -> bool | None:
    """The boolean in a cell, as JSON or a spreadsheet writes it; None for any other text."""
    word = cell.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def with_decimal_point(cell: str) -> str:
    """The cell; an unambiguous number with a decimal comma gets a decimal point."""
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell


# A spreadsheet runs a cell that begins like this, also after blanks and in full-width forms. A plain number does no
# harm.
_FORMULA = re.compile("[\\s\u00a0\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)*%?")


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet might run this cell as a formula."""
    return _FORMULA.match(cell) is not None and not _NUMBER.fullmatch(cell)


def escaped(value: object) -> Any:
    """The value. Text that a spreadsheet would run as a formula gets an apostrophe in front. So does text that would
    be a formula without its leading apostrophes: otherwise the two could not be told apart on reading."""
    return f"'{value}" if isinstance(value, str) and is_formula(value.lstrip("'")) else value


def unescaped(cell: str) -> str:
    """The original text of an escaped cell."""
    return cell[1:] if cell.startswith("'") and is_formula(cell.lstrip("'")) else cell
