"""People check a sample of evidence, blind: whether it supports its claim, and whether it contradicts the default
evidence. A part is common to all people; the rest goes to two people each.

The questions are the paper's (section 2.5); the third asks for its Table 5, where evidence repeats the true fact.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from core.languages import say
from review.models import Item
from review.models.subjects import SubjectKind
from review.rounds.dealing.choosing import LeftOut, untouched_items
from review.rounds.dealing.order import stratified_sample
from review.rounds.questionnaires import Answers, Field, Merged, Option, Questionnaire, Subject, Wanted

from ..evidence.checking import counting, defaults_of
from ..models import Cause, ConflictSettings, Evidence

KIND = "evidence"
COMMON_CODE, PAIRS_CODE = "conflictbank-common", "conflictbank-pairs"
# The common part goes to all who take part: five as in the paper, or fewer, but two at least.
PEOPLE_OF_COMMON, FEWEST_OF_COMMON, PEOPLE_OF_PAIRS = 5, 2, 2
SUPPORTS, CONTRADICTS, REPEATS = "supports", "contradicts", "repeats"
YES, NO, CANNOT_TELL, CLEARLY, AMBIGUOUSLY = "yes", "no", "cannot_tell", "clearly", "ambiguously"
SUPPORTED, NOT_SUPPORTED, UNCLEAR = "supported", "not_supported", "unclear"
OUTCOMES = {
    SUPPORTED: say("Supports its claim"),
    NOT_SUPPORTED: say("Does not support it"),
    UNCLEAR: say("Cannot be told"),
}
OUTCOME_OF = {YES: SUPPORTED, NO: NOT_SUPPORTED, CANNOT_TELL: UNCLEAR}


def is_conflict(item: Item) -> bool:
    return item.subject.claim.cause != Cause.DEFAULT


def has_default(item: Item) -> bool:
    """Return whether there is default evidence that this evidence may contradict."""
    return is_conflict(item) and item.subject.has_default


FIELDS = (
    Field(
        SUPPORTS,
        say("Does the text support the claim?"),
        (
            Option(YES, say("Yes"), "1", say("whoever believes the text believes the claim")),
            Option(NO, say("No"), "2"),
            Option(CANNOT_TELL, say("Cannot tell"), "3"),
        ),
    ),
    Field(
        CONTRADICTS,
        say("Do the two texts contradict each other?"),
        (
            Option(CLEARLY, say("Clearly"), "4", say("both cannot be true")),
            Option(
                AMBIGUOUSLY, say("Ambiguously"), "5", say("in one reading they contradict each other, in another not")
            ),
            Option(NO, say("No"), "6"),
        ),
        is_asked=has_default,
    ),
    Field(
        REPEATS,
        say("Does the text also say what the other claim says?"),
        (Option(YES, say("Yes"), "7"), Option(NO, say("No"), "8")),
        is_asked=is_conflict,
    ),
)


def merge(answers: Sequence[Answers]) -> Merged | None:
    """The answer that more than half of the people gave to each question; None if there is none for one of them."""
    merged: Answers = {}
    for name in answers[0]:
        answer, count = Counter(each[name] for each in answers).most_common(1)[0]
        if 2 * count <= len(answers):
            return None
        merged[name] = answer
    return Merged(OUTCOME_OF[merged[SUPPORTS]], merged)


def decide(answers: Answers) -> Merged:
    """The outcome of the adjudicator's answers."""
    return Merged(OUTCOME_OF[answers[SUPPORTS]], answers)


@dataclass(frozen=True)
class ShownEvidence:
    """Evidence as people see it: nothing tells its model, its checks, or which of two claims is true."""

    evidence: Evidence
    default: Evidence | None

    @property
    def claim(self) -> str:
        return self.evidence.claim.text

    @property
    def text(self) -> str:
        return self.evidence.used_text

    @property
    def about_subject(self) -> str:
        """The description of the subject in a semantic claim, without which its words have another meaning."""
        conflict = self.evidence.claim.conflict
        return conflict.semantic_description if self.evidence.claim.cause == Cause.SEMANTIC else ""

    @property
    def other_claim(self) -> str:
        return self.default.claim.text if self.default else ""

    @property
    def other_text(self) -> str:
        return self.default.used_text if self.default else ""


