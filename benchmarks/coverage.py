"""How often the 95 % intervals of the reports hold the true number: it should be between 92 and 97 of 100.

    python -m benchmarks.coverage [--repetitions 400] [--instances 48]

Draws reviews of 48 instances from a known distribution, in which the responses to one instance are alike, and counts
in how many of them the interval holds the number that a review of very many instances would have. Prints, too, how
far standard errors of AC1 with the divisors n and n - 1 come near the scatter of AC1. Nothing is stored; the seed is
fixed.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from review.statistics.agreement import agreement
from review.statistics.estimates import Estimate, Interval, Undefined
from review.statistics.stratified import stratified_agreement

RESAMPLES, SEED = 1_000, 5
# By template: how often two people give correct, partially correct, incorrect, in instances that models find easy and
# in those they find hard, and how often a person slips.
TEMPLATES = (((0.8, 0.15, 0.05), (0.3, 0.4, 0.3)), ((0.3, 0.4, 0.3), (0.1, 0.2, 0.7)))
MODELS, SLIPS = 3, 0.2

Draw = Callable[[np.random.Generator, int], np.ndarray]
Statistic = Callable[[np.ndarray], Estimate | Undefined]


def draw_review(random: np.random.Generator, instances: int) -> np.ndarray:
    """Both verdicts of each response to each instance, shape (instances, templates * models, 3, 3) of 0 and 1."""
    hard = random.integers(0, 2, instances)
    tables = np.zeros((instances, len(TEMPLATES) * MODELS, 3, 3))
    for stratum in range(len(TEMPLATES) * MODELS):
        shares = np.cumsum(np.array(TEMPLATES[stratum % len(TEMPLATES)])[hard], axis=1)
        true = (random.random((instances, 1)) > shares).sum(axis=1).clip(max=2)
        said = [np.where(random.random(instances) < SLIPS, random.integers(0, 3, instances), true) for _ in "ab"]
        tables[np.arange(instances), stratum, said[0], said[1]] = 1
    return tables


def of_one_table(name: str) -> Statistic:
    return lambda tables: getattr(agreement(tables.sum(axis=1), resamples=RESAMPLES), name)


def within_strata(name: str) -> Statistic:
    return lambda tables: getattr(stratified_agreement(tables, [3] * tables.shape[1], resamples=RESAMPLES), name)


COEFFICIENTS = ("kappa", "weighted_kappa", "ac1", "alpha")
STATISTICS: dict[str, tuple[Draw, Statistic]] = {
    "raw agreement": (draw_review, of_one_table("raw")),
    **{f"{name}, in one table": (draw_review, of_one_table(name)) for name in COEFFICIENTS},
    **{f"{name}, within strata": (draw_review, within_strata(name)) for name in COEFFICIENTS},
}


def covered(draw: Draw, statistic: Statistic, repetitions: int, instances: int) -> Iterator[tuple[bool, bool, float]]:
    """Of each drawn review: whether the resampled interval holds the truth, whether the analytic one does, and the
    width of the first."""
    random = np.random.default_rng(SEED)
    truth = statistic(draw(random, 200_000)).value
    assert truth is not None
    for _ in range(repetitions):
        found = statistic(draw(random, instances))
        if isinstance(found, Estimate) and isinstance(found.interval, Interval):
            low, high = found.interval.low, found.interval.high
            analytic = found.analytic
            yield low <= truth <= high, bool(analytic) and analytic.low <= truth <= analytic.high, high - low


def print_coverage(repetitions: int, instances: int) -> None:
    print(f"95 % intervals of {repetitions} reviews of {instances} instances, {RESAMPLES:,} resamples each")
    print(f"  {'':<32} resampled  analytic  mean width")
    for name, (draw, statistic) in STATISTICS.items():
        held = list(covered(draw, statistic, repetitions, instances))
        resampled, analytic, width = np.mean(held, axis=0)
        beside = f"{analytic:.1%}" if analytic else "none"
        print(f"  {name:<32} {resampled:>8.1%}  {beside:>8}  {width:10.3f}   (n {len(held)})")


def print_standard_errors(repetitions: int) -> None:
    """One stratum of independent responses, as the formula takes them."""
    print("standard error of AC1: what it scatters by, and the estimates with divisors n and n - 1")
    random = np.random.default_rng(SEED)
    shares = np.array([[0.40, 0.05, 0.03], [0.04, 0.18, 0.05], [0.02, 0.03, 0.20]])
    for n in (5, 10, 20, 48, 200):
        drawn = [random.multinomial(n, shares.ravel()).reshape(3, 3) for _ in range(10 * repetitions)]
        found = [number for table in drawn if isinstance(number := agreement(table).ac1, Estimate)]
        scatter = np.std([number.value for number in found])
        variance = np.mean([(number.standard_error or 0) ** 2 for number in found])
        print(f"  n {n:>4}: {scatter:.4f}   {np.sqrt(variance):.4f}   {np.sqrt(variance * n / (n - 1)):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--instances", type=int, default=48)
    options = parser.parse_args()
    print_coverage(options.repetitions, options.instances)
    print_standard_errors(options.repetitions)


if __name__ == "__main__":
    main()
