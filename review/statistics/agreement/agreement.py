"""Agreement of two judges of the same responses: tables of counts in, numbers out.

A table has a row for each verdict of the first judge and a column for each of the second. Every function takes
one table, shape (k, k), or one per instance, shape (instances, k, k), as ``estimates.count_tables`` makes them
from pairs or from rows that the database has counted. Only the second kind allows a resampled interval.

The table holds the verdicts that were *offered*: for templates without "partially correct" a 2 x 2 table, since
AC1 depends on how many there were to choose from. Verdicts are those given before adjudication.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.languages import say

from ..estimates import (
    NO_PAIR,
    ONE_PAIR,
    ONE_VERDICT,
    RESAMPLES,
    Estimate,
    Undefined,
    read_tables,
    resampled_interval,
    resampled_totals,
    student_interval,
    whole_table,
    wilson_interval,
)
from .alpha import pair_alpha
from .margins import Margins

NO_ORDER = Undefined(say("pairs of different people are put together, so who comes first means nothing"))
TWO_VERDICTS = Undefined(say("with two verdicts there is nothing to weigh: it would be kappa itself"))
MIXED_CHOICES = Undefined(
    say(
        "prompts that offer two verdicts and prompts that offer three are put together, and AC1 "
        "depends on how many there were to choose from"
    )
)
BOUNDS = (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class VerdictIndices:
    """One verdict against all others together, as the indices are defined for two categories only.

    Prevalence is (a - d) / n, bias (b - c) / n, where a: both gave it, b: the first only, c: the second only, d:
    neither. Far from 0, prevalence pulls kappa down and bias pulls it up. Byrt, Bishop & Carlin 1993, J Clin
    Epidemiol 46:423.
    """

    prevalence: float | Undefined
    bias: float | Undefined


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges over ``n`` responses that both judged; ``indices`` in the order of the table's verdicts.

    ``instances`` counts those that have any such response, and is None if the input does not say. ``chance`` is the
    share of equal verdicts that kappa expects of two judges who ignore the response.
    """

    n: int
    instances: int | None
    table: tuple[tuple[int, ...], ...]
    raw: Estimate | Undefined
    chance: float | Undefined
    kappa: Estimate | Undefined
    weighted_kappa: Estimate | Undefined
    ac1: Estimate | Undefined
    alpha: Estimate | Undefined
    indices: tuple[VerdictIndices, ...]


def agreement(
    tables: npt.ArrayLike, *, ordered: bool = True, one_choice: bool = True, resamples: int = RESAMPLES
) -> Agreement:
    """All numbers of the agreement page for a pair, a template, a model or the whole.

    Say ``ordered=False`` when the pairs are of different people, so that first and second mean nothing: bias is
    then not defined, and kappa counts each pair half each way (``Margins.of``). Say ``one_choice=False`` when not all
    responses were offered the same verdicts: AC1 is then not defined.
    """
    table, clusters = read_tables(tables)
    whole = Margins.of(table, either_way=not ordered)
    totals = _resampled(clusters, resamples, either_way=not ordered)
    return Agreement(
        n=int(table.sum()),
        instances=None if clusters is None else len(clusters),
        table=whole_table(table),
        raw=_raw(whole, totals),
        chance=float(chance_of(whole)) if table.any() else NO_PAIR,
        kappa=_kappa(whole, totals, nominal(len(table))),
        weighted_kappa=_kappa(whole, totals, ordinal(len(table))) if len(table) > 2 else TWO_VERDICTS,
        ac1=_ac1(whole, totals) if one_choice else MIXED_CHOICES,
        alpha=pair_alpha(whole, totals),
        indices=tuple(_indices(table, verdict, ordered=ordered) for verdict in range(len(table))),
    )


def raw_agreement(tables: npt.ArrayLike) -> Estimate | Undefined:
    """The share of responses that got the same verdict twice; the analytic interval is Wilson's."""
    table, clusters = read_tables(tables)
    return _raw(Margins.of(table), _resampled(clusters))


def nominal(k: int) -> np.ndarray:
    """The distances of k categories without an order: 0 to itself, 1 to every other."""
    return 1.0 - np.eye(k)


def ordinal(k: int) -> np.ndarray:
    """The distances of k categories in their order: |i - j| / (k - 1), the linear weights of Cicchetti & Allison
    1971, Am J EEG Technol 11:101."""
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)


def _resampled(
    clusters: np.ndarray | None, resamples: int = RESAMPLES, *, either_way: bool = False
) -> Margins | Undefined:
    totals = resampled_totals(clusters, resamples=resamples)
    return totals if isinstance(totals, Undefined) else Margins.of(totals, either_way=either_way)


def _raw(whole: Margins, totals: Margins | Undefined) -> Estimate | Undefined:
    n, same = int(whole.n), int(whole.same)
    if not n:
        return NO_PAIR
    share = same / n
    return Estimate(
        value=share,
        interval=resampled_interval(totals, _raw_of),
        analytic=wilson_interval(same, n),
        standard_error=float(np.sqrt(share * (1 - share) / n)) or None,
    )


def _kappa(whole: Margins, totals: Margins | Undefined, distances: np.ndarray) -> Estimate | Undefined:
    """Agreement beyond that of two judges who keep to their own frequencies but ignore the response.

    1 - n Σ v_ij n_ij / Σ v_ij n_i. n_.j, with v_ij the distance of two verdicts. Cohen 1960, Educ Psychol Meas 20:37;
    with distances other than 0 and 1, Cohen 1968, Psychol Bull 70:213.

    Defined for two responses or more unless both gave one verdict throughout (0 / 0).
    """
    nothing = _says_nothing(whole)
    if nothing is not None:
        return nothing
    value = float(kappa_of(whole, distances))
    interval = resampled_interval(totals, lambda margins: kappa_of(margins, distances))
    variance = kappa_variance(whole.tables, distances)
    analytic, error = student_interval(value, variance, int(whole.n), bounds=BOUNDS)
    return Estimate(value, interval, analytic, error)


