"""Orders responses by how soon they are expected to tell models apart, before anyone has judged.

Two models are compared over the instances to which both responded with one template, and only instances on which one
is correct and the other is not move the comparison: the test of McNemar 1947 (Psychometrika 12:153) counts nothing
else. So an instance's value is the expected number of such pairs of models, per judgment that it costs. The
probability that a response is correct is estimated from judge models; people's verdicts are never used, so the order
reveals nothing about them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection

from judging.models import ModelJudgment, Response
from judging.protocol.verdicts import Verdict

from ...statistics.gain import Block, expected_gain, in_waves


def waves_of(responses: Collection[int], *, runs: Collection, seed: int) -> dict[int, int]:
    """The wave of each of these responses (by primary key) of these runs."""
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
    """By response, the number of judge models that called it correct, and of those that gave a readable verdict; the
    latest of each judge model.
    """
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
