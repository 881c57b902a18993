"""Measures how often the intervals of the report "Does help help?" hold the truth, on simulated annotators.

    python -m speed.counterparts.coverage [COMPARISONS]

Tags differ in difficulty, people in speed, and times are skewed. For each true ratio of times and number of tags,
prints the share of comparisons whose 95% interval holds it, and how often it excludes 1. Asserts nothing.
"""

import sys

import numpy as np

from review.statistics.arms import ratio_of_means
from review.statistics.estimates import Estimate, Interval

RATIOS = (0.7, 0.9, 1.0)
SIZES = ((12, 8), (60, 40), (300, 200))


def minutes(random: np.random.Generator, ratio: float, tags: int) -> list[float]:
    return list(ratio * random.lognormal(1.5, 0.6, tags) * random.lognormal(0, 0.3, tags))


def interval(random: np.random.Generator, ratio: float, sizes: tuple[int, int]) -> Interval:
    found = ratio_of_means(minutes(random, ratio, sizes[0]), minutes(random, 1.0, sizes[1]))
    assert isinstance(found, Estimate), found
    assert isinstance(found.interval, Interval), found
    return found.interval


def main(comparisons: int) -> None:
    random = np.random.default_rng(5)
    print("true ratio  tags with  without  holds the truth  excludes 1")
    for ratio in RATIOS:
        for sizes in SIZES:
            found = [interval(random, ratio, sizes) for _ in range(comparisons)]
            holds = sum(each.low <= ratio <= each.high for each in found) / comparisons
            excludes = sum(not each.low <= 1 <= each.high for each in found) / comparisons
            print(f"{ratio:10.2f}{sizes[0]:11}{sizes[1]:9}{holds:17.3f}{excludes:12.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
