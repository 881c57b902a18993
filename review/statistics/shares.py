"""Shares of verdicts among responses, and the difference of two: counts by cluster in, estimates out.

A cluster is an instance, or a group of instances that were dealt together. Responses to one instance are related, so
the interval to report is the resampled one; Wilson's, which takes responses as independent, is beside it.
"""

import numpy as np

from core.languages import say

from .estimates import NO_ANALYTIC, NO_SPREAD, Estimate, Interval, Undefined, intervals_by_group, wilson_interval

# A group of fewer is listed, but takes no part in a ranking, a shading, or a plot without an interval.
FEW = 10
# A share of fewer is given as a count: "2 of 3" misleads less than "66.7%".
FEWEST_IN_PERCENT = 5
NOTHING_COUNTED = Undefined(say("nothing is counted here"))


def share_estimates(counts: np.ndarray, *, first: int | None = None) -> list[list[Estimate | Undefined]]:
    """The share of each of k verdicts, or of the `first` ones, in each group, from counts (clusters, groups, k); not
    defined where n is 0.

    The standard error is that of independent responses, sqrt(p (1 - p) / n).
    """

    def shares(totals: np.ndarray) -> np.ndarray:
        n = totals.sum(axis=-1, keepdims=True)
        wanted = totals[..., :first]
        return np.divide(wanted, n, out=np.full(wanted.shape, np.nan), where=n > 0)

    intervals = intervals_by_group(counts, shares)
    sums = counts.sum(axis=0).astype(int)
    return [_shares(each[:first], sum(each), intervals.get(group, [])) for group, each in enumerate(sums.tolist())]


def _shares(counts: list[int], n: int, intervals: list[Interval | Undefined]) -> list[Estimate | Undefined]:
    if not n:
        return [NOTHING_COUNTED] * len(counts)
    return [
        Estimate(count / n, interval, wilson_interval(count, n), (count / n * (1 - count / n) / n) ** 0.5 or None)
        for count, interval in zip(counts, intervals, strict=True)
    ]


def share_difference(first: np.ndarray, second: np.ndarray) -> Estimate | Undefined:
    """The share of the first verdict in the first group minus that in the second, both as counts (clusters, k) of the
    same clusters in the same order.

    Both are added up over the same draws, so that an instance's effect on both cancels out.
    """
    return share_differences(first, second[:, None])[0]


def share_differences(first: np.ndarray, others: np.ndarray) -> list[Estimate | Undefined]:
    """The same for several other groups together, shape (clusters, groups, k)."""
    mine = np.stack([first[:, 0], first.sum(axis=1)], axis=1)
    theirs = np.stack([others[:, :, 0], others.sum(axis=2)], axis=2)
    clusters = np.concatenate([np.broadcast_to(mine[:, None], theirs.shape), theirs], axis=2)
    intervals = intervals_by_group(clusters, lambda totals: _difference(totals)[..., None])
    return [
        Estimate(float(_difference(sums)), intervals[number][0], NO_ANALYTIC)
        if sums[1] and sums[3]
        else NOTHING_COUNTED
        for number, sums in enumerate(clusters.sum(axis=0))
    ]


def _difference(sums: np.ndarray) -> np.ndarray:
    nothing = np.full(sums.shape[:-1], np.nan)
    shares = [
        np.divide(sums[..., at], sums[..., at + 1], out=nothing.copy(), where=sums[..., at + 1] > 0) for at in (0, 2)
    ]
    return shares[0] - shares[1]


def is_too_close(difference: Estimate | Undefined) -> bool:
    """Return whether the data do not show which of two is larger: the interval of their difference holds 0, or there
    is none.

    A difference without spread, the same in every resample, is told from 0.
    """
    if isinstance(difference, Undefined):
        return True
    interval = difference.interval
    if isinstance(interval, Interval):
        return interval.low <= 0 <= interval.high
    return interval is not NO_SPREAD or difference.value == 0
