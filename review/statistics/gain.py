"""The expected information of responses about models, and an order that begins with the most informative: numbers
alone.
"""

import random
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

# The number of parts in which responses are dealt, the most informative first; within a part each person's order is
# random.
WAVES = 5
# (instance, template)
Block = tuple[int, int]


def expected_gain(chances: Sequence[tuple[Hashable, float]]) -> float:
    """The number of pairs of different models that one judgment is expected to tell apart.

    Takes (model, probability that its response is correct) for each response of an instance and template:
    Σ p (1 - q) + q (1 - p) over the pairs of responses of different models, divided by the number of responses.
    """
    if not chances:
        return 0.0
    pairs = [(p, q) for (one, p), (other, q) in combinations(chances, 2) if one != other]
    return sum(p * (1 - q) + q * (1 - p) for p, q in pairs) / len(chances)


def in_waves(gains: Mapping[Block, float], sizes: Mapping[Block, int], *, seed: int) -> dict[Block, int]:
    """Each block's wave, from 0 up: the blocks by falling gain, equal ones in random order, cut where another
    WAVES-th of all responses is reached."""
    blocks = sorted(gains)
    random.Random(f"waves {seed}").shuffle(blocks)  # noqa: S311 - an order, not a secret
    blocks.sort(key=lambda block: -round(gains[block], 9))
    total, before, waves = sum(sizes.values()), 0, {}
    for block in blocks:
        waves[block] = before * WAVES // total
        before += sizes[block]
    return waves
