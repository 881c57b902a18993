"""When both judgments of a response are fixed: the pair, and what comes of it."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from core.writing.inserts import Insert, insert
from core.writing.locking import lock
from core.writing.pieces import in_pieces

from ..models import Adjudication, AdjudicationCause, Facets, FinalVerdict, How, Judgment, Pair, Round

BATCH = 500


def complete_pairs(
    *, round: Round | None = None, without: QuerySet[Round] | None = None, at: datetime | None = None
) -> int:
    """Put together all pairs whose judgments can both no longer be taken back, of one round or of all but some.
    Returns how many these are.

    Called by the clock, and by pages that show what came of pairs; never while a person judges, so that the answer
    to a judgment takes no longer when it was the second one.
    """
    at = at or timezone.now()
    due = Judgment.objects.shown().fixed(at=at).filter(paired_at=None, judged_at__isnull=False)
    if round is not None:
        due = due.filter(round=round)
    if without is not None:
        due = due.exclude(round__in=without)
    count = 0

    def complete(piece: list[tuple[int, int]]) -> None:
        nonlocal count
        by_round = defaultdict(list)
        for round_id, pk in piece:
            by_round[round_id].append(pk)
        for round_id in sorted(by_round):
            count += _complete(round_id, by_round[round_id], at)

    in_pieces(list(due.order_by("undo_until").values_list("round", "pk")), complete, most=BATCH)
    return count


def _complete(round_id: int, numbers: list[int], at: datetime) -> int:
    # Two at once would each see one half of a pair, and nobody the whole.
    lock(Round.objects.filter(pk=round_id))
    fixed = Judgment.objects.fixed(at=at).filter(pk__in=numbers, paired_at=None, judged_at__isnull=False)
    numbers = list(fixed.select_for_update().values_list("pk", flat=True))
    Judgment.objects.filter(pk__in=numbers).update(paired_at=at)
    items = Judgment.objects.ordinary().filter(pk__in=numbers).values("item")
    both = Judgment.objects.ordinary().filter(item__in=items, paired_at__isnull=False).order_by("number")
    halves: dict[int, list[dict[str, Any]]] = defaultdict(list)
    columns: Any = both.values("item_id", "reviewer_id", "verdict", response_id=F("item__response"), **FACETS)
    for judgment in columns:
        halves[judgment["item_id"]].append(judgment)
    pairs = [_Pair(two[0], two[1]) for two in halves.values() if len(two) == 2]
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
    """The two judgments of an item, as columns."""

    def __init__(self, first: dict[str, Any], second: dict[str, Any]):
        self.first, self.second = first, second
        self.response = first["response_id"]
        self.verdicts = first["verdict"], second["verdict"]

    def rows(self, round_id: int, at: datetime, *, is_decided: bool) -> Iterator[Insert]:
        """The pair, and what comes of it unless the response `is_decided` already."""
        item = self.first["item_id"]
        shared = {"item_id": item, "response_id": self.response} | {name: self.first[name] for name in FACETS}
        one, other = self.verdicts
        yield Insert.of(
            Pair,
            **shared,
            round_id=round_id,
            reviewer_1_id=self.first["reviewer_id"],
            reviewer_2_id=self.second["reviewer_id"],
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
