"""Replies to the free-format prompt are judged in the ordinary form by two people: nothing tells one of them, with
whatever roles, what the other said or which model replied."""

import pytest
from django.db import transaction

from review.models import Judgment, Round
from tests.doors.walking import seen
from tests.factories.contradoc import make_questionnaire_round
from tests.review.blindness.test_blindness import World
from tests.review.blindness.test_blindness_of_questionnaires import ALL_WAYS, gives, slot

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

FINDING = {"finding": "right"}


def judging(world: World):
    return world.post("judgment", world.mine.key, **FINDING)


def own_after_judging(world: World):
    judging(world)
    return world.get("my_judgments", world.round.key)


WAYS = {
    name: ALL_WAYS[name]
    for name in (
        *("first page", "judging page", "adjudicating: what waits", "page of the round", "log", "search"),
        *("answers as a file", "final answers as a file", "answers, for programs", "activity, for programs"),
    )
} | {
    "judging": judging,
    "own judgments after judging": own_after_judging,
    "findings": lambda world: world.get("report", "contradoc-free-format"),
    "findings, for programs": lambda world: world.get("api:report", "contradoc-free-format"),
    "news": lambda world: world.get("api:news"),
}


@pytest.fixture
def round(free_replies, admin, rita, ralph) -> Round:
    return make_questionnaire_round("contradoc-free-format", admin, [rita, ralph], runs=[free_replies])


def walked(round: Round, rita, act, sign_in) -> dict[str, tuple]:
    """The pages seen in each way after the other person's act, which is then undone."""
    mine = slot(round=round, reviewer=rita)
    theirs: Judgment = slot(item=mine.item, number=3 - mine.number)
    found = {}
    client = sign_in(rita)
    client.get("/account/")  # makes the session's own rows
    for name, way in WAYS.items():
        with transaction.atomic():
            act(theirs)
            found[name] = seen(way, World(client, round, mine, theirs))
            transaction.set_rollback(True)
    return found


def test_no_way_in_tells_what_the_other_said_of_a_reply(round, rita, sign_in):
    def nothing(slot: Judgment) -> None:
        pass

    walked(round, rita, nothing, sign_in)  # what is made or looked up once in a process is there then
    before = walked(round, rita, nothing, sign_in)
    after = walked(round, rita, gives({"finding": "right"}), sign_in)
    assert [name for name in WAYS if after[name] != before[name]] == []
    for name in ("judging page", "judging", "own judgments after judging"):
        assert b"Mist" not in before[name][2], name
