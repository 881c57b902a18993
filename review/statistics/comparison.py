"""Model against model over the same instances: shares of verdicts in, differences and tests out.

A *unit* is an instance and a prompt template to which both models have responses with a final verdict. Responses to
one instance are related, so instances are what is resampled, and what the tests exchange: under their null hypothesis
the two models could be swapped on any instance. An instance counts for the model that is correct on it more often.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TypeVar

import numpy as np

from core.languages import say

from .estimates import (
    MAX_CLUSTERS,
    SEED,
    Estimate,
    Interval,
    Undefined,
    dealt_into_groups,
    group_numbers,
    intervals_by_group,
    wilson_interval,
)
from .p_values import above_zero

LEVEL_OF_TESTS = 0.05
SHUFFLES = 9_999
# The unit that is swapped: instances or, above this number, groups of them dealt at random.
MOST_SWAPPED = 400
# A multiple of all numbers up to 12: shares of up to 12 responses are exact.
GRAIN = 27_720
# Rounding errors of sums, of thirds for example, are smaller.
ROUNDING = 1e-6
NO_UNIT = Undefined(say("no response of one has a counterpart of the other"))
ALWAYS_ALIKE = Undefined(say("both are correct on the same instances, so there is nothing to test"))
SAME_VERDICTS = Undefined(say("both have the same verdicts on every instance, so there is nothing to test"))
REPEATED = Undefined(say("a model answered some instances more than once"))
# A p-value, or why there is none.
P = TypeVar("P", float, float | Undefined)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models over ``units`` of ``instances``: the share of each that is correct, and the first's minus the
    second's.

    ``first_only`` and ``second_only`` count the instances on which one is correct more often than the other.
    ``mcnemar`` and ``verdicts`` are p-values: of correct or not, and of all verdicts together.
    ``difference.analytic`` is Newcombe's interval, which takes units as independent.
    """

    units: int
    instances: int
    first: float | Undefined
    second: float | Undefined
    difference: Estimate | Undefined
    first_only: int
    second_only: int
    mcnemar: float | Undefined
    verdicts: float | Undefined

    @property
    def discordant(self) -> int:
        return self.first_only + self.second_only


def compare(
    shares: np.ndarray,
    instances: np.ndarray,
    pairs: Sequence[tuple[int, int]],
    *,
    unit_of: Callable[[np.ndarray], np.ndarray] = lambda instances: instances,
    shuffles: int = SHUFFLES,
) -> list[Comparison]:
    """Compares each pair of models, the numbers of two columns of ``shares``.

    ``shares`` has the share of each verdict in what a model answered in a unit, shape (units, models, verdicts), the
    first verdict being "correct"; nan where the model has no response with a final verdict. With one response, as is
    usual, it is 1 for its verdict. ``instances`` names the instance of each unit, and ``unit_of`` says which
    instances are related: these are resampled and swapped together, and count once in McNemar's test.
    """
    if not len(shares) or not pairs:
        return [_nothing() for _ in pairs]
    instances = np.asarray(instances)
    related = np.asarray(unit_of(instances))
    order = np.lexsort((instances, related))
    shares, instances, related = shares[order], instances[order], related[order]
    is_new = np.diff(related, prepend=related[0] - 1) != 0
    starts = np.flatnonzero(is_new)
    of_instances = np.flatnonzero(is_new | (np.diff(instances, prepend=instances[0] - 1) != 0))
    kinds, kind = _kinds_of_shares(shares)
    columns, is_whole = _columns(kinds)
    clusters = _clusters(len(starts))
    count = int(clusters.max()) + 1
    # Of each unit, the first of its cluster's counts.
    cells = np.repeat(clusters, np.diff(starts, append=len(shares))) * len(columns)
    # By cluster and pair: units, correct of the first and of the second, and the differences of all verdicts.
    sums = np.empty((count, len(pairs), columns.shape[1]))
    tables: list[np.ndarray | None] = []
    ahead: list[tuple[int, int, int]] = []
    tested: list[float | Undefined] = []
    for number, (one, other) in enumerate(pairs):
        both = kind[:, one] * len(kinds) + kind[:, other]
        counts = np.bincount(cells + both, minlength=count * len(columns)).reshape(count, -1)
        sums[:, number] = counts @ columns
        tables.append(_correct_or_not(counts.sum(axis=0), columns, is_whole))
        ahead.append(_who_is_ahead(both, columns, of_instances))
        tested.append(mcnemar(*_who_is_ahead(both, columns, starts)[1:]))
    intervals = intervals_by_group(sums[:, :, :3], _difference)
    p_values = swap_test(sums[:, :, 3:], shuffles=shuffles)
    totals = sums.sum(axis=0)
    return [
        _comparison(
            totals[number],
            ahead[number],
            tables[number],
            intervals.get(number, [None])[0],
            (tested[number], p_values[number]),
        )
        for number in range(len(pairs))
    ]


def _clusters(count: int) -> np.ndarray:
    """The resampling unit of each instance: itself or, if there are many, a group of them. Groups are dealt
    regardless of who answered which: with this number of instances, hardly two pairs of models have the same ones.
    """
    return group_numbers(count, MOST_SWAPPED) if count > MAX_CLUSTERS else np.arange(count)


