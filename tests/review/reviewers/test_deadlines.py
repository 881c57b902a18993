"""Deadlines of rounds: set by admins, shown to the people who work in the round. They block nothing."""

import io
import re
from datetime import date, timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from core.models import Event
from review.models import Item, ReviewAction, Round
from review.rounds.rounds import close_round
from tests.factories.review import give, give_all, make_imported_run, make_round, slot_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(reviewer, other_reviewer):
    return [reviewer, other_reviewer]


@pytest.fixture
def round(admin, people):
    return make_round(admin, people, make_imported_run(3, models=("Mist",)))


def words(client, name: str, *args: object) -> str:
    answer = client.get(reverse(name, args=args), headers={"HX-Request": "true"})
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", answer.content.decode()))


def set_deadline(client, round: Round, day: object) -> int:
    return client.post(reverse("round_deadline", args=[round.pk]), {"deadline": day}).status_code


def test_a_round_is_begun_with_a_deadline(amir, people):
    run = make_imported_run(2, models=("Mist",))
    values = {"name": "first", "runs": [run.pk], "reviewers": [each.pk for each in people], "seed": 5}
    values |= {"judgments_each": 2, "consensus": "all", "undo_minutes": 15, "lease_minutes": 30}
    assert amir.post(reverse("round_new"), values | {"deadline": "soon"}).status_code == 400
    assert amir.post(reverse("round_new"), values | {"deadline": "2030-01-31"}).status_code == 302
    assert Round.objects.get().deadline == date(2030, 1, 31)
    assert Event.objects.get(action=ReviewAction.BEGAN_ROUND).after["deadline"] == "2030-01-31"


def test_an_admin_sets_changes_and_removes_it(amir, rita, round):
    for day in ("2030-01-31", "2030-01-31", ""):
        assert set_deadline(amir, round, day) == 302
    assert set_deadline(amir, round, "soon") == 400
    assert set_deadline(rita, round, "2030-01-31") == 403
    log = Event.objects.filter(action=ReviewAction.SET_DEADLINE).order_by("pk")
    assert [entry.after["deadline"] for entry in log] == ["2030-01-31", None]


def test_the_round_its_list_and_the_homes_show_it(amir, rita, ada, round):
    set_deadline(amir, round, "2030-01-31")
    assert "due on 31 January 2030, 6 left" in words(amir, "round", round.pk)
    assert "due on 31 January 2030" in words(amir, "rounds")
    assert "due on 31 January 2030, 3 left" in words(rita, "home")
    give_all(Item.objects.first(), "correct", "incorrect")
    assert "due on 31 January 2030, 1 left" in words(ada, "home")
    assert "due on 31 January 2030" in words(ada, "overview")


def test_what_is_overdue_says_so_and_is_not_blocked(amir, rita, reviewer, round):
    yesterday = timezone.localdate() - timedelta(days=1)
    set_deadline(amir, round, timezone.localdate())
    assert "overdue" not in words(rita, "home")
    set_deadline(amir, round, yesterday)
    for client, *where in ((rita, "home"), (amir, "rounds"), (amir, "round", round.pk)):
        assert "overdue was due on" in words(client, *where)
    give(slot_of(Item.objects.first(), reviewer), "correct")
    close_round(round=round, admin=None)
    assert "overdue" not in words(amir, "rounds")


def test_the_round_with_the_next_deadline_is_at_hand(amir, rita, admin, people):
    first, second, third = (make_round(admin, people, make_imported_run(1, models=(name,))) for name in "ABC")
    set_deadline(amir, first, "2030-02-01")
    set_deadline(amir, second, "2030-01-01")
    shown = words(rita, "home")
    assert f"Start judging: {second.name}" in shown
    listed = shown.split("Your rounds")[1]
    assert listed.index(second.name) < listed.index(first.name) < listed.index(third.name)


def test_programs_set_and_read_it(amir, rita, round):
    address = f"/api/v1/rounds/{round.pk}/deadline/"
    sent = {"content_type": "application/json"}
    assert amir.post(address, {"deadline": "2030-01-31"}, **sent).json()["deadline"] == "2030-01-31"
    assert rita.get("/api/v1/judging/").json()[0]["deadline"] == "2030-01-31"
    for wrong in ({"deadline": "soon"}, {}):
        assert amir.post(address, wrong, **sent).status_code == 400
    assert amir.post(address, {"deadline": None}, **sent).json()["deadline"] is None
    assert amir.get(f"/api/v1/rounds/{round.pk}/").json()["deadline"] is None


def test_programs_begin_a_round_with_one(amir, people):
    run = make_imported_run(2, models=("Mist",))
    sent = {"name": "first", "runs": [run.pk], "reviewers": [each.pk for each in people], "deadline": "2030-01-31"}
    answer = amir.post("/api/v1/rounds/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["deadline"]) == (201, "2030-01-31")


def test_commands_set_and_show_it(people):
    run = make_imported_run(2, models=("Mist",))
    names = [each.username for each in people]
    asked = ["begin_round", "First", "--runs", str(run.pk), "--reviewers", *names, "--deadline", "2030-01-31"]
    call_command(*asked, stdout=io.StringIO())
    out = io.StringIO()
    call_command("round_status", stdout=out)
    assert "“First”, open, deadline 2030-01-31" in out.getvalue()
