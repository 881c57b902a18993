"""Whoever knows what was to be found in a document decides on it in no other round, through whatever door: people
with several roles, handing over, people who leave, adjudications opened again."""

import pytest
from django.urls import reverse

from annotation.kinds.registry import benchmark
from annotation.models import Release
from annotation.releases.items.releasing import release_contents
from benchmarks.contradoc.models import Candidate
from core.models import Role
from review.models import Adjudication, Judgment, Round, RoundReviewer
from review.rounds.adjudication import adjudicate, adjudications_for, reopen
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.rounds.reviewers.handing_over import hand_over
from review.rounds.rounds import add_reviewer
from tests.conftest import make_person
from tests.contradoc.making.test_verification import NO, YES
from tests.factories.contradoc import TEXT, content, make_candidate, make_questionnaire_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def eve(db):
    """Holds every role."""
    return make_person("eve", Role.ANNOTATOR, Role.REVIEWER, Role.ADJUDICATOR, Role.ADMIN)


def answer(round: Round, person, answers: dict | None, **values) -> None:
    slot = Judgment.objects.select_related("round", "item").get(round=round, reviewer=person, judged_at=None)
    record_judgment(slot=slot, reviewer=person, answers=answers, **values)
    complete_pairs(round=round)


@pytest.fixture
def disputed(admin, reviewer, other_reviewer) -> Adjudication:
    make_candidate("1")
    round = make_questionnaire_round("contradoc-verification", admin, [reviewer, other_reviewer], undo_minutes=0)
    answer(round, reviewer, YES)
    answer(round, other_reviewer, NO)
    return Adjudication.objects.get(round=round)


def test_the_expert_who_gives_another_gap_neither_verifies_nor_decides_it(
    disputed, eve, admin, reviewer, other_reviewer, adjudicator
):
    adjudicate(
        adjudication=disputed, person=eve, answers=YES | {"feasible": "no", "gap": [7]}, reason="Better there."
    )
    further = Candidate.objects.get(moved_from=disputed.item.subject)
    again = make_questionnaire_round("contradoc-verification", admin, [eve, reviewer, other_reviewer], undo_minutes=0)
    assert again.items.get().subject == further
    assert not Judgment.objects.filter(round=again, reviewer=eve).exists()
    answer(again, reviewer, YES)
    answer(again, other_reviewer, NO)
    second = Adjudication.objects.get(round=again)
    assert second not in adjudications_for(eve)
    assert second in adjudications_for(adjudicator)


def test_who_verified_gets_a_document_by_no_door_and_does_not_decide_on_it(
    disputed, eve, admin, reviewer, other_reviewer, adjudicator
):
    """The expert of its candidate joins the round, is handed what another one leaves, and adjudicates."""
    adjudicate(adjudication=disputed, person=eve, answers=YES, reason="It does.")
    contents = [content(1, "pos"), content(2, "neg")]
    release = release_contents(benchmark=benchmark("contradoc"), name="Two", contents=contents)
    known = release.instances.get(content__label="pos")
    leaving = make_person("lea", Role.REVIEWER)
    round = make_questionnaire_round("contradoc-find", admin, [leaving, eve], release=release, undo_minutes=0)
    slot = Judgment.objects.select_related("round", "item").get(round=round, item__instance=known)
    assert slot.reviewer == leaving
    hand_over(
        reviewer=RoundReviewer.objects.get(round=round, person=leaving),
        to=[RoundReviewer.objects.get(round=round, person=eve)],
        admin=admin,
    )
    slot.refresh_from_db()
    assert slot.reviewer == leaving
    record_judgment(slot=slot, reviewer=leaving, answers=None, cannot_judge="It breaks off.")
    complete_pairs(round=round)
    unable = Adjudication.objects.get(round=round)
    assert unable not in adjudications_for(eve)
    adjudicate(adjudication=unable, person=adjudicator, answers={"judgment": "no"}, reason="Nothing there.")
    reopen(adjudication=unable, person=adjudicator, reason="Again.")
    assert unable not in adjudications_for(eve)


# --- Whoever has read a release -------------------------------------------------------------------------------------


@pytest.fixture
def two() -> Release:
    contents = [content(1, "pos"), content(2, "neg")]
    return release_contents(benchmark=benchmark("contradoc"), name="Two", contents=contents)


DOORS = {
    "instances": lambda: reverse("release_instances", args=[1]),
    "file": lambda: reverse("release_download", args=[1, "json"]),
    "API": lambda: reverse("api:release_instances", args=[1]),
    "API: lines": lambda: reverse("api:release_instances", args=[1]) + "?format=jsonl",
}


def read(client, person, address: str) -> None:
    client.force_login(person)
    answer = client.get(address)
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert TEXT[:20].encode() in text


def dealt(round: Round, person) -> int:
    return Judgment.objects.filter(round=round, reviewer=person).count()


@pytest.mark.parametrize("door", DOORS)
def test_who_has_read_a_release_looks_for_nothing_in_it(door, two, eve, admin, reviewer, client):
    read(client, eve, DOORS[door]())
    round = make_questionnaire_round("contradoc-find", admin, [eve, reviewer], release=two)
    assert (dealt(round, eve), dealt(round, reviewer)) == (0, 2)


def test_who_has_read_one_instance_is_dealt_the_other_one(two, eve, admin, reviewer, client):
    read(client, eve, reverse("release_instance", args=[1, 1]))
    round = make_questionnaire_round("contradoc-find", admin, [eve, reviewer], release=two)
    read_one = two.released_instances.get(number=1).instance
    assert Judgment.objects.get(round=round, item__instance=read_one).reviewer == reviewer


def test_who_reads_a_release_while_others_look_is_handed_nothing_of_it_later(two, eve, admin, reviewer, client):
    round = make_questionnaire_round("contradoc-find", admin, [reviewer], release=two)
    read(client, eve, reverse("release_download", args=[1, "json"]))
    joined = add_reviewer(round=round, person=eve, admin=admin)
    hand_over(reviewer=RoundReviewer.objects.get(round=round, person=reviewer), to=[joined], admin=admin)
    assert (dealt(round, eve), dealt(round, reviewer)) == (0, 2)