def _ac1(whole: Margins, totals: Margins | Undefined) -> Estimate | Undefined:
    """Agreement beyond chance that stays meaningful if nearly all verdicts are the same.

    (p_o - p_e) / (1 - p_e), p_e = Σ π_k (1 - π_k) / (q - 1), with π_k the mean share of verdict k over both
    judges and q the number of verdicts offered. Gwet 2008, Br J Math Stat Psychol 61:29.

    Where both gave one verdict throughout the formula says 1; it is reported as not defined, like kappa, since
    such data cannot show any skill in telling verdicts apart.
    """
    nothing = _says_nothing(whole)
    if nothing is not None:
        return nothing
    value = float(ac1_of(whole))
    analytic, error = student_interval(value, ac1_variance(whole.tables), int(whole.n), bounds=BOUNDS)
    return Estimate(value, resampled_interval(totals, ac1_of), analytic, error)


def _says_nothing(whole: Margins) -> Undefined | None:
    """The reason why no coefficient beyond chance can be computed from the table; None if one can."""
    n = int(whole.n)
    if n < 2:
        return ONE_PAIR if n else NO_PAIR
    return ONE_VERDICT if whole.tables.diagonal().max() == n else None


# The following functions work on one table or on many at once, with nan where there is no number. The sums are of
# whole numbers and so exact: perfect agreement is 1, not nearly 1, and 0 / 0 is seen as such.


def _raw_of(margins: Margins) -> np.ndarray:
    return _divided(margins.same, margins.n)


def kappa_of(margins: Margins, distances: np.ndarray) -> np.ndarray:
    observed = margins.n * np.einsum("...ij,ij->...", margins.tables, distances)
    return 1 - _divided(observed, ((margins.rows @ distances) * margins.columns).sum(axis=-1))


def ac1_of(margins: Margins, offered: npt.ArrayLike | None = None) -> np.ndarray:
    """AC1 of the margins. ``offered`` is the number of verdicts to choose from, if it differs from the size of the
    table.
    """
    n = margins.n
    k = np.asarray(margins.tables.shape[-1] if offered is None else offered)
    chance = (4 * n * n - (margins.both * margins.both).sum(axis=-1)) / (k - 1)
    return 1 - _divided(4 * n * (n - margins.same), 4 * n * n - chance)


def chance_of(margins: Margins) -> np.ndarray:
    """The share of equal verdicts that kappa expects by chance: Σ n_i. n_.i / n²."""
    return _divided((margins.rows * margins.columns).sum(axis=-1), margins.n * margins.n)


def _divided(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0)


def _delta_variance(table: np.ndarray, slopes: np.ndarray) -> float:
    """Large-sample variance of f(p) from its slopes df / dp_ij: (Σ p g² - (Σ p g)²) / n (the delta method)."""
    n = table.sum()
    shares = table / n
    return float(((shares * slopes**2).sum() - (shares * slopes).sum() ** 2) / n)


def kappa_variance(table: np.ndarray, distances: np.ndarray) -> float:
    """Fleiss, Cohen & Everitt 1969, Psychol Bull 72:323, formula 10 (13 for equal weights), n in the denominator.

    There with weights w of agreement: slopes (w_ij - (1 - κ)(w_i. + w_.j)) / (1 - p_e). As w = 1 - v, these
    are the slopes below but for a constant, which does not enter a variance.
    """
    shares = table / table.sum()
    by_row, by_column = distances @ shares.sum(axis=0), shares.sum(axis=1) @ distances
    expected = shares.sum(axis=1) @ by_row
    beyond = (shares * distances).sum() / expected
    slopes = (beyond * np.add.outer(by_row, by_column) - distances) / expected
    return _delta_variance(table, slopes)


def ac1_variance(table: np.ndarray, offered: int | None = None) -> float:
    """Gwet 2008, section 5, for two judges, all responses judged by both, without finite population correction.

    Slopes (δ_kl - (1 - γ)(1 - π_k - π_l) / (q - 1)) / (1 - p_e), but for a constant.

    The divisor is n, as published. irrCAC 0.4.4 does the same from a table of counts (``table.CAC``) and gives our
    number; from single ratings (``raw.CAC``) it divides the same sum by n - 1, so that its standard error is ours
    times sqrt(n / (n - 1)): 0.154 more at worst for three responses, 1% more for 48. Both estimate one large-sample
    variance. Where responses are few, n - 1 comes nearer the truth (10 responses: 0.183 and 0.193, where the
    estimates in fact scatter by 0.192: `python -m speed.statistics.coverage`); the analytic interval makes up for
    that with Student's t, and the interval to report is the resampled one.
    """
    shares = table / table.sum()
    k = len(table) if offered is None else offered
    mean = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    chance = (mean * (1 - mean)).sum() / (k - 1)
    beyond = (1 - np.trace(shares)) / (1 - chance)
    slopes = (np.eye(len(table)) - beyond * (1 - np.add.outer(mean, mean)) / (k - 1)) / (1 - chance)
    return _delta_variance(table, slopes)


def _indices(table: np.ndarray, verdict: int, *, ordered: bool) -> VerdictIndices:
    n = table.sum()
    if not n:
        return VerdictIndices(NO_PAIR, NO_PAIR)
    both = table[verdict, verdict]
    first, second = table[verdict].sum() - both, table[:, verdict].sum() - both
    neither = n - both - first - second
    bias = float((first - second) / n) if ordered else NO_ORDER
    return VerdictIndices(float((both - neither) / n), bias)