def _who_is_ahead(both: np.ndarray, columns: np.ndarray, starts: np.ndarray) -> tuple[int, int, int]:
    """The number of instances that both answered, and the numbers on which the first and the second are correct more
    often.
    """
    units, lead = columns[:, 0][both], columns[:, 3][both]
    if len(starts) < len(both):
        units, lead = np.add.reduceat(units, starts), np.add.reduceat(lead, starts)
    return (
        int(np.count_nonzero(units)),
        int(np.count_nonzero(lead > ROUNDING)),
        int(np.count_nonzero(lead < -ROUNDING)),
    )


def _nothing() -> Comparison:
    return Comparison(0, 0, NO_UNIT, NO_UNIT, NO_UNIT, 0, 0, NO_UNIT, NO_UNIT)


def _comparison(
    totals: np.ndarray,
    ahead: tuple[int, int, int],
    table: np.ndarray | None,
    interval: Interval | Undefined | None,
    p_values: tuple[float | Undefined, float | Undefined],
) -> Comparison:
    units, first, second = totals[:3]
    if not units or interval is None:
        return _nothing()
    instances, first_only, second_only = ahead
    return Comparison(
        units=int(units),
        instances=instances,
        first=float(first / units),
        second=float(second / units),
        difference=Estimate(
            float((first - second) / units), interval, REPEATED if table is None else newcombe_interval(table)
        ),
        first_only=first_only,
        second_only=second_only,
        mcnemar=p_values[0],
        verdicts=p_values[1],
    )


def _kinds_of_shares(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the different shares that occur, which of them each unit and model has). They are few: one for each verdict,
    one for none, and some more where a model answered several times. Shares are taken to 1 / GRAIN."""
    parts = np.where(np.isfinite(shares), np.rint(shares * GRAIN), GRAIN + 1).astype(np.int64)
    keys = parts[:, :, 0]
    for verdict in range(1, shares.shape[2]):
        keys = keys * (GRAIN + 2) + parts[:, :, verdict]
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    return shares.reshape(-1, shares.shape[2])[first], kind.reshape(keys.shape)


def _columns(kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each two kinds of shares, of the first and of the second model: [1 unit, correct of the first, of the
    second, differences of all verdicts], all 0 if either is missing; and whether both are whole, one response each.
    """
    there = np.isfinite(kinds[:, 0])
    both = np.logical_and.outer(there, there).ravel()[:, None]
    known = np.where(there[:, None], kinds, 0.0)
    first, second = np.repeat(known, len(kinds), axis=0), np.tile(known, (len(kinds), 1))
    columns = np.column_stack([np.ones(len(first)), first[:, 0], second[:, 0], first - second]) * both
    whole = (known == np.rint(known)).all(axis=1)
    return columns, np.logical_and.outer(whole, whole).ravel()


def _correct_or_not(counts: np.ndarray, columns: np.ndarray, is_whole: np.ndarray) -> np.ndarray | None:
    """Units by whether each of the two is correct, [[both, first only], [second only, neither]]; None if one model
    has several responses in a unit and is neither."""
    known = columns[:, 0] > 0
    if (counts[known & ~is_whole] > 0).any():
        return None
    where = ((1 - columns[known, 1]) * 2 + 1 - columns[known, 2]).astype(int)
    return np.bincount(where, weights=counts[known], minlength=4).reshape(2, 2)


def _difference(totals: np.ndarray) -> np.ndarray:
    """Of totals (..., [units, correct of the first, correct of the second]), shape (..., 1)."""
    units = totals[..., :1]
    ahead = totals[..., 1:2] - totals[..., 2:]
    return np.divide(ahead, units, out=np.full(units.shape, np.nan), where=units > 0)


def mcnemar(first_only: int, second_only: int) -> float | Undefined:
    """The exact p-value of McNemar's test: the two-sided binomial of the smaller of both among the discordant.

    min(1, 2 P(X <= min)) with X binomial of first_only + second_only and 1/2. McNemar 1947, Psychometrika 12:153.
    With one unit to an instance it is the test of correct or not; with more it is the sign test over instances.
    """
    from scipy.special import bdtr  # takes 30 MB, so only processes that make a report import it

    discordant = first_only + second_only
    if not discordant:
        return ALWAYS_ALIKE
    return above_zero(2 * float(bdtr(min(first_only, second_only), discordant, 0.5)))


