"""Plots as plain geometry, which templates/review/_plot_*.html turn into SVG: numbers in, positions in percent out.

Widths are in percent of the page, so that text keeps its size on a phone. Nothing is said by colour alone: a segment
of a bar also has its verdict's letter and pattern, a mark its shape, and a field of a heat map its count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from core.languages import changed, figure, say

from ...statistics.estimates import Estimate, Undefined
from ...statistics.rounding import half_up, percent
from ...statistics.shares import FEW, FEWEST_IN_PERCENT

# In percent. A narrower segment has no room for its letter and number, which are then only in its tooltip.
ROOM_FOR_LETTER, ROOM_FOR_NUMBER = 4, 11
# Ticks of a scale of shares, and of one of coefficients of agreement.
SHARES = (0, 0.2, 0.4, 0.6, 0.8, 1)
COEFFICIENTS = (-0.2, *SHARES)


@dataclass(frozen=True, slots=True)
class Point:
    """A number with its interval, before layout; `kind` decides the shape of the mark."""

    value: float
    low: float | None = None
    high: float | None = None
    title: str = ""
    kind: str = "circle"


def coefficient_points(
    label: str, n: int, kappa: Estimate | Undefined, ac1: Estimate | Undefined, *, is_small: bool = False
) -> list[Point]:
    """Both coefficients of agreement for a plot; none for a small group without an interval."""
    points = []
    for kind, name, number in (("circle", say("kappa"), kappa), ("diamond", "AC1", ac1)):
        if isinstance(number, Estimate) and (number.interval or not is_small):
            words = say("{label}: {name} {number}, n {n:,}", label=label, name=name, number=str(number), n=n)
            points.append(Point(number.value, number.interval.low, number.interval.high, words, kind))
    return points


@dataclass(frozen=True, slots=True)
class Mark:
    x: str
    low: str
    high: str
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar, before layout. `kind` is a verdict and decides letter, colour and pattern."""

    kind: str
    count: int
    title: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    kind: str
    x: str
    width: str
    middle: str
    label: str
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Bar:
    """`group` is set on the first bar of a group; `aside` is the text beside the bar, with n. `whisker` is the
    interval of the first part, drawn below the bar."""

    label: str
    segments: Sequence[Segment]
    aside: str = ""
    group: str = ""
    whisker: Mark | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars whose segments add up to the whole."""

    name: str
    bars: Sequence[Bar]
    ticks: ClassVar[Sequence[tuple[str, str]]] = [
        (f"{at}%", say("{percent:.0f}%", percent=at)) for at in range(0, 101, 20)
    ]
    template: ClassVar[str] = "review/_plot_bars.html"


LETTERS = {"correct": "C", "partially_correct": "P", "incorrect": "I"}


def bar(
    label: str, shares: Sequence[Share], *, aside: str = "", group: str = "", whisker: Point | None = None
) -> Bar:
    """Segments laid out from left to right, each as wide as its share; an empty bar if all counts are 0."""
    n = sum(share.count for share in shares)
    segments, before = [], 0
    for share in shares:
        if share.count:
            width = Decimal(100 * share.count) / n
            middle = Decimal(100 * before) / n + width / 2
            segments.append(
                Segment(
                    kind=share.kind,
                    x=_percent(Decimal(100 * before) / n),
                    width=_percent(width),
                    middle=_percent(middle),
                    label=_label(share, n, width),
                    title=share.title,
                    href=share.href,
                )
            )
        before += share.count
    return Bar(label, segments, aside, group, mark(whisker, 0, 1) if whisker else None)


def mark(point: Point, low: float, high: float) -> Mark:
    """A number with its interval, at its position on a scale from low to high."""
    ends = [_position(end, low, high) if end is not None else "" for end in (point.low, point.high)]
    return Mark(_position(point.value, low, high), ends[0], ends[1], point.kind, point.title)


def _position(value: float, low: float, high: float) -> str:
    return _percent(Decimal(str(min(max((value - low) / (high - low), 0.0), 1.0) * 100)))


def _label(share: Share, n: int, width: Decimal) -> str:
    letter = LETTERS.get(share.kind, "")
    if width < ROOM_FOR_LETTER:
        return ""
    number = share.count if n < FEWEST_IN_PERCENT else percent(share.count, n)
    return letter if width < ROOM_FOR_NUMBER else figure(f"{letter} {number}".strip())


@dataclass(frozen=True, slots=True)
class Line:
    """`group` is set on the first row of a group."""

    label: str
    marks: Sequence[Mark]
    aside: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Intervals:
    """Numbers with their intervals on one scale; `legend` names the kinds of marks if there is more than one. `zero`
    is where 0 is on a scale of differences."""

    name: str
    lines: Sequence[Line]
    ticks: Sequence[tuple[str, str]]
    legend: Sequence[tuple[str, str]] = ()
    zero: str = ""
    template: ClassVar[str] = "review/_plot_intervals.html"


def intervals(
    name: str,
    rows: Sequence[tuple[str, str, Sequence[Point], str]],
    *,
    ticks: Sequence[float],
    legend: Sequence[tuple[str, str]] = (),
    as_percent: bool = False,
    names: Sequence[str] = (),
    has_zero: bool = False,
) -> Intervals:
    """From rows of (group that begins here, label, points, text beside), on a scale from first to last tick; `names`
    are the ticks as they are printed."""
    low, high = ticks[0], ticks[-1]
    names = names or [
        say("{percent:.0f}%", percent=100 * tick) if as_percent else figure(f"{tick:g}") for tick in ticks
    ]
    return Intervals(
        name=name,
        lines=[
            Line(label, [mark(point, low, high) for point in points], aside, group)
            for group, label, points, aside in rows
        ],
        ticks=[(_position(tick, low, high), text) for tick, text in zip(ticks, names, strict=True)],
        legend=legend,
        zero=_position(0.0, low, high) if has_zero else "",
    )


@dataclass(frozen=True, slots=True)
class GridField:
    """`level`, from 0 to 10, is the strength of its colour; the text says the same."""

    text: str
    level: int = 0
    title: str = ""
    href: str = ""


def share_field(count: int, n: int, title: str, href: str = "") -> GridField:
    """A share in percent, the darker the larger it is, unless its total is small: of fewer than five, the count.
    Empty if its total is 0.
    """
    if n < FEW:
        text = say("{count} of {n}", count=count, n=n) if n < FEWEST_IN_PERCENT else figure(f"({percent(count, n)})")
        return GridField(text, 0, say("{title}: too few to compare", title=title), href) if n else GridField("")
    return GridField(figure(str(percent(count, n))), round(10 * count / n), title, href)


@dataclass(frozen=True, slots=True)
class Grid:
    """A heat map of any rows and columns: (label, fields) for each row. `about` says what is shaded."""

    name: str
    columns: Sequence[str]
    lines: Sequence[tuple[str, Sequence[GridField]]]
    about: str = ""
    template: ClassVar[str] = "review/_plot_grid.html"


@dataclass(frozen=True, slots=True)
class Field:
    """`level`, from 0 to 10, is the strength of its colour: its share of the whole table."""

    count: int
    level: int
    is_diagonal: bool
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A table of counts; `kinds` are the verdicts of its rows and columns."""

    name: str
    rows_are: str
    columns_are: str
    lines: Sequence[tuple[str, Sequence[Field], int]]
    kinds: Sequence[str]
    totals: Sequence[int]
    n: int
    labels: Mapping[str, str]
    template: ClassVar[str] = "review/_plot_heat_map.html"

    @property
    def heads(self) -> list[tuple[str, str]]:
        """The verdict of each column, and its name."""
        return [(kind, self.labels[kind]) for kind in self.kinds]

    @property
    def rows(self) -> list[tuple[str, str, Sequence[Field], int]]:
        """The lines, each with the name of its verdict."""
        return [(kind, self.labels[kind], fields, total) for kind, fields, total in self.lines]


