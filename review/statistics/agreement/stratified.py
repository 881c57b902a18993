"""Agreement within strata: responses to different templates or by different models are not put into one table.

Where strata differ in how often each verdict is right, two people agree across them by knowing the stratum alone.
One table of all strata counts that as skill, so its kappa can exceed that of every stratum.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.languages import say

from ..estimates import (
    NO_ANALYTIC,
    NO_PAIR,
    RESAMPLES,
    Estimate,
    Undefined,
    percentile_interval,
    resampled_totals,
    student_interval,
)
from .agreement import BOUNDS, ac1_of, ac1_variance, chance_of, kappa_of, kappa_variance, nominal, ordinal
from .alpha import alpha_of_pairs
from .margins import Margins

NOWHERE_DEFINED = Undefined(
    say("it is not defined within any of the strata: each holds one verdict, or one response only")
)
NO_THIRD_VERDICT = Undefined(say("no stratum offers three verdicts"))


@dataclass(frozen=True, slots=True)
class Stratified:
    """Coefficients within strata, weighted by their numbers of responses.

    ``strata`` counts those that hold any response. ``chance`` is the mean of kappa's expected chance agreement within
    each. ``left_out`` counts the responses of strata in which kappa is not defined, and which it leaves out.
    """

    strata: int
    left_out: int
    chance: float | Undefined
    kappa: Estimate | Undefined
    weighted_kappa: Estimate | Undefined
    ac1: Estimate | Undefined
    alpha: Estimate | Undefined


# Of tables (..., strata, k, k) the coefficient within each, or anything where it is not defined.
Coefficient = Callable[[Margins], np.ndarray]


@dataclass(frozen=True, slots=True)
class Tallied:
    """Tables (..., strata, k, k), and whether each stratum is informative: not with one response only, or with the
    same verdict throughout.
    """

    margins: Margins
    tells: np.ndarray

    @classmethod
    def of(cls, tables: np.ndarray, either_way: np.ndarray | bool = False) -> "Tallied":
        margins = Margins.of(tables, either_way=either_way)
        diagonal = np.diagonal(tables, axis1=-2, axis2=-1).max(axis=-1)
        return cls(margins, (margins.n > 1) & (diagonal < margins.n))

    def values(self, coefficient: Coefficient) -> np.ndarray:
        """Of each stratum, nan where it is not defined."""
        return np.where(self.tells, coefficient(self.margins), np.nan)

    def mean(self, coefficient: Coefficient) -> np.ndarray:
        """The values of the strata, weighted by their responses; nan where none is defined."""
        values = self.values(coefficient)
        weights = np.where(np.isfinite(values), self.margins.n, 0.0)
        sums = weights.sum(axis=-1)
        above = (weights * np.nan_to_num(values)).sum(axis=-1)
        return np.divide(above, sums, out=np.full(sums.shape, np.nan), where=sums > 0)


def stratified_agreement(
    tables: npt.ArrayLike,
    offered: npt.ArrayLike,
    *,
    either_way: np.ndarray | bool = False,
    resamples: int = RESAMPLES,
) -> Stratified:
    """From one table for each cluster and stratum, shape (clusters, strata, k, k), and how many verdicts each stratum
    offers, shape (strata,). A cluster (an instance) may have responses in many strata, and is drawn as a whole.
    `either_way`, shape (strata,), says in which strata different people are paired (``Margins.of``).

    Each coefficient is Σ n_h f_h / Σ n_h over the strata h in which f_h is defined, n_h being their responses: one of
    the weights that Barlow, Lai & Azen 1991, Stat Med 10:1465, compare. The analytic variance is
    Σ (n_h / Σ n_h)² var_h.
    """
    counts, choices = np.asarray(tables, dtype=float), np.asarray(offered)
    totals = _resampled(counts, resamples)
    resampled = totals if isinstance(totals, Undefined) else Tallied.of(totals, either_way)
    strata = Tallied.of(counts.sum(axis=0), either_way)
    n = strata.margins.n
    k = counts.shape[-1]
    plain, linear = nominal(k), ordinal(k)
    three = choices > 2

    def mean(coefficient: Coefficient, variance: Callable[[np.ndarray, int], float] | None) -> Estimate | Undefined:
        return _weighted(strata, resampled, coefficient, variance, choices)

    return Stratified(
        strata=int(np.count_nonzero(n)),
        left_out=int(n[np.isnan(strata.values(_kappas(plain)))].sum()),
        chance=float((n * np.nan_to_num(chance_of(strata.margins))).sum() / n.sum()) if n.any() else NO_PAIR,
        kappa=mean(_kappas(plain), lambda table, _: kappa_variance(table, plain)),
        weighted_kappa=(
            mean(
                lambda margins: np.where(three, _kappas(linear)(margins), np.nan),
                lambda table, _: kappa_variance(table, linear),
            )
            if three[n > 0].any() or not n.any()
            else NO_THIRD_VERDICT
        ),
        ac1=mean(lambda margins: ac1_of(margins, choices), ac1_variance),
        alpha=mean(alpha_of_pairs, None),
    )


def stratified_kappa(tables: npt.ArrayLike) -> float | Undefined:
    """Kappa within strata, weighted by their responses, of tables (strata, k, k): the number alone."""
    counts = np.asarray(tables, dtype=float)
    strata = Tallied.of(counts)
    value = float(strata.mean(_kappas(nominal(counts.shape[-1]))))
    if np.isnan(value):
        return NOWHERE_DEFINED if counts.any() else NO_PAIR
    return value


def _resampled(counts: np.ndarray, resamples: int) -> np.ndarray | Undefined:
    """Shape (resamples, strata, k, k), in memory with the strata last: sums over the small tables then run along
    these, and take a third of the time."""
    totals = resampled_totals(np.moveaxis(counts, 1, -1), resamples=resamples)
    return totals if isinstance(totals, Undefined) else np.moveaxis(totals, -1, 1)


def _kappas(distances: np.ndarray) -> Coefficient:
    return lambda margins: kappa_of(margins, distances)


def _weighted(
    strata: Tallied,
    totals: Tallied | Undefined,
    coefficient: Coefficient,
    variance: Callable[[np.ndarray, int], float] | None,
    offered: np.ndarray,
) -> Estimate | Undefined:
    defined = np.isfinite(strata.values(coefficient))
    if not defined.any():
        return NOWHERE_DEFINED if strata.margins.n.any() else NO_PAIR
    value = float(strata.mean(coefficient))
    interval = totals if isinstance(totals, Undefined) else percentile_interval(totals.mean(coefficient))
    if variance is None:
        return Estimate(value, interval, NO_ANALYTIC)
    n = strata.margins.n[defined]
    each = [
        variance(table, int(of)) for table, of in zip(strata.margins.tables[defined], offered[defined], strict=True)
    ]
    total = float(((n / n.sum()) ** 2 * each).sum())
    analytic, error = student_interval(value, total, int(n.sum()), bounds=BOUNDS)
    return Estimate(value, interval, analytic, error)
