"""Agreement on sets of choices: Krippendorff's alpha with the distance MASI."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from ..estimates import (
    NO_ANALYTIC,
    NO_PAIR,
    ONE_PAIR,
    ONE_VERDICT,
    Estimate,
    Undefined,
    resampled_interval,
    resampled_totals,
)


def masi_distance(one: frozenset, other: frozenset) -> float:
    """1 - J M of two sets that are not both empty: J is the share of their union that is in both, and M is 1 if they
    are equal, 2/3 if one holds the other, 1/3 if they overlap, and 0 if they do not. Passonneau 2006, LREC."""
    both = one & other
    if one == other:
        return 0.0
    if not both:
        return 1.0
    weight = 2 / 3 if both in (one, other) else 1 / 3
    return 1 - weight * len(both) / len(one | other)


def same_or_not(one: Hashable, other: Hashable) -> float:
    return float(one != other)


def alpha_of_values(units: Sequence[Sequence], distance: Callable[..., float] = same_or_not) -> Estimate | Undefined:
    """Alpha of values with a distance: each unit holds what the people who coded it chose. Units are resampled.

    1 - (N - 1) Σ_u D_u / Σ_c Σ_k N_c N_k δ_ck, with D_u the sum of δ over all ordered pairs of the m_u >= 2 values of
    unit u, divided by m_u - 1, N_c how often value c was chosen in such units, and N = Σ N_c. Krippendorff 2011,
    Computing Krippendorff's Alpha-Reliability. Other units do not enter.
    """
    coded = [unit for unit in units if len(unit) > 1]
    if len(coded) < 2:
        return ONE_PAIR if coded else NO_PAIR
    chosen = [value for unit in coded for value in unit]
    values = {value: number for number, value in enumerate(dict.fromkeys(chosen))}
    if len(values) == 1:
        return ONE_VERDICT
    apart = np.array([[distance(one, other) for other in values] for one in values])
    sizes = [len(unit) for unit in coded]
    where = np.repeat(np.arange(len(coded)), sizes) * len(values) + [values[value] for value in chosen]
    counted = np.bincount(where, minlength=len(coded) * len(values)).reshape(len(coded), -1).astype(float)
    # Each unit's D_u, then how often each value was chosen there.
    unequal = ((counted @ apart) * counted).sum(axis=1) / (np.array(sizes) - 1)
    parts = np.column_stack([unequal, counted])

    def alpha(totals: np.ndarray) -> np.ndarray:
        counts = totals[..., 1:]
        expected = ((counts @ apart) * counts).sum(axis=-1)
        observed = (counts.sum(axis=-1) - 1) * totals[..., 0]
        return 1 - np.divide(observed, expected, out=np.full(expected.shape, np.nan), where=expected > 0)

    totals = resampled_totals(parts)
    return Estimate(float(alpha(parts.sum(axis=0))), resampled_interval(totals, alpha), NO_ANALYTIC)
