"""CSV files that do no harm when a spreadsheet opens them."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


class _Echo:
    """A file that hands back what is written to it, for the `csv` module."""

    def write(self, text: str) -> str:
        return text


def csv_chunks(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A CSV file line by line, the header first. No cell is a formula to a spreadsheet."""
    writer = csv.writer(_Echo())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([spreadsheet_safe(row[column]) for column in columns])


# A spreadsheet runs a cell that begins so, blanks and full-width forms included; a plain number does no harm.
_FORMULA = re.compile("[\\s\u00a0\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)*%?")


def spreadsheet_safe(value: Any) -> Any:
    """The value; a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    if not isinstance(value, str) or not _FORMULA.match(value) or _NUMBER.fullmatch(value):
        return value
    return "'" + value
