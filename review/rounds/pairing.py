"""When both judgments of a response are fixed: the pair, and what comes of it."""

from collections import defaultdict
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

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
    halves: dict[int, list[Judgment]] = defaultdict(list)
    for judgment in both.select_related("item__response__instance", "reviewer"):
        halves[judgment.item_id].append(judgment)
    pairs = [_pair(two[0], two[1], at) for two in halves.values() if len(two) == 2]
    Pair.objects.bulk_create(pairs)
    # A final verdict that was imported meanwhile stands.
    imported = FinalVerdict.objects.filter(response__in=[pair.response_id for pair in pairs])
    has_verdict = set(imported.values_list("response", flat=True))
    without = [pair for pair in pairs if pair.response_id not in has_verdict]
    FinalVerdict.objects.bulk_create(
        final_verdict_of(pair, pair.verdict_1, How.AGREED, at) for pair in without if pair.is_agreed
    )
    Adjudication.objects.bulk_create(
        Adjudication(item_id=pair.item_id, round_id=round_id, cause=_cause(pair), opened_at=at)
        for pair in without
        if not pair.is_agreed
    )
    return len(pairs)


def _pair(first: Judgment, second: Judgment, at: datetime) -> Pair:
    response = first.item.response
    return Pair(
        item_id=first.item_id,
        round_id=first.round_id,
        response=response,
        reviewer_1=first.reviewer,
        reviewer_2=second.reviewer,
        verdict_1=first.verdict,
        verdict_2=second.verdict,
        completed_at=at,
        **Facets.of(response),
    )


def final_verdict_of(pair: Pair, verdict: str, how: How, at: datetime) -> FinalVerdict:
    """The final verdict of the pair's response, not saved."""
    facets = {field.attname: getattr(pair, field.attname) for field in Facets._meta.local_fields}
    return FinalVerdict(response_id=pair.response_id, item_id=pair.item_id, verdict=verdict, how=how, at=at, **facets)


def _cause(pair: Pair) -> AdjudicationCause:
    both = pair.verdict_1 and pair.verdict_2
    return AdjudicationCause.DISAGREE if both else AdjudicationCause.CANNOT_JUDGE
