"""Completes items once all their judgments are fixed; their questionnaire's way of keeping says what is written."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils import timezone

from core.engine.writing.pieces import summed_in_pieces
from core.writing.locking import lock

from ...models import Judgment, Round
from ..keeping.registered import keeping_of
from ..keeping.verdicts import FACETS

BATCH = 500


def complete_pairs(*, round: Round | None = None, without: Iterable[Round] = (), at: datetime | None = None) -> int:
    """Write the pairs of all items whose judgments are complete and can no longer be taken back, of one round or of
    all except some. Returns the number of these items.

    Called by the clock, and by pages that show the outcome of pairs; never while a person judges, so that the answer
    to a judgment takes no longer when it was the last one.
    """
    at = at or timezone.now()
    due = Judgment.objects.shown().fixed(at=at).filter(paired_at=None, judged_at__isnull=False)
    if round is not None:
        due = due.filter(round=round)
    if left_out := list(without):
        due = due.exclude(round__in=left_out)

    def complete(piece: list[dict[str, Any]]) -> int:
        by_round = defaultdict(list)
        for each in piece:
            by_round[each["round_id"]].append(each)
        return sum(_complete(round_id, by_round[round_id], at) for round_id in sorted(by_round))

    numbers = list(due.order_by("undo_until").values_list("pk", flat=True))
    return summed_in_pieces(_with_facets(numbers), complete, most=BATCH)


def _with_facets(numbers: list[int]) -> Iterator[dict[str, object]]:
    """These judgments, with the unchanging values of their responses and rounds, which are read without a lock."""
    names = ("pk", "round_id", "item_id")
    for start in range(0, len(numbers), BATCH):
        rows = Judgment.objects.filter(pk__in=numbers[start : start + BATCH])
        about = {
            "response_id": F("item__response"),
            "consensus": F("round__consensus"),
            "questionnaire": F("round__questionnaire"),
            **FACETS,
        }
        yield from rows.order_by("undo_until").values(*names, **about)


def _complete(round_id: int, due: list[dict[str, Any]], at: datetime) -> int:
    # Two processes at once would each see only some of the judgments.
    lock(Round.objects.filter(pk=round_id))
    fixed = Judgment.objects.fixed(at=at).filter(pk__in=[each["pk"] for each in due])
    fixed = fixed.filter(paired_at=None, judged_at__isnull=False).select_for_update()
    still_due = dict(fixed.values_list("pk", "item"))
    Judgment.objects.filter(pk__in=still_due).update(paired_at=at)
    return keeping_of(due[0]["questionnaire"]).complete(due, still_due.values(), at)
