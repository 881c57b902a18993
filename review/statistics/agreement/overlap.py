"""Overlap of the passages chosen by two people, and means with an interval."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..estimates import (
    NO_PAIR,
    Estimate,
    Undefined,
    resampled_interval,
    resampled_totals,
    student_interval,
    sums_by_cluster,
)

Passages = tuple[str, str]


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def token_f1(words: Counter[str], others: Counter[str]) -> float:
    """The harmonic mean of the shares of each text's words that the other has, too: 2 |both| / (|one| + |other|),
    words counted as often as they occur, without regard to case. As for answers in SQuAD (Rajpurkar and others 2016,
    EMNLP), but with all words. 1 for two texts without any word."""
    total = words.total() + others.total()
    return 2 * (words & others).total() / total if total else 1.0


def passages_f1(one: Passages, other: Passages) -> float:
    """The mean of both passages' F1, in the order in which it is higher: which comes first means nothing."""
    first, second = ([words_of(text) for text in passages] for passages in (one, other))
    straight = token_f1(first[0], second[0]) + token_f1(first[1], second[1])
    crossed = token_f1(first[0], second[1]) + token_f1(first[1], second[0])
    return max(straight, crossed) / 2


def same_passages(one: Passages, other: Passages) -> bool:
    return sorted(one) == sorted(other)


def mean_of(values: npt.ArrayLike, clusters: Sequence[int]) -> Estimate | Undefined:
    """The mean of values from 0 to 1 with its interval by resampling whole clusters, which run in parallel to the
    values; the analytic one takes the values as independent."""
    numbers = np.asarray(values, dtype=float)
    n = len(numbers)
    if not n:
        return NO_PAIR
    sums = sums_by_cluster(np.stack([numbers, np.ones(n)], axis=1), clusters)
    totals = resampled_totals(sums)
    mean = float(numbers.mean())
    variance = float(numbers.var(ddof=1) / n) if n > 1 else 0.0
    analytic, error = student_interval(mean, variance, n, bounds=(0.0, 1.0))
    return Estimate(mean, resampled_interval(totals, lambda each: each[..., 0] / each[..., 1]), analytic, error)
