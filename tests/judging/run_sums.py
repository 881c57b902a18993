"""The sums that the database keeps of calls, attempts and replies, beside what would be counted."""

from collections import Counter, defaultdict
from decimal import Decimal
from itertools import groupby, permutations
from typing import Any

from judging.models import (
    Attempt,
    AttemptOutcome,
    Call,
    CallState,
    CallSums,
    JudgePairSums,
    ModelJudgment,
    OutputSums,
    Response,
)

TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens")
MONEY = ("spent", "held", "perhaps_spent")
NOTHING = Decimal(0)


def check_sums() -> None:
    calls = Counter(Call.objects.order_by().values_list("run", "model", "state"))
    kept = {(each.run_id, each.model_id): each for each in CallSums.objects.all()}
    assert +Counter({(*of, s.value): getattr(sums, s) for of, sums in kept.items() for s in CallState}) == calls
    money = _counted_money()
    assert {of: [round(getattr(sums, name), 8) for name in MONEY] for of, sums in kept.items()} == {
        of: [round(amount, 8) for amount in money[of]] for of in kept
    }
    outputs = {_alike(each): each for each in OutputSums.objects.all() if each.count}
    counted = _counted_outputs()
    assert {of: [sums.count, sums.reused, *_tokens(sums)] for of, sums in outputs.items()} == counted
    check_pairs()


def check_pairs() -> None:
    pairs = {_of_pair(each): [each.count, each.readable, each.same] for each in JudgePairSums.objects.all()}
    assert {of: sums for of, sums in pairs.items() if any(sums)} == _counted_pairs()


def _of_pair(pair: JudgePairSums) -> tuple[int, ...]:
    return pair.run_id, pair.model_id, pair.other_run_id, pair.other_model_id, pair.batch


def _counted_pairs() -> dict[tuple[int, ...], list[int]]:
    counted: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0] * 3)
    for _, said in groupby(ModelJudgment.everything.order_by("response"), key=lambda each: each.response_id):
        for one, other in permutations(said, 2):
            if (one.run_id, one.model_id) < (other.run_id, other.model_id):
                batch = max(one.batch_id or 0, other.batch_id or 0)
                sums = counted[one.run_id, one.model_id, other.run_id, other.model_id, batch]
                is_readable = bool(one.verdict and other.verdict)
                sums[0] += 1
                sums[1] += is_readable
                sums[2] += is_readable and one.verdict == other.verdict
    return dict(counted)


def _counted_money() -> dict[tuple[int, int], list[Decimal]]:
    money: dict[tuple[int, int], list[Decimal]] = defaultdict(lambda: [NOTHING] * 3)
    for each in Attempt.objects.select_related("call"):
        is_unknown = each.outcome == AttemptOutcome.ANSWERED and each.cost is None
        is_perhaps = is_unknown or each.outcome == AttemptOutcome.IN_DOUBT
        held = each.possible_cost if each.outcome == AttemptOutcome.SENT else NOTHING
        amounts = (each.cost or NOTHING, held, each.possible_cost if is_perhaps else NOTHING)
        of = (each.call.run_id, each.model_id)
        money[of] = [summed + amount for summed, amount in zip(money[of], amounts, strict=True)]
    return money


def _counted_outputs() -> dict[tuple[Any, ...], list[int]]:
    counted: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * 5)
    for each in (*Response.everything.all(), *ModelJudgment.everything.select_related("response")):
        template = each.template_id if isinstance(each, Response) else each.response.template_id
        verdict = "" if isinstance(each, Response) else each.verdict
        of = (each.run_id, each.model_id, template, each.mark, verdict, each.batch_id or 0)
        tokens = [0] * 3 if each.reused else _tokens(each)
        added = [1, int(each.reused), *tokens]
        counted[of] = [summed + one for summed, one in zip(counted[of], added, strict=True)]
    return counted


def _alike(sums: OutputSums) -> tuple[Any, ...]:
    return sums.run_id, sums.model_id, sums.template_id, sums.mark, sums.verdict, sums.batch


def _tokens(row: Any) -> list[int]:
    return [getattr(row, name) or 0 for name in TOKENS]
