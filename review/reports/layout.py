"""The parts of a report, in every format: sentences, plots, tables, and the same numbers for programs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from itertools import count
from typing import Any

from core.languages import joined, say, say_count

from ..statistics.estimates import Estimate, Interval, Undefined
from ..statistics.rounding import half_up
from ..statistics.shares import FEWEST_IN_PERCENT
from .drawing.plots import Plot, Point

Value = str | int | float | Decimal | Undefined | None
# A number that is not defined, on pages and in text and LaTeX; JSON has null and CSV an empty field.
NOT_DEFINED = say("not defined")
# The maximum number of models that a sentence names.


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. `value` is printed unchanged, None as a dash; `title` is the tooltip, which describes the
    count, and `href` leads to the responses behind the number. `interval` is the 95% interval of a number whose
    interval has no column: the page has it in the tooltip, a file for print beside the number. `reason` says why a
    number is not defined; a dash means that there is no number.
    """

    value: Value
    title: str = ""
    href: str = ""
    interval: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`group` is printed above neighbouring columns of one group. Columns of words are aligned to the left. `verdict`
    is that of a column about one verdict: a page shows its sign with this letter, a file has the name.
    """

    name: str
    group: str = ""
    words: bool = False
    title: str = ""
    verdict: str = ""
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The leading columns of words name the row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """(group, number of neighbouring columns it spans); nothing if no column has a group."""
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
    def reasons(self) -> list[str]:
        """The reasons why numbers of this table are not defined, as lines below it."""
        counted = Counter(cell.reason for row in self.rows for cell in row if cell.reason)
        return [
            say_count(
                cells,
                "Not defined in {count:,} cell: {reason}.",
                "Not defined in {count:,} cells: {reason}.",
                reason=reason,
            )
            for reason, cells in counted.items()
        ]

    @property
    def has_parts(self) -> bool:
        """Return whether rows with the same first cell belong together."""
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
    """A note beside the numbers: what is left out, reopened or still missing."""

    text: str
    href: str = ""
    details: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """`lead` sums up the numbers in sentences. Without any, the report is empty, and `empty` says how to fill it, or
    that its numbers are being counted.
    `data` is the report as JSON and `records` as CSV: a row for each number or group of numbers, with n."""

    title: str
    lead: Sequence[str]
    sections: Sequence[Section]
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Value]]
    notes: Sequence[Note] = ()
    empty: str = ""
    is_being_counted: bool = False
    about: str = ""
    # The breakdowns of the page: (value, label).
    breakdowns: Sequence[tuple[str, str]] = field(default=())
    pages: int = 1

    @property
    def plots(self) -> list[Plot]:
        return [plot for section in self.sections for plot in section.plots]

    @property
    def parts(self) -> list[tuple[Section, list[tuple[int, Plot]]]]:
        """The sections, their plots numbered throughout from 1."""
        numbers = count(1)
        return [(section, [(next(numbers), plot) for plot in section.plots]) for section in self.sections]


def without_links(part: object) -> Any:
    """The same part of a report, without links to pages of this site."""
    if is_dataclass(part) and not isinstance(part, type):
        kept = {each.name: getattr(part, each.name) for each in fields(part) if each.name != "href"}
        linked = {"href": ""} if len(kept) < len(fields(part)) else {}
        return replace(part, **{name: without_links(value) for name, value in kept.items()}, **linked)
    if isinstance(part, list | tuple):
        return type(part)(map(without_links, part))
    return part


def in_cell(value: Value) -> str:
    """A whole number with thousands separators, None as a dash, anything else unchanged."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


def shown(value: float, *, as_percent: bool = False) -> Decimal:
    """A coefficient to two decimals, or a share in percent to one."""
    # In decimals, as a float times 100 may lose its half: 0.2875 gives 28.749999999999996.
    return half_up(Decimal(str(float(value))) * 100, 1) if as_percent else half_up(value, 2)


def undefined_cell(number: Undefined, *, title: str = "", href: str = "") -> Cell:
    """The cell of a number or interval that is not defined."""
    words = joined(filter(None, [title, say("Not defined: {reason}.", reason=number.reason)]), "; ")
    return Cell(NOT_DEFINED, words, href, reason=number.reason)


def number_cell(
    number: float | Estimate | Undefined, *, title: str = "", href: str = "", as_percent: bool = False
) -> Cell:
    """The cell for a number; if the number is undefined, the tooltip says why."""
    if isinstance(number, Undefined):
        return undefined_cell(number, href=href)
    value = number.value if isinstance(number, Estimate) else number
    return Cell(shown(value, as_percent=as_percent), title, href)


def interval_cell(number: Estimate | Undefined, *, analytic: bool = False, as_percent: bool = False) -> Cell:
    """The 95% interval of an estimate, or the reason why there is none."""
    if isinstance(number, Undefined):
        return undefined_cell(number)
    interval = number.analytic if analytic else number.interval
    if isinstance(interval, Undefined):
        return undefined_cell(interval)
    low, high = (shown(end, as_percent=as_percent) for end in (interval.low, interval.high))
    return Cell(say("{low:f} to {high:f}", low=low, high=high))


