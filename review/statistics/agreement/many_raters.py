"""Agreement of any number of people on each response: how often two of them say the same, Fleiss' kappa and AC1.

Like Krippendorff's alpha they take counts, shape (units, k): how many people gave each verdict to a response, for the
k verdicts that were *offered*. ``clusters`` names the instance of each row and allows a resampled interval.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..estimates import (
    NO_ANALYTIC,
    NO_PAIR,
    ONE_PAIR,
    ONE_VERDICT,
    Estimate,
    Undefined,
    resampled_interval,
    resampled_totals,
    sums_by_cluster,
)
from .alpha import judged_twice, krippendorff_alpha


@dataclass(frozen=True, slots=True)
class ManyRaters:
    """The agreement on ``n`` responses with two verdicts or more, ``judgments`` in all."""

    n: int
    judgments: int
    raw: Estimate | Undefined
    kappa: Estimate | Undefined
    ac1: Estimate | Undefined
    alpha: Estimate | Undefined


def agreement_of_many(counts: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None) -> ManyRaters:
    """All coefficients of these responses, people differing in number from response to response.

    raw: the mean over responses of the share of pairs of people who say the same, p_a = Σ_i Σ_q r_iq (r_iq - 1) /
    (r_i (r_i - 1)) / n. Both coefficients are (p_a - p_e) / (1 - p_e), with π_q the mean over responses of
    r_iq / r_i: Fleiss' kappa has p_e = Σ π_q² (Fleiss 1971, Psychol Bull 76:378, for equal numbers of people), AC1
    for many people has p_e = Σ π_q (1 - π_q) / (k - 1) (Gwet 2008, Br J Math Stat Psychol 61:29).

    Like kappa and AC1 of two people, neither is defined if one and the same verdict was given every time.
    """
    rows, instances = judged_twice(counts, clusters)
    alpha = krippendorff_alpha(counts, clusters=clusters)
    n, judgments = len(rows), int(rows.sum())
    if not n:
        return ManyRaters(n, judgments, NO_PAIR, NO_PAIR, NO_PAIR, alpha)
    people = rows.sum(axis=1, keepdims=True)
    same = (rows * (rows - 1)).sum(axis=1, keepdims=True) / (people * (people - 1))
    parts = np.hstack([np.ones((n, 1)), same, rows / people])
    totals = resampled_totals(sums_by_cluster(parts, instances))

    def estimate(statistic) -> Estimate:
        return Estimate(float(statistic(parts.sum(axis=0))), resampled_interval(totals, statistic), NO_ANALYTIC)

    nothing = ONE_PAIR if n == 1 else ONE_VERDICT if np.count_nonzero(rows.sum(axis=0)) == 1 else None
    kappa, ac1 = (nothing, nothing) if nothing is not None else (estimate(_kappa_of), estimate(_ac1_of))
    return ManyRaters(n, judgments, estimate(_raw_of), kappa, ac1, alpha)


# Of totals (..., n, Σ p_i, Σ r_i1 / r_i, ..., Σ r_ik / r_i); nan where there is no number.


def _raw_of(totals: np.ndarray) -> np.ndarray:
    return totals[..., 1] / totals[..., 0]


def _kappa_of(totals: np.ndarray) -> np.ndarray:
    shares = totals[..., 2:] / totals[..., :1]
    return _beyond(_raw_of(totals), (shares * shares).sum(axis=-1))


def _ac1_of(totals: np.ndarray) -> np.ndarray:
    shares = totals[..., 2:] / totals[..., :1]
    return _beyond(_raw_of(totals), (shares * (1 - shares)).sum(axis=-1) / (shares.shape[-1] - 1))


def _beyond(raw: np.ndarray, chance: np.ndarray) -> np.ndarray:
    left = 1 - chance
    return np.divide(raw - chance, left, out=np.full(np.shape(raw), np.nan), where=left > 1e-12)
