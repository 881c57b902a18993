"""A number with its 95% interval, or the reason why there is no number; and resampling over clusters.

Every estimate of the review reports is an ``Estimate`` or an ``Undefined``. Both are plain data:
``dataclasses.asdict`` gives the value of a JSON export (never nan), ``str`` the text of a table cell, and an
``Undefined`` is false, so a template asks ``{% if kappa %}`` and, inside, ``{% if kappa.interval %}``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.languages import figure, say

from .rounding import half_up

Totals = TypeVar("Totals")

LEVEL = 0.95
RESAMPLES = 2_000
SEED = 5
# With fewer clusters there are too few different resamples for their outer 2.5% to mean anything.
MIN_CLUSTERS = 5
# Above this, clusters are pooled at random before resampling: see resampled_totals.
MAX_CLUSTERS = 1_000
# With more sets of clusters than this, groups are resampled together: see totals_by_group.
MOST_PATTERNS = 24
# The share of resamples in which the number must exist for the interval to be fair.
DEFINED_SHARE = 0.95
# Rounding errors of sums over a table stay well below this, and real variances well above.
ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class Undefined:
    """No number, and the reason, in words that a reader of the report understands."""

    reason: str
    value: None = field(default=None, init=False)

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return say("not defined")

    # The fields of an estimate and of an interval, for code that writes a number or nothing.
    low = high = None
    interval = analytic = property(lambda self: self)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval."""

    low: float
    high: float

    def __str__(self) -> str:
        return say("{low:f} to {high:f}", low=half_up(self.low, 2), high=half_up(self.high, 2))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A finite number; its interval by resampling whole instances; beside it the analytic one.

    The analytic interval and the standard error take the responses as independent. Responses to one instance are
    not, so the resampled interval is the one to report. Where ``analytic`` is undefined, so is ``standard_error``.
    """

    value: float
    interval: Interval | Undefined
    analytic: Interval | Undefined
    standard_error: float | Undefined | None = None

    def __post_init__(self) -> None:
        if self.standard_error is None:
            object.__setattr__(self, "standard_error", NO_ERROR if self.analytic else self.analytic)

    def __str__(self) -> str:
        value = figure(str(half_up(self.value, 2)))
        return say("{value} ({interval})", value=value, interval=str(self.interval)) if self.interval else value


def number_in(value: float | Undefined) -> float | None:
    """A number for a file; None if there is none."""
    return None if isinstance(value, Undefined) else value


NO_PAIR = Undefined(say("no response has two verdicts"))
ONE_PAIR = Undefined(say("only one response has two verdicts"))
ONE_VERDICT = Undefined(
    say("one and the same verdict was given every time, so nothing shows whether verdicts are told apart")
)
NO_CLUSTERS = Undefined(say("it is not known which responses belong to one instance"))
FEW_CLUSTERS = Undefined(
    say("there are responses to fewer than {min_clusters} unrelated instances", min_clusters=MIN_CLUSTERS)
)
OFTEN_UNDEFINED = Undefined(say("in too many resamples of the instances the number itself is not defined"))
NO_SPREAD = Undefined(say("every resample of the instances gives the same number"))
NO_ANALYTIC = Undefined(say("it has no analytic interval for responses that are related"))
NO_ERROR = Undefined(say("the standard error is zero: nothing in these data shows how the number would vary"))


def count_tables(
    clusters: npt.ArrayLike,
    rows: npt.ArrayLike,
    columns: npt.ArrayLike,
    *,
    shape: tuple[int, int],
    counts: npt.ArrayLike | None = None,
) -> np.ndarray:
    """One table of counts per cluster, shape (clusters, *shape), the clusters in sorted order.

    The arguments run in parallel: the cluster (say, the instance's id), row and column number of a response, or of
    ``counts`` many, as ``GROUP BY instance, verdict, verdict`` returns them. Raises ValueError if a row or column
    number lies outside the shape.
    """
    names, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    if not len(names):
        return np.zeros((0, *shape))
    where = np.ravel_multi_index((cluster, np.asarray(rows), np.asarray(columns)), (len(names), *shape))
    weights = None if counts is None else np.asarray(counts, dtype=float)
    size = len(names) * shape[0] * shape[1]
    return np.bincount(where, weights=weights, minlength=size).astype(float).reshape(len(names), *shape)


def read_tables(tables: npt.ArrayLike, *, extra_rows: int = 0) -> tuple[np.ndarray, np.ndarray | None]:
    """One table (k + extra_rows, k), or one per cluster, as (their sum, those clusters that hold anything).

    The second is None for a single table. Raises ValueError for another shape or anything but counts.
    """
    counts = np.asarray(tables, dtype=float)
    if counts.ndim not in (2, 3) or counts.shape[-2] != counts.shape[-1] + extra_rows or counts.shape[-1] < 2:
        raise ValueError(f"not a table of verdicts, nor one per cluster: shape {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all() and (counts == np.floor(counts)).all()):
        raise ValueError("a table of verdicts holds counts: whole numbers from 0")
    if counts.ndim == 2:
        return counts, None
    return counts.sum(axis=0), counts[counts.any(axis=(1, 2))]


def whole_table(table: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """A table of counts as plain integers, for a result."""
    return tuple(tuple(int(cell) for cell in row) for row in table)


def resampled_totals(clusters: np.ndarray | None, *, resamples: int = RESAMPLES) -> np.ndarray | Undefined:
    """The sums of the clusters in each of the bootstrap samples, shape (resamples, *clusters.shape[1:]).

    A bootstrap sample draws as many clusters as there are, with replacement, each bringing all it holds (Davison &
    Hinkley 1997, Bootstrap Methods and their Application, section 3.8). Only sums are wanted, so that all samples
    come from one matrix product: how often each cluster was drawn, times what it holds.

    More than MAX_CLUSTERS clusters are first dealt at random into that many equal groups, which are independent of
    each other, too. The interval's width then has an additional random error of 1 / sqrt(2 * MAX_CLUSTERS), about 2%,
    and 100,000 instances take hardly longer than 1,000.
    """
    if clusters is None:
        return NO_CLUSTERS
    if len(clusters) < MIN_CLUSTERS:
        return FEW_CLUSTERS
    groups = dealt_into_groups(clusters.reshape(len(clusters), -1))
    totals = _times_drawn(len(groups), resamples, SEED).astype(float) @ groups
    return totals.reshape(resamples, *clusters.shape[1:])


def dealt_into_groups(clusters: np.ndarray, most: int = MAX_CLUSTERS) -> np.ndarray:
    """This maximum of rows with the same sum, dealt at random; sizes of the groups differ by one at most."""
    count = len(clusters)
    if count <= most:
        return clusters
    rounds = -(-count // most)
    dealt = np.zeros((rounds * most, clusters.shape[1]))
    dealt[:count] = clusters[np.random.default_rng(SEED).permutation(count)]
    return dealt.reshape(rounds, most, -1).sum(axis=0)


def group_numbers(count: int, most: int) -> np.ndarray:
    """The group of each of this number of clusters, below ``most``, as `dealt_into_groups` deals them."""
    groups = np.empty(count, dtype=int)
    groups[np.random.default_rng(SEED).permutation(count)] = np.arange(count) % most
    return groups


@lru_cache(maxsize=16)  # a page needs the same draws for each of its cells; at most 4 MB each
def _times_drawn(count: int, resamples: int, seed: int) -> np.ndarray:
    """The number of times each of ``count`` clusters is drawn in each resample; every row adds up to ``count``."""
    drawn = np.random.default_rng(seed).integers(0, count, size=(resamples, count))
    drawn += np.arange(resamples)[:, None] * count
    times = np.bincount(drawn.ravel(), minlength=resamples * count).astype(np.uint16)
    times.setflags(write=False)
    return times.reshape(resamples, count)


def percentile_interval(values: np.ndarray) -> Interval | Undefined:
    """The middle 95% of the resampled values; a value that is not defined in its resample is nan.

    Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13. An interval of no width is none: it would
    claim certainty where the data merely hold no disagreement.
    """
    defined = values[np.isfinite(values)]
    if len(defined) < DEFINED_SHARE * len(values):
        return OFTEN_UNDEFINED
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high)) if high - low > ZERO else NO_SPREAD


def percentile_intervals(values: np.ndarray) -> list[Interval | Undefined]:
    """The percentile interval of each column of resampled values, shape (resamples, columns)."""
    whole = np.isfinite(values).all(axis=0)
    found: list[Interval | Undefined] = [NO_SPREAD] * len(whole)
    if whole.any():
        ends = np.quantile(values[:, whole], [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        for at, (low, high) in zip(np.flatnonzero(whole), ends.T.tolist(), strict=True):
            found[at] = Interval(low, high) if high - low > ZERO else NO_SPREAD
    for at in np.flatnonzero(~whole):
        found[at] = percentile_interval(values[:, at])
    return found


def intervals_by_group(
    clusters: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]
) -> dict[int, list[Interval | Undefined]]:
    """The intervals of the statistic over each group's resampled totals: from counts (clusters, groups, m) it takes
    (..., m) to (..., numbers). An empty group has none.
    """
    found: dict[int, list[Interval | Undefined]] = {}
    for groups, totals in totals_by_group(clusters):
        if isinstance(totals, Undefined):
            numbers = statistic(clusters.sum(axis=0)).shape[-1]
            found |= {group: [totals] * numbers for group in groups.tolist()}
            continue
        values = statistic(totals)
        intervals = percentile_intervals(values.reshape(len(values), -1))
        for at, group in enumerate(groups.tolist()):
            found[group] = intervals[at * values.shape[-1] : (at + 1) * values.shape[-1]]
    return found


def totals_by_group(clusters: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray | Undefined]]:
    """Resampled totals of many groups together: from counts (clusters, groups, m) to pieces of (the numbers of some
    groups, their totals, shape (resamples, these groups, m), or why there are none).

    Groups with counts in the same clusters share one matrix product, and each is resampled over these clusters, as it
    would be alone. Where there are more than MOST_PATTERNS sets of clusters, all groups are drawn together over all
    clusters; a group's size then varies from resample to resample. A group without anything is in no piece.
    """
    held = np.asarray(clusters.any(axis=2))
    patterns, pattern = np.unique(held, axis=1, return_inverse=True)
    if patterns.shape[1] > MOST_PATTERNS:
        sizes = held.sum(axis=0)
        few, enough = np.flatnonzero((sizes > 0) & (sizes < MIN_CLUSTERS)), np.flatnonzero(sizes >= MIN_CLUSTERS)
        yield few, FEW_CLUSTERS
        yield enough, resampled_totals(clusters[held.any(axis=1)][:, enough])
        return
    for number, rows in enumerate(patterns.T):
        groups = np.flatnonzero(pattern.ravel() == number)
        if rows.any() and len(groups):
            yield groups, resampled_totals(clusters[np.ix_(rows, groups)])


def resampled_interval(totals: Totals | Undefined, statistic: Callable[[Totals], np.ndarray]) -> Interval | Undefined:
    """The percentile interval of the statistic over each resample's totals, or the reason why there is none."""
    return totals if isinstance(totals, Undefined) else percentile_interval(statistic(totals))


def student_interval(
    value: float, variance: float, n: int, *, bounds: tuple[float, float]
) -> tuple[Interval | Undefined, float | None]:
    """value +- t * sqrt(variance), t of n - 1 degrees of freedom, cut at the bounds; and the standard error.

    The variance is that of the estimate, so already divided by n. Student's t, as in Gwet's published intervals,
    is a little wider than the normal one where n is small.
    """
    from scipy.special import stdtrit  # takes 30 MB, so only processes that make a report import it

    if n < 2 or variance * n <= ZERO:
        return NO_ERROR, None
    error = float(np.sqrt(variance))
    reach = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * error
    return Interval(max(bounds[0], value - reach), min(bounds[1], value + reach)), error


def wilson_interval(count: int, n: int) -> Interval:
    """The interval of a share, count of n > 0: it keeps its width at 0 and 1, where the usual one has none.

    (p + z²/2n +- z sqrt(p(1 - p)/n + z²/4n²)) / (1 + z²/n). Wilson 1927, JASA 22:209.
    """
    from scipy.special import ndtri  # as above

    z = float(ndtri((1 + LEVEL) / 2))
    share = count / n
    middle = share + z * z / (2 * n)
    reach = z * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    scale = 1 + z * z / n
    # At its ends the share is the bound; the division may miss that by a rounding error.
    low = (middle - reach) / scale if count else 0.0
    high = (middle + reach) / scale if count < n else 1.0
    return Interval(low, high)


def sums_by_cluster(parts: np.ndarray, clusters: npt.ArrayLike | None) -> np.ndarray | None:
    """Rows of one cluster added up: (rows, columns) to (clusters, columns); None if the clusters are not known."""
    if clusters is None:
        return None
    names, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    columns = [np.bincount(cluster, weights=column, minlength=len(names)) for column in parts.T]
    return np.stack(columns, axis=1)
