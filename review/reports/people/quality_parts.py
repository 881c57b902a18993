"""Parts that the sections of a person's quality share: counts, medians of minutes, points, rows of the file."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from core.languages import say

from ...statistics.estimates import Estimate, Undefined, wilson_interval
from ...statistics.rounding import half_up, percent
from ...statistics.shares import FEWEST_IN_PERCENT
from ..drawing.plots import SHARES, Intervals, Point, intervals
from ..layout import Cell, Value, estimate_record, undefined_cell

NOTHING_DECIDED = Undefined(say("none of them is decided"))


@dataclass(frozen=True, slots=True)
class Counted:
    """A count out of n, with Wilson's interval."""

    count: int
    n: int

    @property
    def estimate(self) -> Estimate | Undefined:
        if not self.n:
            return NOTHING_DECIDED
        interval = wilson_interval(self.count, self.n)
        return Estimate(self.count / self.n, interval, interval)

    def cells(self, href: str = "") -> list[Cell]:
        """The share in percent, or the count of few, and its interval."""
        number = self.estimate
        if isinstance(number, Undefined) or isinstance(number.interval, Undefined):
            return [undefined_cell(NOTHING_DECIDED), Cell(None)]
        title = say("{count:,} of {n:,}", count=self.count, n=self.n)
        few = self.n < FEWEST_IN_PERCENT
        low, high = (half_up(end * 100, 1) for end in (number.interval.low, number.interval.high))
        return [
            Cell(title if few else percent(self.count, self.n), title, href),
            Cell(say("{low:f} to {high:f}", low=low, high=high)),
        ]


def plot_of_shares(name: str, rows: Iterable[tuple[str, Counted]]) -> list[Intervals]:
    """A plot of shares by label, such as a week; none without a share that is defined."""
    lines = []
    for label, counted in rows:
        number = counted.estimate
        if isinstance(number, Estimate):
            words = say("{label}: {count:,} of {n:,}", label=label, count=counted.count, n=counted.n)
            point = Point(number.value, number.interval.low, number.interval.high, words)
            lines.append(("", label, [point], say("n {n:,}", n=counted.n)))
    return [intervals(name, lines, ticks=SHARES, as_percent=True)] if lines else []


def median_cells(number: Estimate | Undefined) -> list[Cell]:
    """The cells of a median of minutes and of its interval."""
    if isinstance(number, Undefined):
        return [undefined_cell(number), Cell(None)]
    value = Cell(half_up(number.value, 1))
    between = number.interval
    if isinstance(between, Undefined):
        return [value, undefined_cell(between)]
    return [value, Cell(say("{low:f} to {high:f}", low=half_up(between.low, 1), high=half_up(between.high, 1)))]


def minutes_point(label: str, number: Estimate, kind: str = "circle") -> Point:
    """The mark of a median of minutes."""
    words = say("{label}: {value:f} minutes", label=label, value=half_up(number.value, 1))
    return Point(number.value, number.interval.low, number.interval.high, words, kind)


def ends_of(number: Estimate | Undefined) -> list[float]:
    """The values that a scale has to hold."""
    if isinstance(number, Undefined):
        return []
    return [number.value, *([] if isinstance(number.interval, Undefined) else [number.interval.high])]


def scale_to(most: float) -> list[float]:
    """Ticks from 0 in five round steps up to at least this."""
    unit = next(each for each in (1, 2, 5, 10, 20, 30, 60, 120, 300, 600) if 5 * each >= most or each == 600)
    steps = max(1, min(5, ceil(most / unit)))
    return [float(unit * step) for step in range(steps + 1)]


COLUMNS = ("part", "group", "measure", "n", "value", "low", "high")


def record_of(part: str, group: str, measure: str, n: int, number: Estimate | Undefined) -> dict[str, Value]:
    """A row of the CSV file."""
    values = [part, group, measure, n, *estimate_record("value", number).values()]
    return dict(zip(COLUMNS, values, strict=True))
