"""Keeps one verdict for each judgment: each two judgments of an item are a `Pair`, and its outcome is a
`FinalVerdict` by the rule of the round, or an adjudication.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet

from core.engine.queries.updates import PreparedUpdate
from core.engine.writing.inserts import Insert, insert
from core.languages import changed, joined, say
from core.models import Consensus
from core.refusals import Refusal
from judging.protocol.verdicts import Verdict

from ...models import Adjudication, AdjudicationCause, Facets, FinalVerdict, How, Item, Judgment, Pair, Round
from .keeping import Answers, Given, Keeping, open_slot

GIVE = PreparedUpdate(
    lambda pk, person, **given: (open_slot(pk, person), given),
    pk=int,
    person=int,
    verdict=str,
    cannot_judge=str,
    comment=str,
    seconds=int,
    judged_at=datetime,
    undo_until=datetime,
)


# The columns that a pair copies from its response, and their sources.
FACETS = {
    "run_id": F("item__response__run"),
    "instance_id": F("item__response__instance"),
    "model_id": F("item__response__model"),
    "template_id": F("item__response__template"),
    "category": F("item__response__instance__category"),
    "subcategory": F("item__response__instance__subcategory"),
}


class KeptVerdict(Keeping):
    """One verdict in a column of its own."""

    final, has_pairs = "final_verdict", True

    def from_page(self, answers: Answers) -> tuple[str, Answers | None]:
        verdict = answers["verdict"]
        return verdict if isinstance(verdict, str) else "", None

    def checked(self, slot: Judgment, verdict: str, answers: Answers | None, cannot_judge: str) -> Given:
        if answers is not None:
            raise Refusal(say("This round asks for a verdict, not for answers. Nothing was recorded."), status=400)
        if not verdict:
            if not cannot_judge:
                raise Refusal(say("Choose a verdict, or say why you cannot judge. Nothing was recorded."), status=400)
            return "", None, cannot_judge
        check_offered(slot.item, verdict, say("Nothing was recorded."))
        return Verdict(verdict), None, ""

    def give(
        self, slot: Judgment, person: int, given: dict[str, Any], answers: Answers | None, then: Callable[[], None]
    ) -> int:
        # A single statement is a transaction anyway; begin and commit around it would be two more round trips to the
        # database.
        return GIVE.run(pk=slot.pk, person=person, **given)

    def complete(self, due: Sequence[Mapping[str, Any]], items: Collection[int], at: datetime) -> int:
        round_id, of_item = due[0]["round_id"], {each["item_id"]: each for each in due}
        slots: dict[int, list[_Slot]] = defaultdict(list)
        of_these = Judgment.objects.ordinary().filter(item__in=set(items)).order_by("number")
        for item, reviewer, verdict, paired_at in of_these.values_list("item", "reviewer", "verdict", "paired_at"):
            slots[item].append(_Slot(reviewer, verdict, paired_at))
        outcomes = [
            _Outcome(of_item[item], mine) for item, mine in slots.items() if all(slot.paired_at for slot in mine)
        ]
        # A final verdict that was imported meanwhile stands.
        imported = FinalVerdict.objects.filter(response__in=[outcome.item["response_id"] for outcome in outcomes])
        has_verdict = set(imported.values_list("response", flat=True))
        insert(
            row
            for outcome in outcomes
            for row in outcome.rows(round_id, at, is_decided=outcome.item["response_id"] in has_verdict)
        )
        return len(outcomes)

    def decided(self, item: Item, verdict: str, answers: Answers | None) -> tuple[str, Answers | None]:
        check_offered(item, verdict, say("Nothing was decided."))
        return verdict, None

    def finish(self, adjudication: Adjudication, verdict: str, answers: Answers | None, at: datetime) -> None:
        pair = Pair.objects.filter(item=adjudication.item_id)[0]  # each has the response with its facets
        final_verdict_of(pair, verdict, How.ADJUDICATED, at).save(force_insert=True)

    def withdraw(self, item: Item) -> None:
        Pair.objects.filter(item=item).delete()
        self.withdraw_final(item)

    def withdraw_final(self, item: Item) -> None:
        FinalVerdict.objects.filter(item=item).delete()

    def completed_at(self, judgment: Judgment) -> datetime | None:
        pair = Pair.objects.filter(item=judgment.item_id).first()
        return pair.completed_at if pair else None

    def final_count(self, round: Round) -> int:
        return FinalVerdict.objects.filter(item__round=round).count()

    def counts(self, round: Round, adjudications: Mapping[str, int]) -> dict[str, int]:
        # With two judgments, a response has one pair, and neither judgment is ever withdrawn: no duplicates to count
        # once.
        is_apart = round.judgments_each != 2
        counts = Pair.objects.filter(round=round).aggregate(
            complete=Count("item", distinct=is_apart),
            could_not=Count("item", filter=Q(verdict_1="") | Q(verdict_2=""), distinct=is_apart),
        )
        counts |= {"agreed": counts["complete"] - adjudications["count"]}
        return counts | {"final": self.final_count(round)}

    def outcomes(self, round: Round) -> list[tuple[str, int]]:
        return []

    def asked(self, round: Round, items: int, slots: QuerySet[Judgment]) -> int:
        # With two judgments each, all slots exist from the beginning and need not be counted.
        return 2 * items if round.judgments_each == 2 else super().asked(round, items, slots)

    def in_words(self, verdict: str) -> str:
        return say("Final verdict: {verdict}.", verdict=changed(Verdict(verdict).label, str.lower))

    def in_log(self, round: Round) -> dict[str, str]:
        return {}

    def related(self, *, finished: bool) -> list[str]:
        return ["item__response__model", "item__final_verdict"] if finished else []


VERDICT = KeptVerdict()


def check_offered(item: Item, verdict: str, nothing_was: str) -> None:
    """Raises `Refusal` (400) if the template does not offer this verdict; it ends in `nothing_was`."""
    offered = item.response.template.offered_verdicts
    if verdict not in offered:
        words = joined([changed(each.label, str.lower) for each in offered], ", ")
        raise Refusal(
            joined([say("The verdicts for this prompt are: {words}.", words=words), nothing_was]), status=400
        )


class _Slot(NamedTuple):
    reviewer: int | None
    verdict: str
    paired_at: datetime | None


class _Outcome:
    """An item with its facets and the rule of its round, and its judgments, all fixed."""

    def __init__(self, item: Mapping[str, Any], slots: Sequence[_Slot]):
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

    An empty verdict, "cannot judge", supports no verdict but counts as a judgment: of three people, two must agree.
    So the order of the judgments never matters, and no two verdicts can both have more than half.
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
