"""Keeps the answers to a questionnaire, and its final answers once all judgments of an item are fixed, or an
adjudication if they do not merge.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, Q

from core.languages import say
from core.refusals import Refusal

from ...models import Adjudication, AdjudicationCause, FinalAnswers, HowMerged, Item, Judgment, Round
from ...models.subjects import load_subjects
from ..questionnaires import Merged, Questionnaire, checked_answers, questionnaire_of
from .keeping import Answers, Given, Keeping, open_slot


class KeptAnswers(Keeping):
    """Answers to the questions of a questionnaire, which merges them."""

    final = "final_answers"

    def checked(self, slot: Judgment, verdict: str, answers: Answers | None, cannot_judge: str) -> Given:
        if verdict or (answers is None and not cannot_judge):
            raise Refusal(
                say("This round asks for answers to its questions, not for a verdict. Nothing was recorded."),
                status=400,
            )
        if answers is None:
            return "", None, cannot_judge
        return "", checked_answers(questionnaire_of(slot.round.questionnaire), slot.item, answers), ""

    def give(
        self, slot: Judgment, person: int, given: dict[str, object], answers: Answers | None, then: Callable[[], None]
    ) -> int:
        with transaction.atomic():
            is_given = open_slot(slot.pk, person).update(**given, answers=answers)
            if is_given:
                then()
            return is_given

    def complete(self, due: Sequence[Mapping[str, Any]], items: Collection[int], at: datetime) -> int:
        questionnaire = questionnaire_of(due[0]["questionnaire"])
        slots: dict[Item, list[Judgment]] = defaultdict(list)
        ordinary = Judgment.objects.ordinary().filter(item__in=set(items)).order_by("number")
        for slot in ordinary.select_related("item__instance"):
            slots[slot.item].append(slot)
        load_subjects(slots)
        complete = {item: mine for item, mine in slots.items() if all(slot.paired_at for slot in mine)}
        for item, mine in complete.items():
            _merge(questionnaire, item, mine, at)
        return len(complete)

    def decided(self, item: Item, verdict: str, answers: Answers | None) -> tuple[str, Answers | None]:
        return "", checked_answers(questionnaire_of(item.round.questionnaire), item, answers or {})

    def finish(self, adjudication: Adjudication, verdict: str, answers: Answers | None, at: datetime) -> None:
        questionnaire = questionnaire_of(adjudication.round.questionnaire)
        merged = questionnaire.decide(answers or {})
        finish_answers(questionnaire, adjudication.item, merged, HowMerged.ADJUDICATED, at)

    def withdraw(self, item: Item) -> None:
        self.withdraw_final(item)

    def withdraw_final(self, item: Item) -> None:
        if FinalAnswers.objects.filter(item=item).delete()[0]:
            questionnaire_of(item.round.questionnaire).follows(item, None)

    def completed_at(self, judgment: Judgment) -> datetime | None:
        final = FinalAnswers.objects.filter(item=judgment.item_id).first()
        adjudication = Adjudication.objects.filter(item=judgment.item_id).first()
        return adjudication.opened_at if adjudication else final.at if final else None

    def final_count(self, round: Round) -> int:
        return FinalAnswers.objects.filter(round=round).count()

    def counts(self, round: Round, adjudications: Mapping[str, int]) -> dict[str, int]:
        counts = FinalAnswers.objects.filter(round=round).aggregate(
            final=Count("pk"), agreed=Count("pk", filter=Q(how=HowMerged.MERGED))
        )
        return counts | {
            "complete": counts["agreed"] + adjudications["count"],
            "could_not": adjudications["could_not"],
        }

    def outcomes(self, round: Round) -> list[tuple[str, int]]:
        found = FinalAnswers.objects.filter(round=round).order_by().values_list("outcome").annotate(count=Count("pk"))
        counts = dict(found)
        outcomes = questionnaire_of(round.questionnaire).outcomes
        return [(label, counts.get(outcome, 0)) for outcome, label in outcomes.items()]


ANSWERS = KeptAnswers()


def _merge(questionnaire: Questionnaire, item: Item, judgments: list[Judgment], at: datetime) -> None:
    answers = [judgment.answers for judgment in judgments if judgment.answers is not None]
    could_all = len(answers) == len(judgments)
    merged = questionnaire.merge(answers) if could_all else None
    if merged is not None:
        finish_answers(questionnaire, item, merged, HowMerged.MERGED, at)
        return
    cause = questionnaire.cause(answers) if could_all else AdjudicationCause.CANNOT_JUDGE
    Adjudication.objects.create(item=item, round_id=item.round_id, cause=cause, opened_at=at)


def finish_answers(
    questionnaire: Questionnaire, item: Item, merged: Merged, how: HowMerged, at: datetime
) -> FinalAnswers:
    """Write the final answers of an item, and apply the questionnaire's consequences."""
    values: dict[str, Any] = {"outcome": merged.outcome, "answers": merged.answers, "how": how, "at": at}
    final = FinalAnswers.objects.create(item=item, round_id=item.round_id, **values)
    questionnaire.follows(item, final)
    return final
