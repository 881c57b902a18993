"""A round is dealt: two different people for each response, even loads, own orders; what is no answer stays out."""

from collections import Counter, defaultdict

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from core.refusals import Refusal
from judging.models import Response
from review.models import FinalVerdict, Item, Judgment, Round, RoundState
from review.models.questionnaires import first_questionnaire
from review.rounds.dealing.choosing import LeftOut
from review.rounds.dealing.dealing import deal_round, rounds_to_deal
from review.rounds.rounds import close_round, create_round
from review.rounds.setting_aside import set_aside
from review.rounds.turns.turns import next_slots
from tests.conftest import make_person
from tests.factories.review import (
    give,
    give_all,
    make_imported_run,
    make_known,
    make_response,
    make_round,
    reviewer_in,
)
from tests.review.rounds.test_order import neighbours

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(reviewer, other_reviewer):
    return [reviewer, other_reviewer, make_person("rosa", "reviewer")]


def test_each_response_goes_to_two_people_and_loads_are_even(admin, people):
    round = make_round(admin, people, make_imported_run(10, codes=("2", "4")))
    assert round.state == RoundState.OPEN
    by_item = defaultdict(set)
    for item, person in Judgment.objects.values_list("item", "reviewer"):
        by_item[item].add(person)
    assert len(by_item) == 40
    assert all(len(two) == 2 for two in by_item.values())
    loads = Counter(Judgment.objects.values_list("reviewer", flat=True))
    assert max(loads.values()) - min(loads.values()) <= 1
    pairs = Counter(frozenset(two) for two in by_item.values())
    assert max(pairs.values()) - min(pairs.values()) <= 1


def test_orders_differ_and_one_question_has_no_neighbours(admin, people):
    make_round(admin, people, make_imported_run(8, codes=("1", "4", "5")))
    orders = []
    for person in people:
        slots = Judgment.objects.filter(reviewer=person).order_by("position").select_related("item")
        assert neighbours([slot.item.instance_id for slot in slots]) == 0
        orders.append([slot.item_id for slot in slots])
    common = set(orders[0]) & set(orders[1])
    assert [item for item in orders[0] if item in common] != [item for item in orders[1] if item in common]


def test_what_is_no_answer_is_listed_and_not_dealt(admin, people, sign_in):
    run = make_imported_run(2)
    cut = make_response(run, Response.objects.all()[0].instance, code="1", mark="cut", text="The year was 19")
    make_known(run, use="check")
    round = make_round(admin, people, run)
    assert round.left_out == {LeftOut.NO_ANSWER: 1, LeftOut.KNOWN: 1}
    assert not Item.objects.filter(response=cut).exists()
    page = sign_in(admin).get(reverse("round_left_out", args=[round.pk])).content.decode()
    assert "The year was 19" in page
    assert "Cut at the token limit" in page


def test_a_sample_is_even_over_models_and_says_what_was_not_drawn(admin, people):
    round = make_round(admin, people, make_imported_run(10, models=("Mist", "Llam")), sample_size=10)
    assert Counter(Item.objects.values_list("response__model__name", flat=True)) == {"Mist": 5, "Llam": 5}
    assert round.left_out == {LeftOut.NOT_DRAWN: 10}


def test_a_second_round_takes_only_what_no_other_has(admin, people):
    run = make_imported_run(3)
    first = make_round(admin, people, run)
    with pytest.raises(Refusal, match="no responses waiting"):
        make_round(admin, people, run)
    judged = first.items.get(pk=first.items.first().pk)
    give(judged.judgments.first())
    close_round(round=first, admin=admin)
    second = make_round(admin, people, run)
    assert second.items.count() == 5
    assert first.items.get() == judged


def test_an_instance_that_is_set_aside_is_not_dealt(admin, people):
    run = make_imported_run(2)
    instance = Response.objects.first().instance
    set_aside(instance=instance, person=admin, reason="two bridges")
    round = make_round(admin, people, run)
    assert round.left_out == {LeftOut.SET_ASIDE: 2}


def test_a_worker_that_died_is_followed_by_another_with_the_same_result(admin, people, monkeypatch):
    round = create_round(admin=admin, name="one", runs=[make_imported_run(4)], reviewers=people)
    from review.rounds.dealing import dealing

    whole = dealing._write
    monkeypatch.setattr(dealing, "CHUNK", 3)
    calls = []

    def die_later(*args):
        calls.append(args)
        if len(calls) == 2:
            raise RuntimeError("killed")
        return whole(*args)

    monkeypatch.setattr(dealing, "_write", die_later)
    with pytest.raises(RuntimeError):
        deal_round(round.pk)
    assert next_slots(reviewer_in(round, people[0])) == []
    assert not rounds_to_deal().exists()  # its lease runs still
    Round.objects.update(dealing_until=None)
    assert deal_round(round.pk)
    assert Item.objects.count() == 8
    assert Judgment.objects.count() == 16
    assert not deal_round(round.pk)
    assert Judgment.objects.count() == 16


