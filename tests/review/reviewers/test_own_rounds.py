"""The first pages of people who judge and adjudicate: where they stopped, what comes next, and their last work."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone

from core.models import Role, User
from review.first_page import FEWEST_COMPARED
from review.models import Adjudication, Item
from review.rounds.rounds import close_round, pause_reviewer
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_round, reviewer_in, slot_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(reviewer, other_reviewer):
    return [reviewer, other_reviewer]


@pytest.fixture
def round(admin, people):
    return make_round(admin, people, make_imported_run(FEWEST_COMPARED, models=("Mist",)))


def home(client, address: str = "home") -> str:
    """The page's words, without markup."""
    answer = client.get(reverse(address), headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", answer.content.decode())).strip()


def test_a_reviewer_without_a_round_is_told_what_comes(rita):
    shown = home(rita)
    assert "You are not in a round yet" in shown
    assert "Your rounds" not in shown


def test_a_reviewer_continues_where_they_stopped(rita, reviewer, round):
    assert "Start judging: " in home(rita)
    give(slot_of(Item.objects.first(), reviewer), "incorrect")
    shown = home(rita)
    assert f"Continue judging: {round.name}" in shown
    assert f"1 of {FEWEST_COMPARED} judged" in shown
    assert "Next: number 2." in shown
    assert "I ncorrect" not in shown
    assert "Incorrect" in shown.split("Your last judgments")[1]


def test_a_number_of_responses_is_on_the_page_once(rita, round):
    assert "Judge responses" not in home(rita)


def test_a_paused_reviewer_is_not_sent_on(rita, reviewer, admin, round):
    pause_reviewer(reviewer=reviewer_in(round, reviewer), admin=admin)
    shown = home(rita)
    assert "Continue judging" not in shown
    assert "Paused" in shown


def test_open_rounds_come_before_newer_ones_that_are_closed(rita, admin, people, round):
    newer = make_round(admin, people, make_imported_run(1, models=("Haze",)), name="Newer")
    close_round(round=newer, admin=admin)
    for shown in (home(rita), rita.get(reverse("judge"), {"all": 1}).content.decode()):
        assert shown.index(round.name) < shown.index("Newer")


def test_agreement_is_shown_once_every_disagreement_of_a_closed_round_is_decided(rita, ada, admin, round):
    first, *others = Item.objects.order_by("pk")
    give_all(first, "correct", "incorrect")
    for item in others:
        give_all(item, "correct", "correct")
    assert "are the final ones" not in home(rita)
    close_round(round=round, admin=admin)
    assert "are the final ones" not in home(rita)
    adjudicated = reverse("adjudicate_item", args=[Adjudication.objects.get().key])
    ada.post(adjudicated, {"verdict": "partially_correct", "reason": "It names one year only."})
    assert f"{len(others)} of your {FEWEST_COMPARED} verdicts are the final ones" in home(rita)


def test_an_adjudicator_sees_what_waits_then_the_one_at_hand_and_what_they_decided(ada, round):
    assert "No disagreement is waiting for you" in home(ada)
    first, second, *_ = Item.objects.order_by("pk")
    for item in (first, second):
        give_all(item, "correct", "incorrect")
    assert "2 disagreements are waiting for your decision" in home(ada)
    assert f"{round.name} 0 of 2 2" in home(ada, "overview")
    opened = ada.get(reverse("adjudicate") + "?next").url
    assert "You have one open" in home(ada)
    ada.post(opened, {"verdict": "correct", "reason": "Both years are named."})
    ada.get(reverse("home"))
    assert "Correct" in home(ada).split("Your last decisions")[1]
    assert f"{round.name} 1 of 2 1" in home(ada, "overview")


def submit_verdict(client, item: Item, person: User, verdict: str) -> None:
    judged = client.post(reverse("judgment", args=[slot_of(item, person).key]), {"verdict": verdict}, follow=True)
    submitted = client.post(reverse("judge_submit", args=[item.round.key]), follow=True)
    assert (judged.status_code, submitted.status_code) == (200, 200)


def test_a_disagreement_is_counted_once_both_have_submitted(ada, rita, reviewer, other_reviewer, sign_in, round):
    item = round.items.order_by("pk")[0]
    submit_verdict(rita, item, reviewer, "correct")
    assert "No disagreement is waiting for you" in home(ada)
    submit_verdict(sign_in(other_reviewer), item, other_reviewer, "incorrect")
    assert "1 disagreement is waiting for your decision" in home(ada)
    assert f"{round.name} 0 of 1 1" in home(ada, "overview")


def test_an_adjudicator_who_judges_completes_nothing_by_looking(reviewer, other_reviewer, sign_in, round):
    reviewer.groups.add(Group.objects.get_or_create(name=Role.ADJUDICATOR)[0])
    item = round.items.order_by("pk")[0]
    for person, verdict in ((reviewer, "correct"), (other_reviewer, "incorrect")):
        submit_verdict(sign_in(person), item, person, verdict)
    assert "No disagreement is waiting for you" in home(sign_in(reviewer))
    assert not Adjudication.objects.exists()


def test_the_first_page_opens_while_nothing_can_be_written(ada, round, monkeypatch):
    def refused(**_options):
        raise OperationalError("attempt to write a readonly database")

    monkeypatch.setattr("review.first_page.complete_pairs", refused)
    assert "No disagreement is waiting for you" in home(ada)


def test_what_another_adjudicator_has_open_is_said_to_be_there(ada, sign_in, round):
    give_all(Item.objects.first(), "correct", "incorrect")
    sign_in(make_person("otto", "adjudicator")).get(reverse("adjudicate") + "?next")
    shown = home(ada)
    assert "No disagreement is waiting for you" in shown
    assert "Another adjudicator has the rest open" in shown


def test_the_last_judgments_are_those_given_last_in_whichever_round(rita, reviewer, admin, people, round):
    other = make_round(admin, people, make_imported_run(2, models=("Haze",)), name="Other")
    give(slot_of(round.items.first(), reviewer), at=timezone.now() - timedelta(days=1))
    for item in other.items.all():
        give(slot_of(item, reviewer), "incorrect")
    shown = home(rita)
    assert f"Continue judging: {round.name}" in shown
    assert "the last 1 day ago" in shown
    assert "All of Other" in shown


def test_what_another_adjudicator_decided_is_not_among_ones_own(ada, sign_in, round):
    give_all(Item.objects.first(), "correct", "incorrect")
    other = sign_in(make_person("otto", "adjudicator"))
    other.post(
        reverse("adjudicate_item", args=[Adjudication.objects.get().key]), {"verdict": "correct", "reason": "So."}
    )
    assert "Your last decisions" not in home(ada)
