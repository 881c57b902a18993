"""Agreement of any number of people on each response: Krippendorff's alpha.

It takes counts, shape (units, k): how many people gave each verdict to a response. ``clusters`` names the instance of
each row and allows a resampled interval.
"""

import numpy as np
import numpy.typing as npt

from ..estimates import (
    NO_ANALYTIC,
    NO_PAIR,
    ONE_PAIR,
    ONE_VERDICT,
    RESAMPLES,
    Estimate,
    Undefined,
    resampled_interval,
    resampled_totals,
    sums_by_cluster,
)
from .margins import Margins


def krippendorff_alpha(
    counts: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None, resamples: int = RESAMPLES
) -> Estimate | Undefined:
    """Nominal alpha, 1 - D_o / D_e, for people who differ in number from response to response.

    1 - (N - 1) Σ_u D_u / (N² - Σ_c N_c²), with n_uc people giving verdict c to response u, m_u = Σ_c n_uc >= 2 of
    them, D_u = Σ_c n_uc (m_u - n_uc) / (m_u - 1), N_c = Σ_u n_uc and N = Σ_c N_c. Responses with fewer than
    two verdicts do not enter. Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.
    """
    rows, instances = judged_twice(counts, clusters)
    if len(rows) < 2:
        return ONE_PAIR if len(rows) else NO_PAIR
    if np.count_nonzero(rows.sum(axis=0)) == 1:
        return ONE_VERDICT
    people = rows.sum(axis=1, keepdims=True)
    unequal = (rows * (people - rows)).sum(axis=1, keepdims=True) / (people - 1)
    parts = np.hstack([unequal, rows])
    totals = resampled_totals(sums_by_cluster(parts, instances), resamples=resamples)
    return Estimate(
        float(_alpha_of_totals(parts.sum(axis=0))), resampled_interval(totals, _alpha_of_totals), NO_ANALYTIC
    )


def pair_alpha(whole: Margins, totals: Margins | Undefined) -> Estimate | Undefined:
    """Nominal alpha of responses with two verdicts each, from the table of both (k, k) and its resampled totals.

    It is ``krippendorff_alpha`` of a row for each response, without the rows: D_u is 2 off the table's diagonal and 0
    on it, and N_c the sum of row and column c.
    """
    n = int(whole.n)
    if n < 2:
        return ONE_PAIR if n else NO_PAIR
    if np.count_nonzero(whole.both) == 1:
        return ONE_VERDICT
    return Estimate(float(alpha_of_pairs(whole)), resampled_interval(totals, alpha_of_pairs), NO_ANALYTIC)


def alpha_of_pairs(margins: Margins) -> np.ndarray:
    """Nominal alpha of each of the tables; nan where there is one verdict only."""
    return _alpha_of(2 * (margins.n - margins.same), margins.both)


def judged_twice(counts: npt.ArrayLike, clusters: npt.ArrayLike | None) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows with two verdicts or more, and the instance of each."""
    rows = np.asarray(counts, dtype=float)
    if not rows.size:
        return np.zeros((0, 2)), None
    if rows.ndim != 2 or (rows < 0).any() or (rows != np.floor(rows)).any():
        raise ValueError("counts of verdicts are whole numbers from 0, one row a response")
    instances = None if clusters is None else np.asarray(clusters)
    if instances is not None and instances.shape != (len(rows),):
        raise ValueError("clusters names the instance of each row")
    kept = rows.sum(axis=1) >= 2
    return rows[kept], None if instances is None else instances[kept]


def _alpha_of_totals(totals: np.ndarray) -> np.ndarray:
    """Of totals (..., Σ D_u, N_1, ..., N_k)."""
    return _alpha_of(totals[..., 0], totals[..., 1:])


def _alpha_of(unequal: np.ndarray, verdicts: np.ndarray) -> np.ndarray:
    """Of Σ D_u (...) and N_c (..., k); nan where there is one verdict only."""
    n = verdicts.sum(axis=-1)
    expected = n * n - (verdicts * verdicts).sum(axis=-1)
    return 1 - np.divide((n - 1) * unequal, expected, out=np.full(n.shape, np.nan), where=expected > 0)
