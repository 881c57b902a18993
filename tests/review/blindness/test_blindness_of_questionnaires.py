"""Rounds of other forms are as blind as those of verdicts: whatever another person answered, one with every role
sees the same before the round is finished."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.kinds.registry import benchmark
from annotation.releases.items.releasing import release_contents
from benchmarks.contradoc.making.moving import move_candidate
from review.models import Adjudication, FinalAnswers, Judgment, Round
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.rounds.rounds import close_round
from tests.contradoc.making.test_verification import NO, YES
from tests.doors.walking import seen
from tests.factories.contradoc import content, make_candidate, make_questionnaire_round
from tests.review.blindness.test_blindness import (
    WAYS,
    World,
    judge_and_list,
    judge_and_take_back,
    told_of,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

# About responses, of which such a round has none.
OF_RESPONSES = {
    "preview of a new round",
    "page of the response",
    "refusal of a second verdict",
    "own judgments after judging",
    "fragment after a verdict",
    "fragment after taking back",
    "the end of the queue",
    "submitting",
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
    "submitting": answer_and(lambda world: world.post("judge_submit", world.round.key)),
    "the end of the queue": answer_all_and_see_the_end,
    "search": lambda world: world.get("find", q="contradoc"),
    "how the whole stands": lambda world: world.get("overview"),
    "answers as a file": lambda world: world.get("judgment_export", "answers", "jsonl"),
    "answers as a table, with names": lambda world: world.get("judgment_export", "answers", "csv", names=1),
    "final answers as a file": lambda world: world.get("judgment_export", "final-answers", "jsonl"),
    "answers, for programs": lambda world: world.get("api:answers"),
    "final answers, for programs": lambda world: world.get("api:final_answers"),
    "activity, for programs": lambda world: world.get("api:activity"),
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
    return make_questionnaire_round("contradoc-verification", admin, [rita, ralph])


@pytest.fixture
def mine(round, rita) -> Judgment:
    return slot(round=round, reviewer=rita)


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


def acts_on(theirs: Judgment, acts: dict) -> dict:
    return {name: lambda act=act: act(slot(pk=theirs.pk)) for name, act in acts.items()}


def slot(**where) -> Judgment:
    return Judgment.objects.select_related("round", "item", "reviewer").filter(**where).order_by("position").first()


def test_no_way_in_tells_what_the_other_verifier_answered(round, mine, ralph, sign_in):
    theirs = slot(item=mine.item, reviewer=ralph)
    assert told_of(ALL_WAYS, acts_on(theirs, ACTS), mine, theirs, sign_in) == {}


def test_no_way_in_tells_what_another_person_found_in_documents(admin, rita, ralph, sign_in):
    """One person a document: what others found in theirs would tell how often there is something to find."""
    labels = ["pos", "pos", "neg", "neg"]
    contents = [content(number, label) for number, label in enumerate(labels, start=1)]
    release = release_contents(benchmark=benchmark("contradoc"), name="Four", contents=contents)
    round = make_questionnaire_round("contradoc-find", admin, [rita, ralph], release=release)
    ways = {name: ALL_WAYS[name] for name in TELLING} | {
        "judging": lambda world: world.post("judgment", world.mine.key, judgment="yes", evidence=["1"]),
        "people and models": lambda world: world.get("report", "contradoc-table5"),
        "people and models, of the round": lambda world: world.get("report", "contradoc-table5", round=round.pk),
        "people and models, as a file": lambda world: world.get("report_download", "contradoc-table5", "csv"),
        "people and models, for programs": lambda world: world.get("api:report", "contradoc-table5"),
    }
    acts = {"yes": found({"judgment": "yes", "evidence": [5]}), "no": found({"judgment": "no"})}
    mine, theirs = slot(round=round, reviewer=rita), slot(round=round, reviewer=ralph)
    assert told_of(ways, acts_on(theirs, acts), mine, theirs, sign_in) == {}


# Pages that count, list or find judged subjects, in a round of any questionnaire.
TELLING = (
    *("first page", "how the whole stands", "judging page", "own judgments", "adjudicating: what waits"),
    *("rounds", "page of the round", "page of the other reviewer", "log", "search", "files"),
    *("answers as a file", "final answers as a file", "answers, for programs", "final answers, for programs"),
    *("the round, for programs", "activity, for programs"),
)


def found(answers: dict):
    """A round that ends in final answers, as one person is enough."""

    def act(slot: Judgment) -> None:
        record_judgment(slot=slot, reviewer=slot.reviewer, answers=answers, at=timezone.now() - timedelta(days=1))
        complete_pairs()
        assert FinalAnswers.objects.exists()

    return act


def test_nothing_tells_which_model_made_a_candidate(round, mine, ralph, sign_in):
    theirs = slot(item=mine.item, reviewer=ralph)
    for name in ("judging page", "fragment after answers", "own judgments after answering", "page of the round"):
        _, _, body = seen(ALL_WAYS[name], World(sign_in(mine.reviewer), round, mine, theirs))
        assert b"Mist" not in body, name


def test_no_list_tells_a_verifier_that_a_gap_another_person_proposed_became_a_candidate(admin, rita, ralph, sign_in):
    candidate = make_candidate("5")
    make_questionnaire_round("contradoc-verification", admin, [rita, ralph])
    run = candidate.statement.reply.run
    doors = [reverse("documents"), reverse("checks"), reverse("candidates"), reverse("run", args=[run.pk])]

    def shown(person) -> list:
        client = sign_in(person)
        client.get("/account/")
        return [seen(lambda client, where=where: client.get(where), client) for where in doors]

    before, before_other = shown(rita), shown(admin)
    move_candidate(candidate, candidate.document.text.index(". ") + 1)
    assert shown(rita) == before
    assert shown(admin) != before_other


def test_who_looks_for_contradictions_is_refused_the_release_that_says_where_they_are(admin, rita, ralph, sign_in):
    contents = [content(number, label) for number, label in enumerate(["pos", "pos", "neg", "neg"], start=1)]
    release = release_contents(benchmark=benchmark("contradoc"), name="Four", contents=contents)
    round = make_questionnaire_round("contradoc-find", admin, [rita, ralph], release=release)
    number = release.number
    doors = [
        reverse("release_instances", args=[number]),
        reverse("release_instance", args=[number, 1]),
        *(reverse("release_download", args=[number, kind]) for kind in ("jsonl", "datasheet")),
        reverse("api:release_instances", args=[number]),
        reverse("api:release_instances", args=[number]) + "?format=jsonl",
        reverse("api:release_records", args=[number]),
    ]
    client, other = sign_in(rita), sign_in(admin)
    assert {where: client.get(where).status_code for where in doors} == dict.fromkeys(doors, 403)
    assert 403 not in {other.get(where).status_code for where in doors}
    close_round(round=round, admin=admin)
    assert client.get(doors[1]).status_code == 200
