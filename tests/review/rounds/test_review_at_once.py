"""Many people in the same instant, on real connections: a slot has one taker, a pair is made once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from core.refusals import Refusal
from review.models import Adjudication, FinalVerdict, Item, Judgment, Pair, Round
from review.rounds.adjudication import adjudicate
from review.rounds.dealing.dealing import deal_round
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment, take_back
from review.rounds.rounds import create_round
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.factories.review import give, give_all, make_imported_run, make_round, reviewer_in

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls):
    """The result or refusal of each call, all begun in the same instant."""
    barrier = Barrier(len(calls))

    def one(call):
        barrier.wait()
        try:
            return call()
        except Refusal as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(one, call) for call in calls]]


def test_what_lies_open_has_one_taker_each(admin):
    people = [make_person(f"reviewer{number}", "reviewer") for number in range(6)]
    round = make_round(admin, people, make_imported_run(9, models=("Mist",)))
    absent, *others = (reviewer_in(round, person) for person in people)
    left_open = {slot.pk for slot in next_slots(absent, count=2)}
    Judgment.objects.filter(pk__in=left_open).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    for slot in Judgment.objects.exclude(reviewer=absent.person):
        give(slot)
    taken = at_once(*(lambda each=each: next_slots(each) for each in others))
    takers = Counter(slot.pk for slots in taken for slot in slots)
    assert set(takers) == left_open
    assert set(takers.values()) == {1}


def test_two_tabs_that_say_different_things_give_one_judgment(admin, reviewer, other_reviewer):
    make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)))
    slot = Judgment.objects.select_related("round", "item__response__template").get(reviewer=reviewer)
    said = at_once(
        *(
            lambda verdict=verdict: record_judgment(slot=slot, reviewer=reviewer, verdict=verdict).verdict
            for verdict in ("correct", "incorrect")
        )
    )
    assert sum(isinstance(each, Refusal) for each in said) == 1
    assert Judgment.objects.given().get().verdict in said


def test_a_pair_is_put_together_once(admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(4))
    for slot in Judgment.objects.filter(round=round):
        give(slot, "correct" if slot.number == 1 else "incorrect")
    made = at_once(*[complete_pairs] * 4)
    assert sum(made) == 8
    assert Pair.objects.count() == Adjudication.objects.count() == 8


def test_a_judgment_is_taken_back_or_paired_never_both(admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(2))
    for slot in Judgment.objects.filter(round=round):
        give(slot)
    mine = list(Judgment.objects.filter(reviewer=reviewer))
    # A click at the last moment, followed immediately by the clock.
    calls = [
        lambda slot=slot: take_back(judgment=slot, reviewer=reviewer, at=slot.judged_at + timedelta(seconds=1))
        for slot in mine
    ]
    at_once(*calls, complete_pairs)
    for slot in Judgment.objects.filter(reviewer=reviewer):
        assert slot.is_given == Pair.objects.filter(item=slot.item_id).exists()
    complete_pairs()
    assert Pair.objects.count() == Judgment.objects.filter(reviewer=reviewer).given().count()


def test_two_adjudicators_give_one_verdict(admin, reviewer, other_reviewer):
    round = make_round(admin, [reviewer, other_reviewer], make_imported_run(1, models=("Mist",)))
    give_all(round.items.get(), "correct", "incorrect")
    found = Adjudication.objects.get()
    two = [make_person(name, "adjudicator") for name in ("ada", "alan")]
    said = at_once(
        *(
            lambda person=person, verdict=verdict: adjudicate(
                adjudication=found, person=person, verdict=verdict, reason="so it is"
            )
            for person, verdict in zip(two, ("correct", "incorrect"), strict=True)
        )
    )
    assert sum(isinstance(each, Refusal) for each in said) == 1
    assert FinalVerdict.objects.get().verdict == Adjudication.objects.get().verdict


def test_rounds_over_the_same_responses_that_are_dealt_at_once_share_them(admin):
    """None of them waits for another try because another one took a response first."""
    people = [make_person(f"reviewer{number}", "reviewer") for number in range(2)]
    run = make_imported_run(30)
    given = {"admin": admin, "runs": [run], "reviewers": people}
    rounds = [create_round(name=f"Round {number}", sample_size=40, **given) for number in range(4)]
    assert at_once(*(partial(deal_round, round.pk) for round in rounds)) == [True] * 4
    assert set(Round.objects.values_list("state", flat=True)) == {"open"}
    assert Item.objects.count() == len(set(Item.objects.values_list("response", flat=True))) >= 40
