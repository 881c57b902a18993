"""Measures how much sooner a comparison is decided if the responses expected to tell models apart are judged first,
and the effect on the rates until all are judged.

    python -m speed.statistics.gain_order [--reviews 400] [--instances 200]

Draws reviews of two models that differ in how often they are correct, in instances of different difficulty. A judge
model guesses each response's verdict, right in a given share of cases; one that is right in half of them is
uninformative. People's verdicts are those drawn. The order is that of the program (`review/statistics/gain.py`): five
waves by expected gain, random within a wave; beside it a random order of the same responses. An instance counts once
both of its responses are judged. Nothing is stored; the seed is fixed.

"Decided" is from when on McNemar's exact p stays below 0.05 until the end, in percent of all judgments, over the
reviews in which it is below at the end. The rest is what a report would show with two fifths judged: in how many
reviews p is below 0.05, in how many of these the worse model is ahead, and how far the share of correct responses and
the difference between both models are from what they are in the whole review, in percentage points on average.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from review.statistics.comparison import LEVEL_OF_TESTS, mcnemar
from review.statistics.estimates import Undefined
from review.statistics.gain import expected_gain, in_waves

SEED = 11
# How often the two models are correct on an instance, by its difficulty.
DIFFICULTY = ((0.95, 0.90), (0.75, 0.55), (0.35, 0.20), (0.05, 0.05))
JUDGES = (0.5, 0.7, 0.85, 1.0)
LOOKED_AT = 0.4
STEP = 0.02


@dataclass(frozen=True, slots=True)
class Order:
    """One review in one order: when it was decided (nan if never), and its early results."""

    decided: float
    is_told: bool
    is_wrong: bool
    rate_off: float
    difference_off: float


def draw_review(random: np.random.Generator, instances: int, judge: float) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each response is correct, shape (instances, 2), and the judge model's verdict."""
    chances = np.array(DIFFICULTY)[random.integers(0, len(DIFFICULTY), instances)]
    correct = random.random((instances, 2)) < chances
    said = np.where(random.random((instances, 2)) < judge, correct, ~correct)
    return correct, said


def waves(said: np.ndarray, seed: int) -> np.ndarray:
    """The wave of each instance, as in a round by expected gain."""
    gains = {
        (number, 0): expected_gain([(model, (verdict + 1) / 3) for model, verdict in enumerate(row.tolist())])
        for number, row in enumerate(said)
    }
    found = in_waves(gains, dict.fromkeys(gains, 2), seed=seed)
    return np.array([found[number, 0] for number in range(len(said))])


def judged_at(random: np.random.Generator, wave: np.ndarray) -> np.ndarray:
    """The time at which each response is judged, from 0 to 1, shape (instances, 2): wave by wave, in random order
    inside each.
    """
    keys = np.repeat(wave, 2) + random.random(2 * len(wave))
    return (np.argsort(np.argsort(keys)).reshape(-1, 2) + 1) / (2 * len(wave))


def p_of(correct: np.ndarray) -> float:
    first, second = (correct[:, 0] & ~correct[:, 1]).sum(), (~correct[:, 0] & correct[:, 1]).sum()
    found = mcnemar(int(first), int(second))
    return 1.0 if isinstance(found, Undefined) else found


def followed(correct: np.ndarray, at: np.ndarray) -> Order:
    both, steps = at.max(axis=1), np.arange(STEP, 1 + STEP / 2, STEP)
    below = np.array([p_of(correct[both <= step + 1e-9]) < LEVEL_OF_TESTS for step in steps])
    never = np.flatnonzero(~below)
    decided = np.nan if not below[-1] else steps[never[-1] + 1] if len(never) else steps[0]
    early = correct[both <= LOOKED_AT]
    ahead = np.diff(early.mean(axis=0))[0] if len(early) else 0.0
    is_told = p_of(early) < LEVEL_OF_TESTS
    return Order(
        decided=float(decided),
        is_told=is_told,
        is_wrong=is_told and ahead > 0,
        rate_off=float(correct[at <= LOOKED_AT].mean() - correct.mean()),
        difference_off=float(-ahead + np.diff(correct.mean(axis=0))[0]),
    )


def reviews(count: int, instances: int, judge: float) -> Iterator[tuple[Order, Order]]:
    """The same reviews in random order and by expected gain."""
    random = np.random.default_rng(SEED)
    for number in range(count):
        correct, said = draw_review(random, instances, judge)
        yield (
            followed(correct, judged_at(random, np.zeros(instances))),
            followed(correct, judged_at(random, waves(said, number))),
        )


def line(name: str, orders: list[Order]) -> str:
    told = [each for each in orders if each.is_told]
    wrong = 100 * np.mean([each.is_wrong for each in told]) if told else 0.0
    part = 100 * len(told) / len(orders)
    return (
        f"  {name:<8} decided after {100 * np.nanmedian([each.decided for each in orders]):3.0f}%;"
        f" at {100 * LOOKED_AT:.0f}%: told apart {part:4.1f}%, wrongly {wrong:.1f}% of them,"
        f" rate {100 * np.mean([each.rate_off for each in orders]):+5.1f},"
        f" difference {100 * np.mean([each.difference_off for each in orders]):+5.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviews", type=int, default=400)
    parser.add_argument("--instances", type=int, default=200)
    options = parser.parse_args()
    print(f"{options.reviews} reviews of {options.instances} instances and two models")
    for judge in JUDGES:
        print(f"a judge model that is right in {100 * judge:.0f}%")
        found = list(reviews(options.reviews, options.instances, judge))
        for name, orders in zip(("random", "by gain"), zip(*found, strict=True), strict=True):
            print(line(name, list(orders)))


if __name__ == "__main__":
    main()