def show(items: Sequence[Item]) -> list[ShownEvidence]:
    evidence = [item.subject for item in items]
    defaults = defaults_of([each for each in evidence if each.claim.cause != Cause.DEFAULT])
    return [ShownEvidence(each, defaults.get(each.pk)) for each in evidence]


def describe(item: Item) -> dict[str, Any]:
    """Evidence for programs."""
    shown = show([item])[0]
    return {
        "claim": shown.claim,
        "text": shown.text,
        "subject_means": shown.about_subject,
        "other_claim": shown.other_claim,
        "other_text": shown.other_text,
        "made_to_mislead": True,
    }


# --- The sample -----------------------------------------------------------------------------------------------------


def choose(wanted: Wanted) -> tuple[list[Subject], dict[str, int]]:
    """A sample by the round's seed of all evidence that is in no other round, each cause, style and relation in
    proportion. Evidence that failed a check is in it, too: only such evidence shows how often checks fail wrongly.
    """
    taken = Item.everything.filter(subject_kind=KIND).exclude(pk__in=untouched_items())
    there = counting()
    free = there.exclude(pk__in=taken.values("subject_number")).order_by("pk")
    rows = list(
        free.values_list("pk", "claim__conflict", "claim__cause", "claim__style", "claim__conflict__fact__relation")
    )
    size = wanted.round.sample_size or default_size(wanted.round.questionnaire)
    drawn = stratified_sample([row[2:] for row in rows], size, seed=wanted.round.seed)
    left_out = {str(LeftOut.ELSEWHERE): there.count() - len(rows), str(LeftOut.NOT_DRAWN): len(rows) - len(drawn)}
    chosen = [rows[index] for index in drawn]
    return [Subject(number, like=conflict) for number, conflict, *_ in chosen], left_out


def default_size(questionnaire: str) -> int:
    """The amount of evidence by the settings: the common part, or the rest, which two people share."""
    settings = ConflictSettings.current()
    common = round(settings.per_person * settings.common_share)
    if questionnaire == COMMON_CODE:
        return max(1, common)
    return max(1, settings.people * (settings.per_person - common) // PEOPLE_OF_PAIRS)


def sample_words(questionnaire: str) -> str:
    """The default size of a sample and the settings that it follows from."""
    settings = ConflictSettings.current()
    return say(
        "{size:,}, by the settings of conflicts: {people} people, {per_person:,} texts each, "
        "{common:.0f}% of them common to all",
        size=default_size(questionnaire),
        people=settings.people,
        per_person=settings.per_person,
        common=100 * settings.common_share,
    )


def rows() -> QuerySet[Evidence]:
    default = Evidence.objects.filter(
        claim__conflict=OuterRef("claim__conflict"), claim__cause=Cause.DEFAULT, model=OuterRef("model")
    )
    return Evidence.objects.select_related("claim__conflict").annotate(has_default=Exists(default))


SUBJECT = SubjectKind(
    code=KIND,
    rows=rows,
    title=lambda evidence: evidence.claim.text,
    named=lambda evidence: {KIND: str(evidence.key), "document": str(evidence.claim.key)},
)
PAIRS = Questionnaire(
    code=PAIRS_CODE,
    name=say("Evidence of ConflictBank, two people each"),
    about=say(
        "Whether evidence supports its claim and contradicts the default evidence. Two people answer, "
        "independently of each other. The texts are made to mislead."
    ),
    judges=KIND,
    singular=say("text"),
    plural=say("texts"),
    fields=FIELDS,
    subject="conflictbank/judge/_evidence.html",
    related=("item",),
    show=show,
    merge=merge,
    decide=decide,
    outcomes=OUTCOMES,
    choose=choose,
    sampled=say("in proportion to cause, style and relation"),
    final_by=say("for each question, the answer of more than half of the people counts"),
    describe=describe,
    judgments_each=PEOPLE_OF_PAIRS,
    most_each=PEOPLE_OF_PAIRS,
    default_sample=lambda: sample_words(PAIRS_CODE),
)
COMMON = replace(
    PAIRS,
    code=COMMON_CODE,
    name=say("Evidence of ConflictBank, common to all"),
    about=say(
        "The same questions about texts that all who take part judge, up to five: their agreement is computed from "
        "these."
    ),
    judgments_each=PEOPLE_OF_COMMON,
    most_each=PEOPLE_OF_COMMON,
    fewest_each=FEWEST_OF_COMMON,
    default_sample=lambda: sample_words(COMMON_CODE),
)