def newcombe_interval(table: np.ndarray) -> Interval | Undefined:
    """The 95% interval of the difference of two paired shares, from [[both, first only], [second only, neither]].

    From the Wilson intervals l, u of both shares p: d - sqrt((p1 - l1)² - 2 φ (p1 - l1)(u2 - p2) + (u2 - p2)²) and
    d + sqrt((p2 - l2)² - 2 φ (p2 - l2)(u1 - p1) + (u1 - p1)²), with φ the correlation of both, made smaller by n/2 in
    its numerator where that is positive (0 if it then changes sign). Newcombe 1998, Stat Med 17:2635, method 10.
    """
    n = int(table.sum())
    if not n:
        return NO_UNIT
    both, first_only, second_only, neither = (int(count) for count in table.ravel())
    firsts, seconds = both + first_only, both + second_only
    margins = float(firsts * seconds * (n - firsts) * (n - seconds))
    cross = float(both * neither - first_only * second_only)
    cross = max(cross - n / 2, 0.0) if cross > 0 else cross
    phi = cross / margins**0.5 if margins else 0.0
    one, other = wilson_interval(firsts, n), wilson_interval(seconds, n)
    p1, p2 = firsts / n, seconds / n

    def reach(a: float, b: float) -> float:
        return max(a * a - 2 * phi * a * b + b * b, 0.0) ** 0.5

    difference = p1 - p2
    return Interval(
        max(-1.0, difference - reach(p1 - one.low, other.high - p2)),
        min(1.0, difference + reach(p2 - other.low, one.high - p1)),
    )


def swap_test(differences: np.ndarray, *, shuffles: int = SHUFFLES) -> list[float | Undefined]:
    """The p-value of each pair that two models have the same verdicts, all verdicts together.

    ``differences`` are the verdicts of the first less those of the second in each instance, shape (instances, pairs,
    verdicts); over the verdicts they add up to 0. In each shuffle the two models swap instances at random, which
    turns the sign of an instance's differences d_i. The statistic is that of Stuart and Maxwell, D' V⁻ D with
    D = Σ d_i and V = Σ d_i d_i', which no swap changes (Stuart 1955, Biometrika 42:412); p is (1 + shuffles that
    reach it) / (1 + shuffles), Phipson & Smyth 2010, Stat Appl Genet Mol Biol 9:39.

    The last verdict follows from the others and is left out. More than MOST_SWAPPED instances are first dealt at
    random into that many groups, each of which is swapped as one.
    """
    count, pairs, verdicts = differences.shape
    free = differences[:, :, : verdicts - 1]
    swapped = dealt_into_groups(free.reshape(count, -1), MOST_SWAPPED).reshape(-1, pairs, verdicts - 1)
    variances = np.einsum("ipv,ipw->pvw", swapped, swapped)
    inverses = np.linalg.pinv(variances, rcond=1e-9, hermitian=True)
    signs = _signs(len(swapped), shuffles)
    shuffled = (signs @ swapped.reshape(len(swapped), -1).astype(np.float32)).reshape(shuffles, pairs, verdicts - 1)
    of_shuffles = np.zeros((shuffles, pairs), dtype=np.float32)
    for one, other in product(range(verdicts - 1), repeat=2):
        of_shuffles += inverses[:, one, other].astype(np.float32) * shuffled[:, :, one] * shuffled[:, :, other]
    seen = swapped.sum(axis=0)
    statistics = np.einsum("pv,pvw,pw->p", seen, inverses, seen)
    # Equal values may differ by a rounding error, and count.
    reached = np.count_nonzero(of_shuffles >= statistics * (1 - 1e-5) - ROUNDING, axis=0)
    return [
        (1 + int(reached[pair])) / (1 + shuffles) if variances[pair].any() else SAME_VERDICTS for pair in range(pairs)
    ]


@lru_cache(maxsize=2)  # a page needs the same ones for each template; at most 16 MB each
def _signs(count: int, shuffles: int) -> np.ndarray:
    signs = (
        np.random.default_rng(SEED).integers(0, 2, size=(shuffles, count), dtype=np.int8).astype(np.float32) * 2 - 1
    )
    signs.setflags(write=False)
    return signs


def holm(p_values: Sequence[P]) -> list[P | float]:
    """P-values adjusted so that, over all of them, the chance of a false alarm stays below the level.

    Those of the m defined ones in ascending order: max over j <= i of (m - j + 1) p_j, at most 1. Holm 1979, Scand J
    Stat 6:65.
    """
    known = sorted((p, at) for at, p in enumerate(p_values) if not isinstance(p, Undefined))
    adjusted: list[P | float] = list(p_values)
    largest = 0.0
    for before, (p, at) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - before) * p))
        adjusted[at] = largest
    return adjusted


def instances_needed(
    difference: float, discordant: float, *, power: float = 0.8, level: float = LEVEL_OF_TESTS
) -> int | Undefined:
    """The number of instances that distinguish two models whose shares of correct responses differ by ``difference``,
    if they disagree on the share ``discordant`` of instances.

    (z_(1 - level / 2) sqrt(ψ) + z_power sqrt(ψ - δ²))² / δ², rounded up, for McNemar's test. Connor 1987, Biometrics
    43:207. Not defined where fewer are discordant than the difference itself makes so.
    """
    from scipy.special import ndtri

    if not 0 < difference <= 1 or discordant > 1:
        return Undefined(say("a difference of shares lies above 0 and goes up to 1"))
    if discordant < difference:
        return Undefined(say("as many instances at least are discordant as the shares differ by"))
    z, z_power = float(ndtri(1 - level / 2)), float(ndtri(power))
    needed = (z * discordant**0.5 + z_power * (discordant - difference**2) ** 0.5) ** 2 / difference**2
    return int(np.ceil(needed))
