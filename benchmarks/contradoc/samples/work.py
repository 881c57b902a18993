"""Sample work for a first start: invented documents, statements by a floor, a finished verification with a release
that the floors have answered, and a verification in progress.

All of it goes through the functions that commands and pages call. Every answer of a person is invented by a rule, and
names and reports say so.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from annotation.models import Release
from core.accounts.sample_people import demo_people
from core.languages import say
from core.models import User
from core.words import plural
from judging.models import LanguageModel, ModelKind, PromptTemplate, Run
from judging.runs.pump import pump_calls
from judging.runs.runs import create_run, start_run
from review.models import Adjudication, Judgment, Round
from review.models.subjects import load_subjects
from review.reports.layout import Note
from review.reports.scope import Scope
from review.rounds.adjudication import adjudicate
from review.rounds.dealing.dealing import deal_round
from review.rounds.judgments import record_judgment
from review.rounds.questionnaires import Answers
from review.rounds.rounds import close_round, create_round

from ..items import CODE
from ..maker.maker import MAKER
from ..maker.pattern import PATTERN
from ..making.documents import import_documents
from ..making.generation import create_generation_run
from ..making.measuring import run_checks
from ..models import Candidate, Document
from ..questionnaires.verification import (
    ACCEPTABLE,
    CONTRADICT,
    FEASIBLE,
    SCOPE,
    TYPE,
    is_insertion,
)
from ..questionnaires.verification import QUESTIONNAIRE as VERIFICATION
from ..release.releasing import release_candidates
from ..tasks import TASKS

DOCUMENTS = Path(__file__).parent / "documents.jsonl"
METHOD = "content_insert"
STATEMENTS_RUN = "Statements about the sample documents, from a pattern"
FLOORS_RUN = "The floors on the sample documents"
FINISHED = "Sample verification, closed: invented answers"
IN_PROGRESS = "Sample verification, in progress: invented answers"
RELEASE = "Sample documents: invented, and so are their verifications"
LICENCE = "CC0"
REVIEWERS, ADJUDICATOR = ("reviewer", "reviewer2"), "adjudicator"
# How many candidates the finished round has, and how many each reviewer has judged of the other one.
OF_FINISHED, JUDGED = 10, 3
REASON = "An invented reason: both numbers are about the same thing."
INVENTED = Note(say("The answers of the sample verifications are invented by a rule. They say nothing about people."))


def invented_answers(scope: Scope) -> Note | None:
    """The note for reports that count answers of the sample verifications."""
    if scope.benchmark != CODE:
        return None
    rounds = Round.objects.filter(name__in=[FINISHED, IN_PROGRESS])
    return INVENTED if (rounds.filter(pk=scope.round.pk) if scope.round else rounds).exists() else None


def demonstrate_documents() -> str:
    """Make what the sample lacks; returns a line about it, or "" where people work with documents, releases or
    accounts of their own.
    """
    people = {user.username: user for user in demo_people()}
    if not {"admin", ADJUDICATOR, *REVIEWERS} <= people.keys() or User.objects.count() > len(people):
        return ""
    others = Document.objects.exclude(code__startswith="sample_"), Release.objects.filter(benchmark=CODE)
    if others[0].exists() or others[1].exclude(name=RELEASE).exists() or Run.objects.filter(name=FLOORS_RUN).exists():
        return ""
    make_candidates()
    with transaction.atomic():
        finished = Round.objects.filter(name=FINISHED).first() or finished_round(people)
    release = release_candidates(rounds=[finished], name=RELEASE, admin=people["admin"], with_clean=True)
    with transaction.atomic():
        if not Round.objects.filter(name=IN_PROGRESS).exists():
            round_in_progress(people)
    run = run_floors(release)
    return (
        f"Release {release.number} of ContraDoc: {plural(release.instances.count(), 'document')} with invented "
        f"verifications; {plural(run.responses.count(), 'answer')} of floors; a verification in progress."
    )


def make_candidates() -> None:
    """Import the documents, have the pattern contradict their statements, and open the checks, which nothing makes
    offline.
    """
    with DOCUMENTS.open("rb") as file:
        import_documents(file, maker=MAKER, licence=LICENCE)
    if not Run.objects.filter(name=STATEMENTS_RUN).exists():
        pattern = LanguageModel.objects.filter(kind=ModelKind.BASELINE, endpoint_name=PATTERN)
        run = create_generation_run(maker=MAKER, method=METHOD, language_models=pattern, name=STATEMENTS_RUN)
        start_run(run=run)
    pump_calls()
    run_checks(maker=MAKER, components={})


# --- People -------------------------------------------------------------------------------------------------------


def finished_round(people: Mapping[str, User]) -> Round:
    """A verification by both reviewers, with all disagreements adjudicated."""
    round, at = dealt(FINISHED, people, sample_size=OF_FINISHED), timezone.now()
    for slot in slots_of(round):
        record_judgment(slot=slot, reviewer=reviewer_of(slot), answers=invented(slot), seconds=50, at=at)
    round = close_round(round=round, admin=people["admin"], at=at)
    for adjudication in Adjudication.objects.open().filter(round=round).order_by("pk"):
        load_subjects([adjudication.item])
        answers = answers_about(adjudication.item.subject, agrees=True)
        adjudicate(adjudication=adjudication, person=people[ADJUDICATOR], answers=answers, reason=REASON, at=at)
    return Round.objects.get(pk=round.pk)


def round_in_progress(people: Mapping[str, User]) -> Round:
    """A verification of which each reviewer has judged a few."""
    round, at = dealt(IN_PROGRESS, people, sample_size=None), timezone.now()
    for name in REVIEWERS:
        mine = [slot for slot in slots_of(round) if reviewer_of(slot) == people[name]]
        for slot in sorted(mine, key=lambda slot: slot.position)[:JUDGED]:
            record_judgment(slot=slot, reviewer=people[name], answers=invented(slot), seconds=50, at=at)
    return round


def dealt(name: str, people: Mapping[str, User], *, sample_size: int | None) -> Round:
    round = create_round(
        admin=people["admin"],
        name=name,
        reviewers=[people[each] for each in REVIEWERS],
        questionnaire=VERIFICATION,
        sample_size=sample_size,
        with_training=False,
    )
    deal_round(round.pk)
    round.refresh_from_db()
    return round


def slots_of(round: Round) -> list[Judgment]:
    """The slots of a round, with their subjects."""
    slots = list(Judgment.objects.filter(round=round).select_related("round", "item", "reviewer").order_by("pk"))
    load_subjects([slot.item for slot in slots])
    return slots


def reviewer_of(slot: Judgment) -> User:
    if slot.reviewer is None:
        raise ValueError("a slot of the sample has a reviewer")
    return slot.reviewer


def invented(slot: Judgment) -> Answers:
    """The invented answers of this slot's reviewer. About some candidates both say that there is no contradiction, or
    that the document is not acceptable; about some they differ.
    """
    candidate: Candidate = slot.item.subject
    about = f"{candidate.document.code}/{candidate.new_text}"
    of_all, of_one = drawn(about), drawn(f"{reviewer_of(slot).username}/{about}")
    return answers_about(
        candidate,
        agrees=of_all >= 0.15 and of_one >= 0.15,
        is_acceptable=of_all >= 0.25,
        is_insertion=is_insertion(slot.item),
    )


def drawn(about: str) -> float:
    """A number from 0 to 1, the same for the same text in every database."""
    return int.from_bytes(hashlib.sha256(about.encode()).digest()[:4]) / 2**32


def answers_about(
    candidate: Candidate, *, agrees: bool, is_acceptable: bool = True, is_insertion: bool = True
) -> Answers:
    feasible: Answers = {FEASIBLE: "yes"} if is_insertion else {}
    if not agrees:
        return {CONTRADICT: "no", **feasible, ACCEPTABLE: "no"}
    statement = candidate.statement
    near = statement.start is not None and candidate.document.text[statement.start : candidate.start].count(".") <= 4
    return {
        CONTRADICT: "yes",
        **feasible,
        ACCEPTABLE: "yes" if is_acceptable else "no",
        SCOPE: "local" if near else "global",
        TYPE: ["Numeric"],
    }


# --- Floors -------------------------------------------------------------------------------------------------------


def run_floors(release: Release) -> Run:
    """The floors of all tasks that have some, over the release."""
    tasks = [task for task in TASKS if task.baselines]
    names = {name for task in tasks for name in task.baselines}
    run = create_run(
        name=FLOORS_RUN,
        release=release,
        language_models=LanguageModel.objects.filter(kind=ModelKind.BASELINE, endpoint_name__in=names),
        templates=PromptTemplate.objects.current(CODE).filter(task__in=[task.code for task in tasks]),
    )
    start_run(run=run)
    pump_calls()
    return run
