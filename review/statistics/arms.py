"""Two groups of things that were drawn apart, such as tags with and without help: one number for each thing in, the
difference with its interval out.
"""

import math
from collections.abc import Sequence

import numpy as np

from core.languages import say

from .estimates import LEVEL, MIN_CLUSTERS, NO_ANALYTIC, Estimate, Interval, Undefined

FEW_THINGS = Undefined(say("one of the two groups has fewer than {min_clusters} tags", min_clusters=MIN_CLUSTERS))
ALL_ALIKE = Undefined(say("all tags of both groups have the same number"))


def difference_of_means(first: Sequence[float], second: Sequence[float]) -> Estimate | Undefined:
    """The mean of the first group less that of the second, with Welch's interval: mean difference plus and minus
    t * sqrt(s1^2 / n1 + s2^2 / n2), with Welch and Satterthwaite's degrees of freedom.
    """
    from scipy.special import stdtrit  # takes 30 MB, so only processes that make a report import it

    if min(len(first), len(second)) < MIN_CLUSTERS:
        return FEW_THINGS
    parts = [float(np.var(group, ddof=1)) / len(group) for group in (first, second)]
    value = float(np.mean(first) - np.mean(second))
    error = math.sqrt(sum(parts))
    if error == 0:
        return Estimate(value, ALL_ALIKE, NO_ANALYTIC)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(group) - 1) for part, group in zip(parts, (first, second), strict=True)
    )
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    return Estimate(value, Interval(value - reach, value + reach), NO_ANALYTIC)


def ratio_of_means(first: Sequence[float], second: Sequence[float]) -> Estimate | Undefined:
    """The geometric mean of the first group divided by that of the second, for positive numbers such as times: the
    difference of the means of their logarithms, raised again.
    """
    logs = [[math.log(value) for value in group if value > 0] for group in (first, second)]
    found = difference_of_means(*logs)
    if isinstance(found, Undefined):
        return found
    between = found.interval
    raised = Interval(math.exp(between.low), math.exp(between.high)) if isinstance(between, Interval) else between
    return Estimate(math.exp(found.value), raised, NO_ANALYTIC)
