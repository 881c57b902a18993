"""Tables of wikitext whose row of totals differs from the sum of the rows above it. Text in, numbers out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .pages import readable

_TABLE = re.compile(r"^\{\|", re.MULTILINE)
_TOTAL = re.compile(r"(?:grand )?totals?|sum|altogether", re.IGNORECASE)
_PART = re.compile(r"sub-?totals?|of which|including|average|mean|total", re.IGNORECASE)
_SPAN = re.compile(r"(?:col|row)span", re.IGNORECASE)
_NUMBER = re.compile(r"[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?")
_LONGEST, _MOST_ROWS, _LEAST_ROWS = 100_000, 2_000, 3
# A sum further away counts something else than the rows.
_FAR = 0.3
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class WrongTotal:
    """A total that is not the sum of its column: the row as read, and the sum in words; `offset` is the table's."""

    offset: int
    total: str
    sum: str
    row: str
    adds_up: str


def wrong_totals(text: str) -> Iterator[WrongTotal]:
    """The first wrong total of each table of a page."""
    if "{|" not in text or not ("otal" in text or "TOTAL" in text or "Sum" in text):
        return
    for found in _TABLE.finditer(text):
        end = text.find("\n|}", found.end(), found.end() + _LONGEST)
        if end > 0 and (wrong := _wrong_in(text[found.end() : end], found.start())):
            yield wrong


def _wrong_in(table: str, offset: int) -> WrongTotal | None:
    if not _TOTAL.search(table) or _SPAN.search(table) or "{|" in table:
        return None
    rows = [cells for row in re.split(r"\n\|-[^\n]*", table)[:_MOST_ROWS] if (cells := _cells(row))]
    last = rows[-1] if rows else []
    if not last or not _TOTAL.fullmatch(last[0].strip(" :'")):
        return None
    heads, above = rows[0], rows[1:-1]
    if len(above) < _LEAST_ROWS or any(len(row) != len(last) or _PART.search(row[0]) for row in above):
        return None
    for column in range(1, len(last)):
        head = heads[column] if len(heads) == len(last) else ""
        if wrong := _wrong_column(last, [row[column] for row in above], column, head, offset):
            return wrong
    return None


def _wrong_column(
    last: Sequence[str], cells: Sequence[str], column: int, head: str, offset: int
) -> WrongTotal | None:
    total, values = _number(last[column]), [_number(cell) for cell in cells]
    if total is None or not total or any(value is None for value in values) or "%" in last[column]:
        return None
    numbers = [value for value in values if value is not None]
    added, digits = sum(numbers), max(_decimals(cell) for cell in [*cells, last[column]])
    rounding = 0.5 * 10**-digits * len(numbers) if digits else 0.4
    if (
        abs(added - total) <= rounding
        or abs(added - total) > _FAR * abs(total)
        or max(map(abs, numbers)) >= abs(total)
    ):
        return None
    shown = " + ".join(cells[:_SHOWN]) + (" + …" if len(cells) > _SHOWN else "")
    named = f"{head}: " if head else ""
    written = f"{added:,.{digits}f}"
    return WrongTotal(
        offset,
        last[column],
        written,
        " | ".join(last)[:400],
        f"{named}the {len(cells)} rows above add up to {written} ({shown})"[:400],
    )


def _cells(row: str) -> list[str]:
    """The cells of a row as readers see them."""
    cells: list[str] = []
    for line in row.split("\n"):
        stripped = line.strip()
        if stripped[:1] not in ("|", "!") or stripped[:2] in ("|+", "|}"):
            continue
        mark = "!!" if stripped[0] == "!" and "!!" in stripped else "||"
        for cell in stripped[1:].split(mark):
            attributes, pipe, content = cell.partition("|")
            is_content = not pipe or "[[" in attributes or "{{" in attributes
            cells.append(readable(cell if is_content else content))
    return cells


def _number(cell: str) -> float | None:
    found = _NUMBER.fullmatch(cell.strip())
    return float(found[0].replace(",", "").replace("−", "-")) if found else None


def _decimals(cell: str) -> int:
    return len(cell.strip().partition(".")[2])