def test_the_training_set_comes_first_and_checks_are_mixed_in(admin, people):
    run = make_imported_run(6)
    for _ in range(2):
        make_known(run, use="training")
        make_known(run, use="check")
    round = make_round(admin, people, run, check_items=1)
    for person in people:
        kinds = list(
            Judgment.objects.filter(round=round, reviewer=person)
            .order_by("position")
            .values_list("item__kind", flat=True)
        )
        assert kinds[:2] == ["training", "training"]
        assert kinds[2:].count("check") == 1
        assert kinds.count("training") == 2
    assert Judgment.objects.filter(item__kind="check", number=None).count() == 3


@pytest.fixture
def make_round_of():
    """A function that makes a round of a questionnaire straight in the database."""

    def make(questionnaire: str, **values: int) -> Round:
        name = f"Round {Round.objects.count() + 1}"
        return Round.objects.create(name=name, questionnaire=questionnaire, **values)

    return make


@pytest.mark.parametrize("fault", ["one", "none", "no role"])
def test_a_round_needs_two_reviewers(fault, admin, people, stranger):
    chosen = {"one": people[:1], "none": [], "no role": [people[0], stranger]}[fault]
    with pytest.raises(Refusal):
        make_round(admin, chosen)
    assert not Round.objects.exists()


def test_only_a_round_whose_judgments_are_pairs_needs_two_of_each(make_round_of):
    alone = make_round_of("contradoc-find", judgments_each=1)
    assert not alone.has_pairs
    for number in (0, 6):
        with pytest.raises(IntegrityError), transaction.atomic():
            make_round_of("contradoc-find", judgments_each=number)
    assert make_round_of(first_questionnaire()).has_pairs
    with pytest.raises(IntegrityError), transaction.atomic():
        make_round_of(first_questionnaire(), judgments_each=1)


def test_an_admin_begins_a_round_on_the_page(admin, people, sign_in, django_capture_on_commit_callbacks):
    run, client = make_imported_run(3), sign_in(admin)
    chosen = {"runs": [run.pk], "reviewers": [person.pk for person in people]}
    preview = client.get(reverse("round_preview"), chosen).content.decode()
    assert "<strong>6</strong> responses" in preview
    assert "about <strong>4</strong> for each of 3 reviewers" in preview
    values = {"name": "First", "seed": 5, "undo_minutes": 10, "lease_minutes": 20, **chosen}
    values |= {"judgments_each": 2, "consensus": "all"}
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(reverse("round_new"), values)
    round = Round.objects.get()
    assert answer["Location"] == reverse("round", args=[round.pk])
    assert (round.state, round.undo_minutes, round.items.count()) == (RoundState.OPEN, 10, 6)
    page = client.get(reverse("round", args=[round.pk])).content.decode()
    assert "rosa" in page
    again = client.post(reverse("round_new"), values)
    assert again.status_code == 409


def test_a_page_that_watches_the_dealing_is_made_anew_once_it_is_done(admin, people, sign_in):
    run, client = make_imported_run(2), sign_in(admin)
    round = create_round(admin=admin, name="First", runs=[run], reviewers=people)
    address = reverse("round", args=[round.pk])
    page = client.get(address).content.decode()
    assert "Being dealt" in page
    assert f'hx-get="{address}?dealing=1"' in page
    watching = client.get(address, {"dealing": 1}, headers={"HX-Request": "true"})
    assert b"are being dealt" in watching.content
    assert "HX-Refresh" not in watching.headers
    deal_round(round.pk)
    assert client.get(address, {"dealing": 1}, headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    page = client.get(address).content.decode()
    assert "Being dealt" not in page
    assert "The responses are dealt." in page
    assert "Close the round" in page


def test_a_preview_does_not_tell_which_responses_of_another_round_have_a_final_verdict(admin, people, sign_in):
    """It would tell whoever judges there that the other judgment is in, and that it is the same."""
    run = make_imported_run(2, models=("Mist",))
    item = make_round(admin, people, run).items.first()
    asked = {"runs": [run.pk], "reviewers": [person.pk for person in people]}
    client = sign_in(admin)
    before = client.get(reverse("round_preview"), asked).content.decode()
    give_all(item, "correct", "correct")
    assert FinalVerdict.objects.filter(item=item).exists()
    assert LeftOut.ELSEWHERE.label in before
    assert client.get(reverse("round_preview"), asked).content.decode() == before


def test_an_answer_of_several_calls_is_judged_once(admin, people):
    run = make_imported_run(2, models=("Mist",))
    for first in list(Response.objects.all()):
        make_response(run, first.instance, answer_part=2)
    round = make_round(admin, people, run)
    assert set(round.items.values_list("response__answer_part", flat=True)) == {1}
    assert round.items.count() == 2
