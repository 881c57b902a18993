"""The rate of an answerer's correct responses, from a judge model on all of them and people on some.

A judge model is wrong more often about one answerer than about another, so its raw rates can put answerers in the
wrong order. Where some of the same answerer's responses have a final verdict by people, the judge's error is known
on those, and is taken off: the difference estimate of survey sampling (Särndal, Swensson & Wretman 1992, Model
Assisted Survey Sampling, section 6.3), for predictions of a model known as prediction-powered inference
(Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, Science 382:669).

It is right on average whatever the judge does, provided that the responses that people judged are a random draw
from all of this answerer's; where they were chosen otherwise, say so beside the number.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.languages import say

from .estimates import (
    MIN_CLUSTERS,
    NO_ANALYTIC,
    Estimate,
    Interval,
    Undefined,
    read_tables,
    resampled_interval,
    resampled_totals,
    student_interval,
)

NO_LABELS = Undefined(say("people have given no final verdict on the responses that the judge model judged"))
ONE_LABEL = Undefined(
    say("people have given a final verdict on only one of the responses that the judge model judged")
)
FEW_LABELLED = Undefined(
    say(
        "people have given final verdicts on responses to fewer than {min_clusters} instances",
        min_clusters=MIN_CLUSTERS,
    )
)
OUTSIDE = Undefined(say("the interval lies outside 0 to 100%: too few final verdicts to correct this rate"))
SHARE = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The rate of one verdict among an answerer's responses.

    ``judged`` responses have a readable verdict of the judge model, ``judge_count`` of them this one; ``labelled``
    of these have people's final verdict too, ``human_count`` of them this one. ``corrected`` lies in 0 to 1, as
    do its intervals; ``unclipped`` is the value before that, and over all verdicts adds up to 1.
    """

    judged: int
    judge_count: int
    labelled: int
    human_count: int
    corrected: Estimate | Undefined
    unclipped: float | None


def corrected_rates(tables: npt.ArrayLike) -> tuple[CorrectedRate, ...]:
    """One answerer's judge-corrected rate of each verdict, in the order of the table's columns.

    A table has a column for each verdict of the judge model, a row for each final verdict of people, and one more
    row for responses without a final verdict by people: shape (k + 1, k), or (instances, k + 1, k) for an interval
    that takes responses to one instance together. Responses whose judge verdict is unreadable are left out.

    With f and y saying 1 where judge and people gave the verdict: mean of f over all N, plus mean of y - f over
    the n with a final verdict. Not defined without any of those; without interval where there is one only. Where n is
    small and shows no error of the judge, the intervals take it as faultless and are too narrow: show n.
    """
    table, clusters = read_tables(tables, extra_rows=1)
    totals = resampled_totals(clusters)
    if clusters is not None and np.count_nonzero(clusters[:, :-1].any(axis=(1, 2))) < MIN_CLUSTERS:
        totals = FEW_LABELLED
    return tuple(_corrected_rate(table, totals, verdict) for verdict in range(table.shape[1]))


def corrected_difference(first: np.ndarray, second: np.ndarray, *, verdict: int) -> Estimate | Undefined:
    """One answerer's corrected rate of a verdict minus another's, from tables (clusters, k + 1, k) of the same
    clusters in the same order, before either is cut to 0 and 1.

    Both are resampled over the same draws, so that an instance's effect on both cancels out. The intervals share the
    assumptions of ``corrected_rates``.
    """
    both = np.stack([first, second], axis=1)
    if not first[:, :-1].any() or not second[:, :-1].any():
        return NO_LABELS
    if min(np.count_nonzero(each[:, :-1].any(axis=(1, 2))) for each in (first, second)) < MIN_CLUSTERS:
        totals: np.ndarray | Undefined = FEW_LABELLED
    else:
        totals = resampled_totals(both[both.any(axis=(1, 2, 3))])

    def difference(tables: np.ndarray) -> np.ndarray:
        return _rate_of(tables[..., 0, :, :], verdict) - _rate_of(tables[..., 1, :, :], verdict)

    return Estimate(float(difference(both.sum(axis=0))), resampled_interval(totals, difference), NO_ANALYTIC)


def _corrected_rate(table: np.ndarray, totals: np.ndarray | Undefined, verdict: int) -> CorrectedRate:
    labelled = int(table[:-1].sum())
    unclipped = float(_rate_of(table, verdict)) if labelled else None
    return CorrectedRate(
        judged=int(table.sum()),
        judge_count=int(table[:, verdict].sum()),
        labelled=labelled,
        human_count=int(table[verdict].sum()),
        corrected=NO_LABELS if unclipped is None else _estimate(table, totals, verdict, unclipped),
        unclipped=unclipped,
    )


def _estimate(table: np.ndarray, totals: np.ndarray | Undefined, verdict: int, unclipped: float) -> Estimate:
    value = float(np.clip(unclipped, *SHARE))
    labelled = int(table[:-1].sum())
    if labelled < 2:
        return Estimate(value, ONE_LABEL, ONE_LABEL)
    interval = resampled_interval(totals, lambda tables: _rate_of(tables, verdict))
    analytic, error = student_interval(unclipped, _variance(table, verdict), labelled, bounds=(-np.inf, np.inf))
    return Estimate(value, _clipped(interval), _clipped(analytic), error)


def _rate_of(tables: np.ndarray, verdict: int) -> np.ndarray:
    """(1/N) Σ f + (1/n) Σ (y - f) of tables (..., k + 1, k); nan where there is no final verdict."""
    judged, labelled = tables.sum(axis=(-2, -1)), tables[..., :-1, :].sum(axis=(-2, -1))
    by_judge = tables[..., verdict].sum(axis=-1)
    too_few = tables[..., verdict, :].sum(axis=-1) - tables[..., :-1, verdict].sum(axis=-1)
    nowhere = np.full(np.shape(labelled), np.nan)
    known = labelled > 0
    error = np.divide(too_few, labelled, out=nowhere.copy(), where=known)
    return np.divide(by_judge, judged, out=nowhere, where=known) + error


def _variance(table: np.ndarray, verdict: int) -> float:
    """Variance of the rate, the responses taken as independent draws.

    The n labelled responses are among the N, so the estimate is Σ_labelled ((y - f) / n + f / N) +
    Σ_others f / N: two independent sums, of variance s²(y - f + f n / N) / n over the labelled and
    s²(f) (N - n) / N² over the others. With everything labelled it is that of people's own rate, s²(y) / n.
    """
    n, others = table[:-1].sum(), table[-1].sum()
    total = n + others
    both = table[verdict, verdict]
    judge_only = table[:-1, verdict].sum() - both
    people_only = table[verdict].sum() - both
    weight = n / total
    first = both * weight + judge_only * (weight - 1) + people_only
    second = both * weight**2 + judge_only * (weight - 1) ** 2 + people_only
    labelled_part = (second - first**2 / n) / (n - 1) / n
    by_judge = table[:, verdict].sum()
    judge_spread = by_judge * (total - by_judge) / (total * (total - 1))
    return float(labelled_part + judge_spread * others / total**2)


def _clipped(interval: Interval | Undefined) -> Interval | Undefined:
    """An interval of a share, cut to 0 and 1; None if nothing remains of it."""
    if isinstance(interval, Undefined):
        return interval
    low, high = np.clip((interval.low, interval.high), *SHARE)
    return Interval(float(low), float(high)) if low < high else OUTSIDE
