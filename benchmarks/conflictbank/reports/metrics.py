"""Computes the numbers of ConflictBank's answers: known items, OAR, CAR, M_R, bits. Counts in, numbers out.

OAR, CAR and the other shares are of the readable answers to items that the model knows. M_R = OAR / (OAR + CAR) is
formed from counts, never from rounded shares, and is not defined where both are 0. Intervals resample items.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum

import numpy as np

from core.languages import say
from review.statistics.estimates import Estimate, Interval, Undefined, percentile_intervals, resampled_totals
from review.statistics.rounding import half_up

from ..conditions import CORRECT, NONE

NO_CHOICE = Undefined(say("no answer is the default or the replaced option"))
NO_ANSWERS = Undefined(say("there is no readable answer to a known item"))
SHARE_DECIMALS = 2


class Choice(IntEnum):
    """The option that an answer chooses."""

    DEFAULT = 0
    REPLACED = 1
    UNCERTAIN = 2
    OTHER = 3
    UNREADABLE = 4


READABLE = (Choice.DEFAULT, Choice.REPLACED, Choice.UNCERTAIN, Choice.OTHER)
# Where an item has no answer.
ABSENT = -1


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a model under one condition: in parallel, the item, the choice, and the entropy (nan without
    log-probabilities). An item may occur several times, if it was asked in several orders or repeatedly.
    """

    items: np.ndarray
    choices: np.ndarray
    bits: np.ndarray

    def only(self, kept: np.ndarray) -> "Answers":
        return Answers(self.items[kept], self.choices[kept], self.bits[kept])


def known_items(answers: Mapping[str, Answers]) -> np.ndarray:
    """The items that a model knows, sorted: it chose the default option both without evidence and with default
    evidence, every time it was asked.
    """
    if NONE.code not in answers or CORRECT.code not in answers:
        return np.array([], dtype=int)
    return np.intersect1d(_always_default(answers[NONE.code]), _always_default(answers[CORRECT.code]))


def asked_items(answers: Mapping[str, Answers]) -> int:
    """The number of items that a model was asked about under any condition."""
    return len(np.unique(np.concatenate([each.items for each in answers.values()]))) if answers else 0


def _always_default(answers: Answers) -> np.ndarray:
    is_default = answers.choices == Choice.DEFAULT
    return np.setdiff1d(answers.items[is_default], answers.items[~is_default])


def among(answers: Answers, items: np.ndarray) -> Answers:
    """The answers to these items."""
    return answers.only(np.isin(answers.items, items))


@dataclass(frozen=True, slots=True)
class Counts:
    """Answers to known items by choice, and the mean entropy of the readable ones if they have one."""

    default: int
    replaced: int
    uncertain: int
    other: int
    unreadable: int
    bits: float | None

    @property
    def n(self) -> int:
        return self.default + self.replaced + self.uncertain + self.other

    def share(self, count: int) -> Decimal | None:
        """A count in percent of the readable answers, half up to two decimals; None where there are none."""
        return percent(count, self.n)

    @property
    def ratio(self) -> Decimal | None:
        """M_R in percent, from counts; None where it is not defined."""
        return percent(self.default, self.default + self.replaced)

    @property
    def entropy(self) -> Decimal | None:
        return None if self.bits is None else half_up(self.bits, SHARE_DECIMALS)


def percent(count: int, n: int) -> Decimal | None:
    """100 * count / n, half up to two decimals; None where n is 0."""
    return half_up(Decimal(100 * count) / Decimal(n), SHARE_DECIMALS) if n else None


def counts_of(answers: Answers) -> Counts:
    """The counts of these answers."""
    by_choice = np.bincount(answers.choices, minlength=len(Choice))
    read = answers.bits[(answers.choices != Choice.UNREADABLE) & np.isfinite(answers.bits)]
    default, replaced, uncertain, other, unreadable = (int(by_choice[choice]) for choice in Choice)
    bits = float(np.sum(read) / len(read)) if len(read) else None
    return Counts(default, replaced, uncertain, other, unreadable, bits)


# --- Intervals ------------------------------------------------------------------------------------------------------

# The numbers with an interval, in the order of `intervals`.
MEASURES = ("OAR", "CAR", "uncertain", "other", "M_R")


def ratios(totals: np.ndarray) -> np.ndarray:
    """The measures as shares from counts by readable choice, shape (..., 4) to (..., 5); nan where not defined."""
    n = totals.sum(axis=-1)
    both = totals[..., Choice.DEFAULT] + totals[..., Choice.REPLACED]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [totals[..., choice] / n for choice in READABLE]
        return np.stack([*shares, totals[..., Choice.DEFAULT] / both], axis=-1)


def tables(answers: Answers) -> np.ndarray:
    """The counts of readable answers by choice for each item that has any, the items sorted: (items, 4)."""
    read = answers.only(answers.choices != Choice.UNREADABLE)
    items, at = np.unique(read.items, return_inverse=True)
    found = np.bincount(at * len(READABLE) + read.choices, minlength=len(items) * len(READABLE))
    return found.astype(float).reshape(len(items), len(READABLE))


def intervals(answers: Answers) -> dict[str, Interval | Undefined]:
    """The 95% interval of each measure as a share, by bootstrap over items, or the reason why there is none."""
    totals = resampled_totals(tables(answers))
    if isinstance(totals, Undefined):
        return dict.fromkeys(MEASURES, totals)
    return dict(zip(MEASURES, percentile_intervals(ratios(totals)), strict=True))


def estimates(answers: Answers) -> dict[str, Estimate | Undefined]:
    """Each measure as a share with its interval, or the reason why it is not defined."""
    values = ratios(tables(answers).sum(axis=0))
    missing = NO_CHOICE if np.isfinite(values[0]) else NO_ANSWERS
    ends = intervals(answers)
    return {
        name: Estimate(float(value), ends[name], ANALYTIC) if np.isfinite(value) else missing
        for name, value in zip(MEASURES, values, strict=True)
    }


ANALYTIC = Undefined(say("only intervals by resampling items are given"))


# --- Two conditions, item by item -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """The measures under one condition minus those under another, over the items that are readable under both: the
    number of these items, and each difference as a share with its interval.
    """

    items: int
    measures: Mapping[str, Estimate | Undefined]


def difference(one: Answers, other: Answers) -> Difference:
    """Compare two conditions item by item: only items with a readable answer under both count, and both conditions
    are resampled together.
    """
    both = np.intersect1d(_readable_items(one), _readable_items(other))
    if not len(both):
        return Difference(0, dict.fromkeys(MEASURES, NO_ANSWERS))
    pair = np.stack([tables(among(each, both)) for each in (one, other)], axis=1)
    values = _differences(pair.sum(axis=0))
    totals = resampled_totals(pair)
    ends: list[Interval | Undefined] = (
        [totals] * len(MEASURES) if isinstance(totals, Undefined) else percentile_intervals(_differences(totals))
    )
    return Difference(
        len(both),
        {
            name: Estimate(float(value), end, ANALYTIC) if np.isfinite(value) else NO_CHOICE
            for name, value, end in zip(MEASURES, values, ends, strict=True)
        },
    )


def _readable_items(answers: Answers) -> np.ndarray:
    return answers.items[answers.choices != Choice.UNREADABLE]


def _differences(totals: np.ndarray) -> np.ndarray:
    found = ratios(totals)
    return found[..., 0, :] - found[..., 1, :]
