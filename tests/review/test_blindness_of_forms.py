"""A round in which candidates are verified is as blind as one of verdicts: whatever the other person answered, a
person with every role sees the same before both answers count."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from review.models import Adjudication, FinalAnswers, Judgment, Round
from review.rounds.judgments import record_judgment
from review.rounds.pairing import complete_pairs
from tests.review.contradoc_rows import make_candidate, make_form_round
from tests.review.test_blindness import WAYS, World, clock, judge_and_list, judge_and_take_back, ralph, rita
from tests.review.test_contradoc_verification import NO, YES
from tests.walking import seen

pytestmark = pytest.mark.django_db
__all__ = ["clock", "ralph", "rita"]

# About responses, of which such a round has none.
OF_RESPONSES = {
    "preview of a new round",
    "page of the response",
    "refusal of a second verdict",
    "own judgments after judging",
    "fragment after a verdict",
    "fragment after taking back",
    "the end of the queue",
    "handing in",
}


def answers_twice(world: World):
    world.post("judgment", world.mine.key, **YES)
    return world.post("judgment", world.mine.key, **NO)


def answer_and(way):
    def walk(world: World):
        world.post("judgment", world.mine.key, **YES)
        return way(world)

    return walk


def answer_all_and_see_the_end(world: World):
    for slot in Judgment.objects.filter(reviewer=world.mine.reviewer).open():
        world.post("judgment", slot.key, **YES)
    return world.get("judge_round", world.round.key)


ALL_WAYS = {name: way for name, way in WAYS.items() if name not in OF_RESPONSES} | {
    "fragment after answers": lambda world: world.post("judgment", world.mine.key, **YES),
    "refusal of other answers": answers_twice,
    "refusal of answers not offered": lambda world: world.post("judgment", world.mine.key, **YES | {"scope": "far"}),
    "answering in the other slot": lambda world: world.post("judgment", world.theirs.key, **YES),
    "own judgments after answering": answer_and(judge_and_list),
    "fragment after taking answers back": answer_and(judge_and_take_back),
    "handing in": answer_and(lambda world: world.post("judge_hand_in", world.round.key)),
    "the end of the queue": answer_all_and_see_the_end,
    "agreement of verifiers": lambda world: world.get("report", "contradoc-verification"),
    "agreement as a file": lambda world: world.get("report_download", "contradoc-verification", "json"),
    "making a release": lambda world: world.post("round_release", world.round.pk),
    "another round": lambda world: world.get("round_new_of", "contradoc-verification"),
    "judging, for programs": lambda world: world.client.post(f"/api/v1/judging/{world.round.key}/next/"),
    "the round, for programs": lambda world: world.client.get(f"/api/v1/rounds/{world.round.pk}/"),
}


@pytest.fixture
def round(admin, rita, ralph) -> Round:
    for code in ("1", "2"):
        make_candidate(code)
    return make_form_round("contradoc-verification", admin, [rita, ralph])


@pytest.fixture
def mine(round, rita) -> Judgment:
    return Judgment.objects.filter(round=round, reviewer=rita).order_by("position").first()


def gives(answers: dict | None, **values):
    def act(slot: Judgment) -> None:
        record_judgment(
            slot=slot, reviewer=slot.reviewer, answers=answers, at=timezone.now() - timedelta(days=1), **values
        )
        complete_pairs()
        assert not FinalAnswers.objects.exists()
        assert not Adjudication.objects.exists()

    return act


ACTS = {
    "yes": gives(YES, comment="clear", seconds=600),
    "no": gives(NO),
    "another gap": gives(YES | {"feasible": "no", "gap": [7]}),
    "controversial": gives(YES | {"controversial": "yes"}),
    "cannot judge": gives(None, cannot_judge="it breaks off"),
}


def test_no_way_in_tells_what_the_other_verifier_answered(round, mine, sign_in):
    def in_world(act, way) -> tuple:
        theirs = Judgment.objects.select_related("round", "item").exclude(pk=mine.pk).get(item=mine.item)
        with transaction.atomic():
            if act is not None:
                act(theirs)
            client = sign_in(mine.reviewer)
            client.get("/account/")  # makes the session's own rows
            found = seen(way, World(client, round, mine, theirs))
            transaction.set_rollback(True)
        return found

    for name, way in ALL_WAYS.items():
        in_world(None, way)  # what is made or looked up once in a process is there then
        nothing = in_world(None, way)
        for said, act in ACTS.items():
            assert in_world(act, way) == nothing, f"{name} tells of: {said}"


def test_nothing_tells_which_model_made_a_candidate(round, mine, sign_in):
    theirs = Judgment.objects.exclude(pk=mine.pk).get(item=mine.item)
    for name in ("judging page", "fragment after answers", "own judgments after answering", "page of the round"):
        _, _, body, _ = seen(ALL_WAYS[name], World(sign_in(mine.reviewer), round, mine, theirs))
        assert b"Mist" not in body, name
