"""Which responses tell models apart soonest, as far as that can be expected before anyone has judged.

Two models are compared over the instances to which both responded with one template, and only instances on which one
is correct and the other is not move the comparison: the test of McNemar 1947 (Psychometrika 12:153) counts nothing
else. So what an instance is worth is how many such pairs of models it is expected to have, for each judgment that it
costs. How likely a response is to be correct is guessed from judge models; people's verdicts are never looked at, so
the order tells nothing of them.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations

from judging.models import ModelJudgment, Response
from judging.protocol.verdicts import Verdict

# The responses come in so many parts, the most telling first; inside a part each person's order is random.
WAVES = 5
# (instance, template)
Block = tuple[int, int]


def expected_gain(chances: Sequence[tuple[Hashable, float]]) -> float:
    """How many pairs of different models one judgment is expected to tell apart.

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


def waves_of(responses: Collection[int], *, runs: Collection, seed: int) -> dict[int, int]:
    """The wave of each of these responses, given by primary keys, which are of these runs."""
    wanted = set(responses)
    rows = Response.objects.filter(run__in=runs).order_by().values_list("pk", "instance", "template", "model")
    correct, judged = _said_by_judges(runs)
    blocks: dict[Block, list[tuple[int, int]]] = defaultdict(list)
    for pk, instance, template, model in rows:
        if pk in wanted:
            blocks[instance, template].append((pk, model))
    # Laplace's rule of succession: a half where no judge model said anything.
    gains = {
        block: expected_gain([(model, (correct[pk] + 1) / (judged[pk] + 2)) for pk, model in mine])
        for block, mine in blocks.items()
    }
    waves = in_waves(gains, {block: len(mine) for block, mine in blocks.items()}, seed=seed)
    return {pk: waves[block] for block, mine in blocks.items() for pk, _ in mine}


def _said_by_judges(runs: Collection) -> tuple[Counter[int], Counter[int]]:
    """By response, how many judge models called it correct, and how many gave a readable verdict; of each judge model
    the latest."""
    rows = ModelJudgment.objects.readable().filter(response__run__in=runs).order_by("pk")
    latest = {
        (response, judge): verdict for response, judge, verdict in rows.values_list("response", "model", "verdict")
    }
    correct: Counter[int] = Counter()
    judged: Counter[int] = Counter()
    for (response, _), verdict in latest.items():
        judged[response] += 1
        correct[response] += verdict == Verdict.CORRECT
    return correct, judged
