"""The median and its interval."""

from collections.abc import Sequence
from statistics import median

import numpy as np

from core.languages import say

from .estimates import LEVEL, NO_ANALYTIC, Estimate, Interval, Undefined

NO_VALUE = Undefined(say("nothing is counted here"))
# The chance that all of five values lie on one side of the median is above 1 - LEVEL.
FEW_VALUES = Undefined(say("there are fewer than 6 values"))


def median_estimate(values: Sequence[float]) -> Estimate | Undefined:
    """The median, with the interval between two of the values that needs no assumption about how they are spread.

    The number of values below the median is binomial with p = 1/2, so the j-th smallest and the j-th largest enclose
    it with at least 95% if P(X < j) <= 2.5%. Conover 1999, Practical Nonparametric Statistics, 3.2.
    """
    if not values:
        return NO_VALUE
    from scipy.special import bdtr  # slow to import

    ordered, n = sorted(values), len(values)
    j = int(np.count_nonzero(bdtr(np.arange(n), n, 0.5) <= (1 - LEVEL) / 2))
    interval = Interval(ordered[j - 1], ordered[n - j]) if j else FEW_VALUES
    return Estimate(median(ordered), interval, NO_ANALYTIC)
