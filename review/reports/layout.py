"""What a report consists of, wherever it is shown: sentences, plots, tables, and the same numbers for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ..statistics.estimates import Estimate, Undefined
from ..statistics.rounding import half_up
from .plots import Plot, Point

Value = str | int | float | Decimal | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. `value` is printed as it is, None as a dash; `title` is the tooltip, which says what was
    counted, and `href` leads to the responses behind the number."""

    value: Value
    title: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`group` is printed above neighbouring columns of one group. Columns of words are aligned to the left."""

    name: str
    group: str = ""
    words: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The leading columns of words name the row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """(group, how many neighbouring columns it spans); nothing where no column has a group."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return spans if any(group for group, _ in spans) else []

    @property
    def heads(self) -> list[tuple[Column, bool]]:
        """Each column, and whether it begins a group."""
        before = ["", *(column.group for column in self.columns)]
        return [
            (column, bool(column.group) and column.group != group)
            for column, group in zip(self.columns, before, strict=False)
        ]

    @property
    def has_parts(self) -> bool:
        """Whether rows with the same first cell belong together."""
        return sum(column.words for column in self.columns) > 1

    @property
    def lines(self) -> list[list[tuple[Column, bool, Cell]]]:
        return [
            [(column, begins, cell) for (column, begins), cell in zip(self.heads, row, strict=True)]
            for row in self.rows
        ]


@dataclass(frozen=True, slots=True)
class Section:
    heading: str
    about: str = ""
    plots: Sequence[Plot] = ()
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader has to know beside the numbers: what is left out, reopened or still missing."""

    text: str
    href: str = ""
    details: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """`lead` sums up the numbers in sentences. Without any, the report is empty, and `empty` says how to fill it.
    `data` is the report as JSON and `records` as CSV: a row for each number or group of numbers, with n."""

    title: str
    lead: Sequence[str]
    sections: Sequence[Section]
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Value]]
    notes: Sequence[Note] = ()
    empty: str = ""
    about: str = ""
    # What the page can be broken down by: (value, label).
    breakdowns: Sequence[tuple[str, str]] = field(default=())
    pages: int = 1


def shown(value: float, *, as_percent: bool = False) -> Decimal:
    """A coefficient to two decimals, or a share in percent to one."""
    return half_up(value * 100, 1) if as_percent else half_up(value, 2)


def number_cell(
    number: float | Estimate | Undefined, *, title: str = "", href: str = "", as_percent: bool = False
) -> Cell:
    """The cell for a number; if the number is undefined, the tooltip says why."""
    if isinstance(number, Undefined):
        return Cell(str(number), f"Not defined: {number.reason}.", href)
    value = number.value if isinstance(number, Estimate) else number
    return Cell(shown(value, as_percent=as_percent), title, href)


def interval_cell(number: Estimate | Undefined, *, analytic: bool = False, as_percent: bool = False) -> Cell:
    """The 95 % interval of an estimate, or a dash and the reason why there is none."""
    if isinstance(number, Undefined):
        return Cell(None, f"Not defined: {number.reason}.")
    interval = number.analytic if analytic else number.interval
    if isinstance(interval, Undefined):
        return Cell(None, f"No interval: {interval.reason}.")
    low, high = (shown(end, as_percent=as_percent) for end in (interval.low, interval.high))
    return Cell(f"{low} to {high}")


def estimate_point(number: Estimate, name: str, kind: str = "circle") -> Point:
    """A share with its interval for a plot; the tooltip has the numbers."""
    words = f"{name} {shown(number.value, as_percent=True)} %"
    interval = number.interval
    if isinstance(interval, Undefined):
        return Point(number.value, None, None, words, kind)
    low, high = (shown(end, as_percent=True) for end in (interval.low, interval.high))
    return Point(number.value, interval.low, interval.high, f"{words}, 95 % interval {low} to {high}", kind)
