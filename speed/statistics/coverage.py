"""Measures how often the 95% intervals of the reports hold the true value, and how often the tests give false alarms.

    python -m speed.statistics.coverage [--instances 48] [--datasets 1000] [--reviews 400]

Draws the datasets from a distribution whose true value is known, and prints the share of datasets whose 95% interval
holds it, with the number of datasets without an interval (these are excluded from the shares). The goal is 92 to 97%
with 48 instances. For the tests, it prints how often p < 0.05, also if both models are equally good. The reviews are
datasets in which the responses to one instance are alike; their true value is that of 200,000 instances. Last come
the standard errors of AC1 with the divisors n and n - 1 beside the scatter of AC1. Nothing is stored; the seeds are
fixed.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from review.statistics.agreement.agreement import agreement
from review.statistics.agreement.stratified import stratified_agreement
from review.statistics.comparison import compare
from review.statistics.corrected_rates import corrected_rates
from review.statistics.estimates import Estimate, Interval, Undefined
from review.statistics.scores import scores
from review.statistics.shares import share_difference, share_estimates

RNG = np.random.default_rng(2_024)
# People's verdicts in rows, the judge's in columns; also two reviewers of the same responses.
TABLE = np.array([[0.30, 0.05, 0.03], [0.06, 0.26, 0.05], [0.02, 0.05, 0.18]])
RESAMPLES, SEED = 1_000, 5
# By template: how often two people give correct, partially correct, incorrect, in instances that models find easy and
# in those they find hard, and how often a person slips.
TEMPLATES = (((0.8, 0.15, 0.05), (0.3, 0.4, 0.3)), ((0.3, 0.4, 0.3), (0.1, 0.2, 0.7)))
MODELS, SLIPS = 3, 0.2

Statistic = Callable[[np.ndarray], Estimate | Undefined]


def line(name: str, intervals: Sequence[Interval | Undefined], truth: float) -> None:
    known = [each for each in intervals if isinstance(each, Interval)]
    none = len(intervals) - len(known)
    if not known:
        print(f"  {name:<66} no interval in any dataset")
        return
    held = np.mean([each.low <= truth <= each.high for each in known])
    print(f"  {name:<66} {held * 100:5.1f}%" + (f"   ({none} without interval)" if none else ""))


def both(name: str, estimates: Sequence[Estimate | Undefined], truth: float, beside: str = "Wilson") -> None:
    known = [each for each in estimates if isinstance(each, Estimate)]
    line(f"{name}, resampled", [each.interval for each in known], truth)
    if any(isinstance(each.analytic, Interval) for each in known):
        line(f"{name}, {beside}", [each.analytic for each in known], truth)


def shares(instances: int, datasets: int) -> None:
    print("Share of one verdict")
    for truth in (0.5, 0.3, 0.1, 0.02):
        correct = RNG.random((instances, datasets)) < truth
        counts = np.stack([correct, ~correct], axis=2).astype(float)
        found = [row[0] for row in share_estimates(counts)]
        both(f"{truth:.0%} of one response to each instance", found, truth)
    chance = RNG.beta(0.5, 0.5, size=(instances, datasets))
    correct = RNG.binomial(4, chance).astype(float)
    found = [row[0] for row in share_estimates(np.stack([correct, 4 - correct], axis=2))]
    both("50% of four related responses to each instance", found, 0.5)


def sizes_of_tags(instances: int, tags: int) -> np.ndarray:
    """The number of questions of each tag: one at least, the others dealt so that few tags have many of them."""
    weights = RNG.gamma(0.7, size=tags)
    return 1 + RNG.multinomial(instances - tags, weights / weights.sum())


def by_tag(datasets: int, instances: int = 259, tags: int = 134) -> None:
    """The same intervals over tags and over instances, if the questions of a tag are related."""
    print(f"{instances} instances of {tags} tags, resampled by instance and by tag")
    for related, beta in (("weakly", 2.0), ("moderately", 0.7), ("strongly", 0.2)):
        found: dict[str, list[Estimate | Undefined]] = {
            f"{what}, by {unit}": []
            for what in ("50% correct", "no difference of two models", "no agreement (kappa)")
            for unit in ("instance", "tag")
        }
        for _ in range(datasets):
            tag = np.repeat(np.arange(tags), sizes_of_tags(instances, tags))
            chances = RNG.beta(beta, beta, size=(tags, 2))[tag]
            correct = RNG.random((instances, 2)) < chances
            counts = np.stack([correct, ~correct], axis=2).astype(float)
            # Two people whose verdicts are independent.
            tables = np.einsum("iv,iw->ivw", counts[:, 0], counts[:, 1])
            for unit in ("instance", "tag"):
                names = np.arange(instances) if unit == "instance" else tag
                summed, of_both = np.zeros((names.max() + 1, 2, 2)), np.zeros((names.max() + 1, 2, 2))
                np.add.at(summed, names, counts)
                np.add.at(of_both, names, tables)
                found[f"50% correct, by {unit}"].append(share_estimates(summed)[0][0])
                difference = share_difference(summed[:, 0], summed[:, 1])
                found[f"no difference of two models, by {unit}"].append(difference)
                found[f"no agreement (kappa), by {unit}"].append(agreement(of_both).kappa)
        for name, estimates in found.items():
            known = [each.interval for each in estimates if isinstance(each, Estimate)]
            line(f"{related} related: {name}", known, 0.5 if "correct" in name else 0.0)


def alike_and_apart(instances: int, datasets: int, shift: float) -> Iterator[np.ndarray]:
    """Verdicts of two models, shape (instances, 2, 3): an instance is as hard for both; the first is better by
    `shift`."""
    for _ in range(datasets):
        hard = RNG.beta(1.2, 1.2, size=instances) * (1 - shift)
        chances = np.stack([hard + shift, hard], axis=1)
        correct = RNG.random(chances.shape) < chances
        wrong = 1 + (RNG.random(chances.shape) < 0.5)
        yield np.eye(3)[np.where(correct, 0, wrong)]


def differences(instances: int, datasets: int) -> None:
    print("Difference of two models over the same instances")
    for shift in (0.0, 0.15, 0.3):
        found = [
            compare(data, np.arange(instances), [(0, 1)], shuffles=999)[0]
            for data in alike_and_apart(instances, datasets, shift)
        ]
        both(f"{shift:.0%} apart", [each.difference for each in found], shift, "Newcombe")
        for name in ("mcnemar", "verdicts"):
            p_values = [getattr(each, name) for each in found]
            called = np.mean([not isinstance(p, Undefined) and p < 0.05 for p in p_values])
            print(f"  {shift:.0%} apart, {name} below 0.05".ljust(68) + f" {called * 100:5.1f}%")
    one = RNG.random((instances, datasets)) < 0.5
    other = RNG.random((instances, datasets)) < 0.3
    found_differences = []
    for number in range(datasets):
        pair = [np.stack([each[:, number], ~each[:, number]], axis=1).astype(float) for each in (one, other)]
        found_differences.append(share_difference(pair[0], pair[1]))
    both("20% apart, as the sentences compare", found_differences, 0.2)


def judges(instances: int, datasets: int) -> None:
    print("Two people, or people and a judge model, with one response to each instance")
    people, judge = TABLE.sum(axis=1), TABLE.sum(axis=0)
    chance = (people * judge).sum()
    mean = (people + judge) / 2
    same = float(np.trace(TABLE))
    by_chance = float((mean * (1 - mean)).sum() / 2)
    truths = {
        "raw": same,
        "kappa": (same - chance) / (1 - chance),
        "ac1": (same - by_chance) / (1 - by_chance),
        "alpha": 1 - (1 - same) / (1 - float((mean * mean).sum())),
    }
    drawn = RNG.multinomial(1, TABLE.ravel(), size=(datasets, instances)).reshape(datasets, instances, 3, 3)
    found = [agreement(tables) for tables in drawn]
    for name, truth in truths.items():
        both(name, [getattr(each, name) for each in found], truth, "analytic")
    scored = [scores(tables) for tables in drawn]
    f = 2 * np.diagonal(TABLE) / (people + judge)
    correct = [each.verdicts[0] for each in scored]
    precision, recall = float(TABLE[0, 0] / judge[0]), float(TABLE[0, 0] / people[0])
    line("precision of correct, resampled", [each.precision_interval for each in correct], precision)
    line("precision of correct, Wilson", [each.precision_wilson for each in correct], precision)
    line("recall of correct, resampled", [each.recall_interval for each in correct], recall)
    line("recall of correct, Wilson", [each.recall_wilson for each in correct], recall)
    line("F of correct, resampled", [each.f_interval for each in correct], float(f[0]))
    line("macro-F, resampled", [each.macro_f_interval for each in scored], float(f.mean()))


def corrected(instances: int, datasets: int) -> None:
    print(
        f"Corrected rate: five times {instances} instances judged by the judge model, {instances} of them by people"
    )
    everything = 5 * instances
    drawn = RNG.multinomial(1, TABLE.ravel(), size=(datasets, everything)).reshape(datasets, everything, 3, 3)
    tables = np.zeros((datasets, everything, 4, 3))
    tables[:, :instances, :3] = drawn[:, :instances]
    tables[:, instances:, 3] = drawn[:, instances:].sum(axis=2)
    found = [corrected_rates(each)[0].corrected for each in tables]
    both("share of correct", found, float(TABLE[0].sum()), "analytic")


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
STATISTICS: dict[str, Statistic] = {
    "raw agreement": of_one_table("raw"),
    **{f"{name}, in one table": of_one_table(name) for name in COEFFICIENTS},
    **{f"{name}, within strata": within_strata(name) for name in COEFFICIENTS},
}


def reviews(instances: int, datasets: int) -> None:
    print(f"{datasets} reviews by two people, {RESAMPLES:,} resamples each")
    for name, statistic in STATISTICS.items():
        random = np.random.default_rng(SEED)
        truth = statistic(draw_review(random, 200_000)).value
        assert truth is not None
        both(name, [statistic(draw_review(random, instances)) for _ in range(datasets)], truth, "analytic")


def standard_errors(datasets: int) -> None:
    """The standard errors for one stratum of independent responses."""
    print("standard error of AC1: what it scatters by, and the estimates with divisors n and n - 1")
    random = np.random.default_rng(SEED)
    shares = np.array([[0.40, 0.05, 0.03], [0.04, 0.18, 0.05], [0.02, 0.03, 0.20]])
    for n in (5, 10, 20, 48, 200):
        drawn = [random.multinomial(n, shares.ravel()).reshape(3, 3) for _ in range(datasets)]
        found = [number for table in drawn if isinstance(number := agreement(table).ac1, Estimate)]
        scatter = np.std([number.value for number in found])
        variance = np.mean([(number.standard_error or 0) ** 2 for number in found])
        print(f"  n {n:>4}: {scatter:.4f}   {np.sqrt(variance):.4f}   {np.sqrt(variance * n / (n - 1)):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=48)
    parser.add_argument("--datasets", type=int, default=1_000)
    parser.add_argument("--reviews", type=int, default=400)
    options = parser.parse_args()
    error = 100 * (0.95 * 0.05 / options.datasets) ** 0.5
    print(f"{options.instances} instances, {options.datasets:,} datasets; standard error of a coverage {error:.1f}%")
    for simulate in (shares, differences, judges, corrected):
        simulate(options.instances, options.datasets)
    by_tag(options.datasets)
    reviews(options.instances, options.reviews)
    standard_errors(10 * options.reviews)


if __name__ == "__main__":
    main()
