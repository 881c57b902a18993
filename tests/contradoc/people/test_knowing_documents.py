"""A person who knows a document from elsewhere neither judges it nor decides on it: whichever came first, whenever
they joined, and whatever roles they got meanwhile."""

import json
from io import BytesIO

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from annotation.kinds.registry import benchmark
from annotation.releases.items.releasing import release_contents
from core.accounts.people import deactivate_person
from core.models import Role, User
from judging.files.task_replies import import_task_replies
from judging.models import Run
from review.models import Adjudication, Judgment, Round, RoundReviewer
from review.rounds.adjudication import adjudicate, adjudications_for, next_adjudication
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment, reset_judgment, take_back
from review.rounds.reviewers.handing_over import hand_over
from review.rounds.rounds import add_reviewer
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.contradoc.making.test_verification import NO, YES
from tests.factories.contradoc import content, make_candidate, make_document, make_questionnaire_round

pytestmark = pytest.mark.django_db

VERIFY, FIND, FREE = "contradoc-verification", "contradoc-find", "contradoc-free-format"
GIVES = {VERIFY: YES, FIND: {"judgment": "no"}, FREE: {"finding": "no"}}
OTHERS = {VERIFY: NO, FREE: {"finding": "wrong"}}
# Each order of forms of which nobody does both with one document.
APART = [(VERIFY, FIND), (FIND, VERIFY), (FIND, FREE), (FREE, FIND), (FIND, FIND)]


@pytest.fixture
def deal(admin, people):
    """Deals a round of a form about the one document, to Pat and whom else it takes, Pat first."""
    make_candidate("1", gap=5)
    release = release_contents(
        benchmark=benchmark("contradoc"), name="Two", contents=[content(1, "pos"), content(2, "neg")]
    )
    reply = {"document": "1_1", "task": "free_format", "model": "Mist", "text": "I see no problem."}
    import_task_replies(BytesIO(json.dumps(reply).encode()), release=release, name="free")
    values = {VERIFY: {}, FIND: {"release": release}, FREE: {"runs": [Run.objects.get(name="free")]}}

    def dealt(form: str, *, to: list[User] = people[:2]) -> Round:
        return make_questionnaire_round(form, admin, to, undo_minutes=0, **values[form])

    return dealt


def about_it(round: Round):
    """Slots for the document, of which only it is in rounds of verification and replies."""
    slots = round.judgments.select_related("round", "item__instance", "item", "reviewer")
    return slots.filter(item__instance__group="1") if round.questionnaire == FIND else slots


def give(slot: Judgment, answers: dict | None = None) -> Judgment:
    return record_judgment(
        slot=slot, reviewer=slot.reviewer, answers=answers or GIVES[slot.round.questionnaire], at=timezone.now()
    )


def judge(round: Round, person: User) -> None:
    """The person judges the document, whoever it was dealt to."""
    slot = about_it(round).filter(reviewer=person).first() or about_it(round).first()
    Judgment.objects.filter(pk=slot.pk).update(reviewer=person)
    give(about_it(round).get(pk=slot.pk))


def judged_by(round: Round) -> set[User]:
    return {slot.reviewer for slot in about_it(round) if slot.reviewer}


@pytest.mark.parametrize(("first", "then"), APART)
def test_who_knows_a_document_is_not_dealt_it_nor_gets_it_later(first, then, deal, pat, people, admin):
    judge(deal(first), pat)
    round = deal(then, to=people[1:])
    add_reviewer(round=round, person=pat, admin=admin)
    parts = {part.person: part for part in RoundReviewer.objects.filter(round=round).select_related("round")}
    givers = judged_by(round)
    for person in givers:
        hand_over(reviewer=parts[person], to=[parts[pat]], admin=admin)
    about_it(round).update(lease_expires_at=timezone.now())
    next_slots(parts[pat], count=9)
    assert judged_by(round) == givers


@pytest.mark.parametrize(("first", "then"), APART)
def test_what_a_person_has_open_goes_to_others_once_they_know_it(first, then, deal, pat, people):
    round = deal(then, to=people if then == FIND else [pat, people[2]])
    about_it(round).filter(number=1).exclude(reviewer=pat).update(reviewer=None)
    slot = about_it(round).filter(reviewer__in=[pat, None]).first() or about_it(round).get()
    Judgment.objects.filter(pk=slot.pk).update(reviewer=pat)
    judge(deal(first), pat)
    assert pat not in judged_by(round)


