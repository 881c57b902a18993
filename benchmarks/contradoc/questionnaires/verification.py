"""Verification of candidates: ContraDoc's five questions to two people, who answer independently, and the expert pass
if they differ.

Questions are the paper's to the letter (section 3.2.3 and appendix C); that the inserted statement is red is one of
them.
"""

import random
from collections.abc import Sequence
from typing import Any

from core.languages import say
from review.kinds.merging import DIFFER, both_yes, closer, union
from review.models import AdjudicationCause, FinalAnswers, Item
from review.models.subjects import SubjectKind
from review.rounds.dealing.choosing import LeftOut, untouched_items
from review.rounds.questionnaires import Answers, Field, Merged, Option, Questionnaire, Subject, Wanted

from ..items import CODE, SCOPES, TYPES
from ..maker.maker import MAKER
from ..maker.values import Gap
from ..making.moving import move_candidate
from ..models import Candidate, CandidateState
from ..models.candidates import Operation
from .documents import ShownCandidate
from .knowing import CANDIDATE, GAP, know_candidate, ruled_out_by_verifying
from .knowing import VERIFICATION as QUESTIONNAIRE

CONTRADICT, FEASIBLE, ACCEPTABLE, SCOPE, TYPE = "contradict", "feasible", "acceptable", "scope", "types"
CONTROVERSIAL = "controversial"
YES_NO = (CONTRADICT, FEASIBLE, ACCEPTABLE)
KEPT, REJECTED, NEGATIVE = "kept", "rejected", "negative"
OUTCOMES = {KEPT: say("Kept"), REJECTED: say("Rejected"), NEGATIVE: say("Does not contradict itself")}
STATES = {KEPT: CandidateState.VERIFIED, REJECTED: CandidateState.REJECTED, NEGATIVE: CandidateState.NEGATIVE}

SCOPE_WORDS = {
    "intra": say("both sides are inside one sentence"),
    "local": say("at most four sentences apart"),
    "global": say("more than four sentences apart"),
}
TYPE_WORDS = {
    "Negation": say("the original statement is negated"),
    "Numeric": say("numbers do not match or are out of range"),
    "Content": say("one or more attributes of an event or entity are changed"),
    "Perspective/View/Opinion": say("a person's attitude, view or opinion is inconsistent"),
    "Emotion/Mood/Feeling": say("a person's emotion or mood is inconsistent"),
    "Factual": say("outside knowledge is needed to see the contradiction"),
    "Relation": say("two relations between entities exclude each other"),
    "Causal": say("the effect does not fit the cause"),
}
TYPE_KEYS = "qwertasd"


def is_insertion(item: Item) -> bool:
    return item.subject.operation == Operation.INSERT


def gaps_of(candidate: Candidate) -> Sequence[Gap]:
    """Every position of the clean document where a sentence could be inserted; answers use their numbers."""
    return MAKER.gaps(candidate.document.text)


def gap_count(item: Item) -> int:
    return len(gaps_of(item.subject))


def gap_in_words(item: Item, number: int) -> str:
    gap = gaps_of(item.subject)[number]
    return say("after “…{text}”", text=gap.before[-60:]) if gap.before else say("at the beginning")


def _yes_no(yes: str, no: str) -> tuple[Option, ...]:
    return Option("yes", say("Yes"), yes), Option("no", say("No"), no)


# The five questions are the published ones.
FIELDS = (
    Field(CONTRADICT, "Do you think the two statements contradict each other?", _yes_no("1", "2")),
    Field(
        FEASIBLE,
        "(If applicable): Is the position of the inserted statement (red color) feasible?",
        _yes_no("3", "4"),
        is_asked=is_insertion,
    ),
    Field(
        GAP,
        say("Another position in the document"),
        most=1,
        spots=gap_count,
        where=gap_in_words,
        required=False,
        is_asked=is_insertion,
        only_if=(FEASIBLE, "no"),
    ),
    Field(ACCEPTABLE, "Overall, do you think it makes an acceptable contradictory document?", _yes_no("5", "6")),
    Field(
        SCOPE,
        "How close in the context of the modified sentence can you find the evidence for the self-contradiction? "
        "(As described in 3.1)",
        tuple(Option(scope, scope, key, SCOPE_WORDS[scope]) for scope, key in zip(SCOPES, "ilg", strict=True)),
        only_if=(CONTRADICT, "yes"),
    ),
    Field(
        TYPE,
        "Select Type(s) of self-contradiction.",
        tuple(Option(name, name, key, TYPE_WORDS[name]) for name, key in zip(TYPES, TYPE_KEYS, strict=True)),
        many=True,
        only_if=(CONTRADICT, "yes"),
    ),
    Field(
        CONTROVERSIAL,
        say("Should an expert look at it?"),
        (Option("yes", say("Mark as controversial"), "7"),),
        required=False,
        of_judges_only=True,
    ),
)


