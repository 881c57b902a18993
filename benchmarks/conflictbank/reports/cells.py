"""Cells of ConflictBank's tables: the numbers of a model's answers under one condition, for pages, files and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.languages import say
from review.reports.drawing.plots import SHARES, Intervals, Point, intervals
from review.reports.layout import Cell, Column, Value, as_number, ends_of, undefined_cell
from review.statistics.estimates import Estimate, Undefined
from review.statistics.rounding import half_up

from ..conditions import CONDITIONS, ORDER_WORDS
from .metrics import NO_ANSWERS, NO_CHOICE, Answers, Counts, counts_of, estimates

RATIO = "M_R"
# The columns of a cell, with their tooltips.
COLUMNS = (
    Column("n", title=say("Readable answers to known items")),
    Column(say("Unreadable"), title=say("Answers to known items that name no option, or several; in no ratio")),
    Column("OAR", title=say("Original answer ratio: the default option, in percent of n")),
    Column("CAR", title=say("Counter answer ratio: the replaced option, in percent of n")),
    Column(say("Uncertain"), title=say("The option “uncertain”, in percent of n")),
    Column(say("Other"), title=say("Another object, in percent of n")),
    Column(RATIO, title=say("Memorisation ratio: OAR / (OAR + CAR) in percent, from counts")),
    Column("95%", title=say("Interval of M_R, by resampling items")),
    Column(say("Bits"), title=say("Mean entropy of the four options' probabilities")),
)


@dataclass(frozen=True)
class Figures:
    """The numbers of some answers to known items; `name` is the condition, perhaps with the order of two texts."""

    name: str
    label: str
    answers: Answers

    @cached_property
    def counts(self) -> Counts:
        return counts_of(self.answers)

    @cached_property
    def measured(self) -> Mapping[str, Estimate | Undefined]:
        return estimates(self.answers)

    @property
    def ratio(self) -> Estimate | Undefined:
        return self.measured[RATIO]

    @property
    def expected(self) -> dict[str, int | float | None]:
        """The numbers in the form of the files of expected figures."""
        counts = self.counts
        shares = {"OAR": counts.default, "CAR": counts.replaced, "uncertain": counts.uncertain}
        return {
            "n": counts.n,
            "unreadable": counts.unreadable,
            **{name: as_number(counts.share(count)) for name, count in shares.items()},
            RATIO: as_number(counts.ratio),
            "bits": as_number(counts.entropy),
        }

    @property
    def intervals(self) -> dict[str, list[float] | None]:
        """The ends of the intervals in percent; None where there is none."""
        return {name: _ends(number) for name, number in self.measured.items()}

    @property
    def record(self) -> dict[str, Value]:
        """The numbers for CSV: an undefined one has its reason."""
        counts = self.counts
        missing = NO_CHOICE if counts.n else NO_ANSWERS
        ratio_ends = ends_of(self.ratio.interval)
        return {
            "n": counts.n,
            "unreadable": counts.unreadable,
            "default": counts.default,
            "replaced": counts.replaced,
            "uncertain": counts.uncertain,
            "other": counts.other,
            "OAR": _or(counts.share(counts.default), NO_ANSWERS),
            "CAR": _or(counts.share(counts.replaced), NO_ANSWERS),
            RATIO: _or(counts.ratio, missing),
            **{f"{RATIO}_{end}": value for end, value in ratio_ends.items()},
            "bits": counts.entropy,
        }

    @property
    def cells(self) -> list[Cell]:
        """The cells for `COLUMNS`."""
        counts = self.counts
        chosen = (counts.default, counts.replaced, counts.uncertain, counts.other)
        shares = [_share(counts, count) for count in chosen]
        return [Cell(counts.n), Cell(counts.unreadable), *shares, *self.ratio_cells, Cell(counts.entropy)]

    @property
    def ratio_cells(self) -> list[Cell]:
        """M_R and its interval."""
        counts, number = self.counts, self.ratio
        if isinstance(number, Undefined):
            return [undefined_cell(number), Cell(None)]
        title = say("{count:,} of {n:,}", count=counts.default, n=counts.default + counts.replaced)
        if ends := _ends(number):
            interval = Cell(say("{low} to {high}", low=ends[0], high=ends[1]))
        else:
            interval = undefined_cell(number.interval)  # type: ignore[arg-type]
        return [Cell(counts.ratio, title), interval]

    @property
    def points(self) -> list[Point]:
        """M_R with its interval, for a plot."""
        number = self.ratio
        if isinstance(number, Undefined):
            return []
        words = f"{self.label}: M_R {self.counts.ratio}%"
        return [Point(number.value, number.interval.low, number.interval.high, words)]


def figures(condition: str, answers: Answers, order: str = "") -> Figures:
    """The figures of these answers under a condition, in one order if given."""
    name = f"{condition} / {order}" if order else condition
    words = CONDITIONS[condition].label
    return Figures(name, f"{words}, {ORDER_WORDS[order]}" if order else words, answers)


def ratio_plot(name: str, rows: Sequence[tuple[str, Figures]]) -> Intervals:
    """M_R with intervals; the first row of a group has its name, the others ""."""
    lines = [(group, each.label, each.points, f"n {each.counts.n:,}") for group, each in rows]
    return intervals(name, lines, ticks=SHARES, as_percent=True)


def grouped(rows: Sequence[Figures], group: str) -> Iterator[tuple[str, Figures]]:
    """The rows of one group for a plot: the first one has its name."""
    return ((group if at == 0 else "", each) for at, each in enumerate(rows))


def _share(counts: Counts, count: int) -> Cell:
    value = counts.share(count)
    return (
        undefined_cell(NO_ANSWERS)
        if value is None
        else Cell(value, say("{count:,} of {n:,}", count=count, n=counts.n))
    )


def _ends(number: Estimate | Undefined) -> list[float] | None:
    if isinstance(number, Undefined) or isinstance(number.interval, Undefined):
        return None
    return [float(half_up(100 * end, 1)) for end in (number.interval.low, number.interval.high)]


def _or(value: Value, reason: Undefined) -> Value:
    return reason if value is None else value