def heat_map(
    name: str,
    table: Sequence[Sequence[int]],
    kinds: Sequence[str],
    *,
    rows_are: str,
    columns_are: str,
    hrefs: Sequence[Sequence[str]] = (),
    labels: dict[str, str],
) -> HeatMap:
    """From a table of counts with a row and a column for each of `kinds`; `labels` are their names in tooltips."""
    n = sum(map(sum, table))
    lines = []
    for number, counts in enumerate(table):
        fields = [
            Field(
                count=count,
                level=-(-10 * count // n) if n else 0,
                is_diagonal=number == other,
                title=say(
                    "{count:,} of {n:,}: {rows_are} {row}, {columns_are} {column}",
                    count=count,
                    n=n,
                    rows_are=rows_are,
                    row=changed(labels[kinds[number]], str.lower),
                    columns_are=columns_are,
                    column=changed(labels[kinds[other]], str.lower),
                ),
                href=hrefs[number][other] if hrefs and count else "",
            )
            for other, count in enumerate(counts)
        ]
        lines.append((kinds[number], fields, sum(counts)))
    totals = [sum(column) for column in zip(*table, strict=True)]
    return HeatMap(name, rows_are, columns_are, lines, kinds, totals, n, labels)


@dataclass(frozen=True, slots=True)
class Amount:
    label: str
    width: str
    text: str


@dataclass(frozen=True, slots=True)
class Amounts:
    """Bars for amounts, the largest as wide as the plot."""

    name: str
    rows: Sequence[Amount]
    # Of the axis: 0, and the largest amount in its own words, with its unit.
    ticks: Sequence[tuple[str, str]] = ()
    template: ClassVar[str] = "review/_plot_amounts.html"


def amounts(name: str, rows: Sequence[tuple[str, float | Decimal, str]]) -> Amounts:
    """From rows of (label, amount of at least 0, the amount as text)."""
    largest = max((Decimal(str(amount)) for _, amount, _ in rows), default=Decimal(0)) or Decimal(1)
    most = max(rows, key=lambda row: row[1], default=("", 0, ""))
    return Amounts(
        name,
        [Amount(label, _percent(Decimal(str(amount)) * 100 / largest), text) for label, amount, text in rows],
        [("0%", "0"), ("100%", most[2])] if most[1] else [("0%", "0")],
    )


Plot = Bars | Intervals | HeatMap | Grid | Amounts


def _percent(value: Decimal) -> str:
    """A coordinate for an SVG attribute."""
    return f"{half_up(value, 2).normalize():f}%"