def merge(answers: Sequence[Answers]) -> Merged | None:
    """The outcome of all verifiers' answers by the paper's rules (appendix C): kept if all say yes to each question
    asked, the closer scope, all types. None calls for the expert pass: a yes and a no differ, or one of them marked
    it as controversial.
    """
    if any(CONTROVERSIAL in each for each in answers):
        return None
    if all(each[CONTRADICT] == "no" for each in answers):
        return Merged(NEGATIVE, {CONTRADICT: "no"})
    asked = [name for name in YES_NO if any(name in each for each in answers)]
    merged = both_yes([each[name] for each in answers] for name in asked)
    if merged is DIFFER:
        return None
    kept = Merged(KEPT if merged else REJECTED, {name: answers[0][name] for name in asked})
    # All say that the statements contradict each other, so all were asked how.
    kept.answers[SCOPE] = closer([each[SCOPE] for each in answers], SCOPES)
    kept.answers[TYPE] = union((each[TYPE] for each in answers), TYPES)
    return kept


def cause(answers: Sequence[Answers]) -> AdjudicationCause:
    """The reason why these answers go to the expert: they differ, or they agree and one verifier asks for the
    expert.
    """
    alike = merge([{name: value for name, value in each.items() if name != CONTROVERSIAL} for each in answers])
    return AdjudicationCause.DISAGREE if alike is None else AdjudicationCause.MARKED


def decide(answers: Answers) -> Merged:
    """The outcome of the expert's answers."""
    plain = {name: value for name, value in answers.items() if name != CONTROVERSIAL}
    merged = merge([plain])
    if merged is None:  # one person cannot differ
        raise ValueError(f"answers that do not merge with themselves: {answers}")
    return Merged(merged.outcome, merged.answers | {name: plain[name] for name in (GAP,) if name in plain})


def choose(wanted: Wanted) -> tuple[list[Subject], dict[str, int]]:
    """Candidates chosen for verification that are in no other round; a sample if the round has a sample size."""
    round = wanted.round
    waiting = Candidate.objects.filter(document__benchmark=CODE, state=CandidateState.CHOSEN)
    taken = Item.everything.filter(subject_kind=CANDIDATE).exclude(pk__in=untouched_items())
    free = waiting.exclude(pk__in=taken.values("subject_number")).order_by("pk")
    rows = list(free.values_list("pk", "document"))
    left_out = {str(LeftOut.ELSEWHERE): waiting.count() - len(rows)}
    drawn = rows
    if round.sample_size is not None and round.sample_size < len(rows):
        drawn = sorted(random.Random(round.seed).sample(rows, round.sample_size))  # noqa: S311 - a sample
        left_out[str(LeftOut.NOT_DRAWN)] = len(rows) - len(drawn)
    return [Subject(pk, like=document) for pk, document in drawn], left_out


def show(items: Sequence[Item]) -> list[ShownCandidate]:
    return [ShownCandidate(item.subject) for item in items]


def describe(item: Item) -> dict[str, Any]:
    """A candidate for programs: a gap is named by its number."""
    shown = ShownCandidate(item.subject)
    gaps = gaps_of(item.subject) if shown.is_insertion else []
    return {
        "operation": item.subject.operation,
        "original": shown.original,
        "introduced": shown.introduced,
        "document": item.subject.text,
        "gaps": [{"before": gap.before, "after": gap.after} for gap in gaps],
    }


def follows(item: Item, final: FinalAnswers | None) -> None:
    """Apply the outcome: the candidate is verified, rejected or negative from now on; each other gap proposed by a
    person makes an additional candidate, to be verified in turn. Without final answers it waits for them again.
    """
    state = STATES[final.outcome] if final else CandidateState.CHOSEN
    Candidate.objects.filter(pk=item.subject.pk).update(state=state)
    if final is None:
        return
    given = [judgment.answers for judgment in item.judgments.ordinary() if judgment.answers]
    gaps = {number for answers in [*given, final.answers] for number in answers.get(GAP, ())}
    for number in sorted(gaps):
        move_candidate(item.subject, gaps_of(item.subject)[number].offset)


SUBJECT = SubjectKind(
    code=CANDIDATE,
    rows=lambda: Candidate.objects.select_related("document", "statement"),
    title=lambda candidate: f"{candidate.document.code}: {candidate.sentence}",
    named=lambda candidate: {CANDIDATE: str(candidate.key), "document": candidate.document.code},
)
VERIFICATION = Questionnaire(
    code=QUESTIONNAIRE,
    name=say("Verification of ContraDoc candidates"),
    about=say(
        "Five questions about a document with one edit. Two people answer, independently of each other; an "
        "expert decides if they differ."
    ),
    judges=CANDIDATE,
    singular=say("candidate"),
    plural=say("candidates"),
    fields=FIELDS,
    subject="contradoc/judge/_candidate.html",
    related=("item",),
    made_at="documents",
    show=show,
    merge=merge,
    decide=decide,
    outcomes=OUTCOMES,
    cause=cause,
    choose=choose,
    sampled=say("drawn at random"),
    knowing=know_candidate,
    rules_out=ruled_out_by_verifying,
    describe=describe,
    follows=follows,
)
