"""Writes the pairs of a response once all its judgments are fixed, and their outcome."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, F, When
from django.utils import timezone

from annotation.content.instances import SAME_PASSAGE
from core.engine.writing.inserts import Insert, insert
from core.engine.writing.pieces import summed_in_pieces
from core.models import Consensus
from core.writing.locking import lock

from ...models import VERDICTS, Adjudication, AdjudicationCause, Facets, FinalVerdict, How, Judgment, Pair, Round
from .merged import merge_items

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


def _with_facets(numbers: list[int]) -> Iterator[dict[str, Any]]:
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
    # Two at once would each see some of the judgments, and nobody all.
    lock(Round.objects.filter(pk=round_id))
    of_item = {each["item_id"]: each for each in due}
    fixed = Judgment.objects.fixed(at=at).filter(pk__in=[each["pk"] for each in due])
    fixed = fixed.filter(paired_at=None, judged_at__isnull=False).select_for_update()
    still_due = dict(fixed.values_list("pk", "item"))
    Judgment.objects.filter(pk__in=still_due).update(paired_at=at)
    if due[0]["questionnaire"] != VERDICTS:
        return merge_items(due[0]["questionnaire"], still_due.values(), at)
    slots: dict[int, list[_Slot]] = defaultdict(list)
    of_these = Judgment.objects.ordinary().filter(item__in=set(still_due.values())).order_by("number")
    for item, reviewer, verdict, paired_at in of_these.values_list("item", "reviewer", "verdict", "paired_at"):
        slots[item].append(_Slot(reviewer, verdict, paired_at))
    outcomes = [_Outcome(of_item[item], mine) for item, mine in slots.items() if all(slot.paired_at for slot in mine)]
    # A final verdict that was imported meanwhile stands.
    imported = FinalVerdict.objects.filter(response__in=[outcome.item["response_id"] for outcome in outcomes])
    has_verdict = set(imported.values_list("response", flat=True))
    insert(
        row
        for outcome in outcomes
        for row in outcome.rows(round_id, at, is_decided=outcome.item["response_id"] in has_verdict)
    )
    return len(outcomes)


# What a pair copies of its response, and from where.
FACETS = {
    "run_id": F("item__response__run"),
    "instance_id": F("item__response__instance"),
    "model_id": F("item__response__model"),
    "template_id": F("item__response__template"),
    "reasoning_type": F("item__response__instance__category"),
    "same_passage": Case(
        When(item__response__instance__subcategory=SAME_PASSAGE, then=True),
        default=False,
        output_field=BooleanField(),
    ),
}


class _Slot(NamedTuple):
    reviewer: int | None
    verdict: str
    paired_at: datetime | None


class _Outcome:
    """An item with its facets and the rule of its round, and its judgments, all fixed."""

    def __init__(self, item: dict[str, Any], slots: Sequence[_Slot]):
        self.item, self.slots = item, slots

    def rows(self, round_id: int, at: datetime, *, is_decided: bool) -> Iterator[Insert]:
        """The pairs, and their outcome unless the response `is_decided` already."""
        shared = {name: self.item[name] for name in ("item_id", "response_id", *FACETS)}
        for one, other in combinations(sorted(self.slots, key=lambda slot: slot.reviewer or 0), 2):
            yield Insert.of(
                Pair,
                **shared,
                round_id=round_id,
                reviewer_1_id=one.reviewer,
                reviewer_2_id=other.reviewer,
                verdict_1=one.verdict,
                verdict_2=other.verdict,
                completed_at=at,
            )
        if is_decided:
            return
        verdicts = [slot.verdict for slot in self.slots]
        if verdict := consensus_of(verdicts, Consensus(self.item["consensus"])):
            how = How.AGREED if set(verdicts) == {verdict} else How.MAJORITY
            yield Insert.of(FinalVerdict, **shared, verdict=verdict, how=how.value, at=at)
        else:
            cause = AdjudicationCause.DISAGREE if all(verdicts) else AdjudicationCause.CANNOT_JUDGE
            item = self.item["item_id"]
            yield Insert.of(Adjudication, item_id=item, round_id=round_id, cause=cause.value, opened_at=at)


def consensus_of(verdicts: Sequence[str], rule: Consensus) -> str:
    """The verdict from the judgments of a response by this rule; "" if there is none, and it is adjudicated.

    An empty verdict, "cannot judge", speaks for none and still counts as a judgment: of three, two have to say the
    same. So the order of the judgments never matters, and no two verdicts can both have more than half.
    """
    verdict, count = Counter(verdicts).most_common(1)[0]
    needed = len(verdicts) if rule == Consensus.ALL else len(verdicts) // 2 + 1
    return verdict if count >= needed else ""


def final_verdict_of(pair: Pair, verdict: str, how: How, at: datetime) -> FinalVerdict:
    """The final verdict of the pair's response, unsaved."""
    facets = {
        field.attname: getattr(pair, field.attname) for field in Facets._meta.local_fields if not field.generated
    }
    return FinalVerdict(response_id=pair.response_id, item_id=pair.item_id, verdict=verdict, how=how, at=at, **facets)