@pytest.mark.parametrize("then", [VERIFY, FREE])
@pytest.mark.parametrize("when", ["before", "between", "after"])
def test_an_adjudicator_who_knows_a_document_does_not_decide_on_it(then, when, deal, pat, people, admin):
    """They learned of it before the round was dealt, before the adjudication was opened, or after."""
    finding = deal(FIND, to=[pat])
    if when == "before":
        judge(finding, pat)
    round = deal(then, to=people[1:])
    if when == "between":
        judge(finding, pat)
    for slot, answers in zip(about_it(round), [GIVES[then], OTHERS[then]], strict=True):
        give(slot, answers)
    complete_pairs()
    if when == "after":
        judge(finding, pat)
    pat.groups.add(Group.objects.get_or_create(name=Role.ADJUDICATOR)[0])
    pat = User.objects.get(pk=pat.pk)
    assert not adjudications_for(pat).exists()
    stranger = make_person("sam", "adjudicator")
    assert adjudications_for(stranger).count() == 1


def test_who_decided_on_a_candidate_does_not_look_for_its_contradiction(deal, pat, people, admin):
    expert = make_person("erin", "adjudicator", "reviewer")
    round = deal(VERIFY, to=people[1:])
    finding = deal(FIND, to=[expert])
    for slot, answers in zip(about_it(round), [YES, NO], strict=True):
        give(slot, answers)
    complete_pairs()
    adjudicate(adjudication=round.items.get().adjudication, person=expert, answers=YES, reason="read it")
    assert judged_by(finding) == set()


def test_a_clean_document_is_known_by_those_who_verified_a_candidate_of_it(deal, pat, admin):
    """A release with clean documents has them by their own ids."""
    candidate = make_candidate("plain")
    clean = {"label": "neg", "unique id": "plain", "doc_type": "news", "text": make_document("plain").text}
    release = release_contents(benchmark=benchmark("contradoc"), name="Clean", contents=[content(3, "pos"), clean])
    round = deal(VERIFY)
    slot = round.judgments.select_related("round", "item").filter(item__subject_number=candidate.pk, reviewer=pat)
    give(slot.get())
    finding = make_questionnaire_round(FIND, admin, [pat], release=release)
    assert [item.instance.group for item in finding.items.select_related("instance")] == ["3"]


def test_who_judged_it_once_does_not_decide_on_it(deal, pat, people, admin):
    """A judgment that was taken back, or reset and given to another person, was one."""
    round = deal(VERIFY)
    add_reviewer(round=round, person=people[2], admin=admin)
    slot = about_it(round).get(reviewer=pat)
    Round.objects.filter(pk=round.pk).update(undo_minutes=5)
    take_back(judgment=give(about_it(round).get(pk=slot.pk)), reviewer=pat)
    given = give(about_it(round).get(pk=slot.pk))
    reset_judgment(judgment=given, admin=admin, reason="by mistake", to=people[2])
    Round.objects.filter(pk=round.pk).update(undo_minutes=0)
    for slot, answers in zip(about_it(round), [YES, NO], strict=True):
        give(slot, answers)
    complete_pairs()
    pat.groups.add(Group.objects.get_or_create(name=Role.ADJUDICATOR)[0])
    assert not adjudications_for(User.objects.get(pk=pat.pk)).exists()


def test_what_a_closed_account_has_open_goes_to_others_and_what_it_gave_stays(deal, pat, people, admin):
    """The third person is asked, and decides the pair with what was given; so does the next adjudicator."""
    make_candidate("2")
    round = deal(VERIFY)
    add_reviewer(round=round, person=people[2], admin=admin)
    given, left = round.judgments.select_related("round", "item", "reviewer").filter(reviewer=pat)
    give(given)
    deactivate_person(person=pat, admin=admin)
    assert Judgment.objects.get(pk=given.pk).answers == YES
    part = RoundReviewer.objects.select_related("round").get(round=round, person=people[2])
    assert [slot.pk for slot in next_slots(part)] == [left.pk]
    for slot in round.judgments.open().select_related("round", "item", "reviewer"):
        give(slot, NO)
    complete_pairs()
    assert Adjudication.objects.filter(round=round).count() == 1
    erin, sam = make_person("erin", "adjudicator"), make_person("sam", "adjudicator")
    assert next_adjudication(person=erin)
    assert next_adjudication(person=sam) is None
    deactivate_person(person=erin, admin=admin)
    assert next_adjudication(person=sam)
