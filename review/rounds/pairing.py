"""When both judgments of a response are fixed: the pair, and what comes of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils import timezone

from core.writing.inserts import Insert, insert
from core.writing.locking import lock
from core.writing.pieces import in_pieces

from ..models import Adjudication, AdjudicationCause, Facets, FinalVerdict, How, Judgment, Pair, Round

BATCH = 500


def complete_pairs(*, round: Round | None = None, without: Iterable[Round] = (), at: datetime | None = None) -> int:
    """Put together all pairs whose judgments can both no longer be taken back, of one round or of all but some.
    Returns how many these are.

    Called by the clock, and by pages that show what came of pairs; never while a person judges, so that the answer
    to a judgment takes no longer when it was the second one.
    """
    at = at or timezone.now()
    due = Judgment.objects.shown().fixed(at=at).filter(paired_at=None, judged_at__isnull=False)
    if round is not None:
        due = due.filter(round=round)
    if left_out := list(without):
        due = due.exclude(round__in=left_out)
    count = 0

    def complete(piece: list[dict[str, Any]]) -> None:
        nonlocal count
        by_round = defaultdict(list)
        for each in piece:
            by_round[each["round_id"]].append(each)
        for round_id in sorted(by_round):
            count += _complete(round_id, by_round[round_id], at)

    in_pieces(_with_facets(list(due.order_by("undo_until").values_list("pk", flat=True))), complete, most=BATCH)
    return count


def _with_facets(numbers: list[int]) -> Iterator[dict[str, Any]]:
    """These judgments, with what never changes of their responses: that is read without a lock."""
    names = ("pk", "round_id", "item_id")
    for start in range(0, len(numbers), BATCH):
        rows = Judgment.objects.filter(pk__in=numbers[start : start + BATCH])
        yield from rows.order_by("undo_until").values(*names, response_id=F("item__response"), **FACETS)


def _complete(round_id: int, due: list[dict[str, Any]], at: datetime) -> int:
    # Two at once would each see one half of a pair, and nobody the whole.
    lock(Round.objects.filter(pk=round_id))
    of_item = {each["item_id"]: each for each in due}
    fixed = Judgment.objects.fixed(at=at).filter(pk__in=[each["pk"] for each in due])
    fixed = fixed.filter(paired_at=None, judged_at__isnull=False).select_for_update()
    still_due = dict(fixed.values_list("pk", "item"))
    Judgment.objects.filter(pk__in=still_due).update(paired_at=at)
    both = Judgment.objects.ordinary().filter(item__in=set(still_due.values()), paired_at__isnull=False)
    halves: dict[int, list[tuple[int | None, str]]] = defaultdict(list)
    for item, reviewer, verdict in both.order_by("number").values_list("item", "reviewer", "verdict"):
        halves[item].append((reviewer, verdict))
    pairs = [_Pair(of_item[item], two[0], two[1]) for item, two in halves.items() if len(two) == 2]
    # A final verdict that was imported meanwhile stands.
    imported = FinalVerdict.objects.filter(response__in=[pair.response for pair in pairs])
    has_verdict = set(imported.values_list("response", flat=True))
    insert(row for pair in pairs for row in pair.rows(round_id, at, is_decided=pair.response in has_verdict))
    return len(pairs)


# What a pair copies of its response, and from where.
FACETS = {
    "run_id": F("item__response__run"),
    "instance_id": F("item__response__instance"),
    "model_id": F("item__response__model"),
    "template_id": F("item__response__template"),
    "reasoning_type": F("item__response__instance__reasoning_type"),
    "same_passage": F("item__response__instance__same_passage"),
}


class _Pair:
    """An item with its facets, and its two judgments: each a reviewer and a verdict."""

    def __init__(self, item: dict[str, Any], first: tuple[int | None, str], second: tuple[int | None, str]):
        self.item, self.response = item, item["response_id"]
        self.reviewers, self.verdicts = zip(first, second, strict=True)

    def rows(self, round_id: int, at: datetime, *, is_decided: bool) -> Iterator[Insert]:
        """The pair, and what comes of it unless the response `is_decided` already."""
        item = self.item["item_id"]
        shared = {name: self.item[name] for name in ("item_id", "response_id", *FACETS)}
        one, other = self.verdicts
        yield Insert.of(
            Pair,
            **shared,
            round_id=round_id,
            reviewer_1_id=self.reviewers[0],
            reviewer_2_id=self.reviewers[1],
            verdict_1=one,
            verdict_2=other,
            completed_at=at,
        )
        if not is_decided and one and one == other:
            yield Insert.of(FinalVerdict, **shared, verdict=one, how=How.AGREED.value, at=at)
        elif not is_decided:
            cause = AdjudicationCause.DISAGREE if one and other else AdjudicationCause.CANNOT_JUDGE
            yield Insert.of(Adjudication, item_id=item, round_id=round_id, cause=cause.value, opened_at=at)


def final_verdict_of(pair: Pair, verdict: str, how: How, at: datetime) -> FinalVerdict:
    """The final verdict of the pair's response, not saved."""
    facets = {field.attname: getattr(pair, field.attname) for field in Facets._meta.local_fields}
    return FinalVerdict(response_id=pair.response_id, item_id=pair.item_id, verdict=verdict, how=how, at=at, **facets)