def with_interval(column: Column) -> list[Column]:
    """A column of estimates, and beside it one with their 95% intervals."""
    return [column, Column(say("95%"), column.group)]


def estimate_cells(
    number: Estimate | Undefined, *, title: str = "", href: str = "", as_percent: bool = False
) -> list[Cell]:
    """The cells of both."""
    cell = number_cell(number, title=title, href=href, as_percent=as_percent)
    return [cell, interval_cell(number, as_percent=as_percent)]


def interval_words(interval: Interval | Undefined) -> str:
    """The ends of an interval of a share, in percent; empty if there is none."""
    if isinstance(interval, Undefined):
        return ""
    return say(
        "{low:f} to {high:f}", low=shown(interval.low, as_percent=True), high=shown(interval.high, as_percent=True)
    )


def share_cell(
    value: Value, number: Estimate | Undefined, *, title: str = "", href: str = "", of: tuple[int, int] | None = None
) -> Cell:
    """A share in percent as printed, with its intervals in the tooltip. `of` are its count and total: of fewer than
    five, the cell has these in place of the percentage.
    """
    if isinstance(number, Undefined):
        words = joined(filter(None, [title, say("not defined: {reason}", reason=number.reason)]), "; ")
        return Cell(NOT_DEFINED if value is None else value, words, href, reason=number.reason)
    if value is None:
        return Cell(value, title, href)
    words = joined(filter(None, [title, intervals_in_words(number)]), "; ")
    if of and of[1] < FEWEST_IN_PERCENT:
        return Cell(say("{count} of {n}", count=of[0], n=of[1]), words, href)
    return Cell(value, words, href, interval_words(number.interval))


def share_in_words(number: Estimate | Undefined) -> str:
    """A share within a sentence, with its interval if it is known."""
    if isinstance(number, Undefined):
        return say("not defined ({reason})", reason=number.reason)
    words = interval_words(number.interval)
    percent = shown(number.value, as_percent=True)
    if not words:
        return say("{percent:f}%", percent=percent)
    return say("{percent:f}% (95% interval {interval})", percent=percent, interval=words)


def intervals_in_words(number: Estimate) -> str:
    """Both intervals of a share, for a tooltip."""
    if isinstance(number.interval, Undefined):
        found = say("no interval: {reason}", reason=number.interval.reason)
    else:
        found = say("95% interval {words}%", words=interval_words(number.interval))
    wilson = interval_words(number.analytic)
    return say("{found}; Wilson {wilson}%", found=found, wilson=wilson) if wilson else found


def as_number(value: Decimal | None) -> float | None:
    """A rounded number for JSON: 39.6, not "39.6"."""
    return None if value is None else float(value)


def ends_of(interval: Interval | Undefined) -> dict[str, Decimal | Undefined]:
    """The ends of the interval of a share, in percent; the reason twice without one."""
    if isinstance(interval, Undefined):
        return {"low": interval, "high": interval}
    return {end: shown(value, as_percent=True) for end, value in (("low", interval.low), ("high", interval.high))}


def in_record(number: float | Estimate | Undefined) -> Value:
    """A number for CSV, or why there is none."""
    return number.value if isinstance(number, Estimate) else number


def ends_in_record(name: str, interval: Interval | Undefined) -> dict[str, Value]:
    """Both ends of an interval for CSV, or why there is none."""
    if isinstance(interval, Undefined):
        return {f"{name}_low": interval, f"{name}_high": interval}
    return {f"{name}_low": interval.low, f"{name}_high": interval.high}


def estimate_record(name: str, number: Estimate | Undefined) -> dict[str, Value]:
    """A number and its interval for CSV, or why there is none."""
    return {name: in_record(number), **ends_in_record(name, number.interval)}


def share_data(number: Estimate | Undefined) -> dict[str, object]:
    """The intervals of a share for JSON: in percent, or why there is none."""

    def ends(interval: Interval | Undefined) -> dict[str, float] | Undefined:
        if isinstance(interval, Undefined):
            return interval
        return {end: float(value) for end, value in ends_of(interval).items() if not isinstance(value, Undefined)}

    return {"interval": ends(number.interval), "wilson": ends(number.analytic)}


def share_record(name: str, number: Estimate | Undefined) -> dict[str, Value]:
    """The intervals of a share for CSV: in percent, or why there is none."""
    return {
        f"{name}_{kind}{end}": value
        for kind, interval in (("", number.interval), ("wilson_", number.analytic))
        for end, value in ends_of(interval).items()
    }


def share_whisker(number: Estimate | Undefined, name: str) -> Point | None:
    """A share with its interval for a bar; None if there is no interval to show."""
    if isinstance(number, Undefined) or isinstance(number.interval, Undefined):
        return None
    return estimate_point(number, name)


def estimate_point(number: Estimate, name: str, kind: str = "circle") -> Point:
    """A share with its interval for a plot; the tooltip has the numbers."""
    words = say("{name} {percent:f}%", name=name, percent=shown(number.value, as_percent=True))
    if number.interval:
        words = joined([words, say("95% interval {interval}", interval=interval_words(number.interval))], ", ")
    return Point(number.value, number.interval.low, number.interval.high, words, kind)
