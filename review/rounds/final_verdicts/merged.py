"""Writes the final answers in rounds of other questionnaires than the three verdicts, once all judgments of an item
are fixed, or an adjudication if they do not merge.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from ...models import Adjudication, AdjudicationCause, FinalAnswers, HowMerged, Item, Judgment
from ...models.subjects import load_subjects
from ..questionnaires import Merged, Questionnaire, questionnaire_of


def merge_items(code: str, items: Iterable[int], at: datetime) -> int:
    """Merge the answers to the questionnaire with this code, of these items, where all are fixed. Returns the number
    of these items. Call it with the round locked, in a transaction.
    """
    questionnaire = questionnaire_of(code)
    slots: dict[Item, list[Judgment]] = defaultdict(list)
    ordinary = Judgment.objects.ordinary().filter(item__in=set(items)).order_by("number")
    for slot in ordinary.select_related("item__instance"):
        slots[slot.item].append(slot)
    load_subjects(slots)
    complete = {item: mine for item, mine in slots.items() if all(slot.paired_at for slot in mine)}
    for item, mine in complete.items():
        _merge(questionnaire, item, mine, at)
    return len(complete)


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


def withdraw_answers(item: Item) -> None:
    """Withdraw the final answers of an item, if it has any."""
    if FinalAnswers.objects.filter(item=item).delete()[0]:
        questionnaire_of(item.round.questionnaire).follows(item, None)
