"""A round by expected gain: what tells models apart is judged first, and reports say what that does to rates."""

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.wikicontradict.items import CODE
from judging.models import Response
from review.models import Judgment
from review.reports.registry import all_reports
from review.reports.scope import Scope
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.reviewers.handing_over import hand_over
from review.statistics.gain import WAVES, expected_gain, in_waves
from tests.conftest import make_person
from tests.factories.judge_models import say
from tests.factories.review import give, make_imported_run, make_known, make_round, reviewer_in

REPORTS = {name: each for name, each in all_reports().items() if each.benchmark == CODE}

pytestmark = pytest.mark.django_db
chances = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), max_size=6)


def test_a_gain_is_the_expected_number_of_pairs_told_apart_for_each_judgment():
    assert expected_gain([("one", 1), ("other", 0)]) == 1 / 2
    assert expected_gain([("one", 0.5), ("other", 0.5)]) == 1 / 4
    assert expected_gain([("one", 0.9), ("other", 0.8)]) == pytest.approx((0.9 * 0.2 + 0.8 * 0.1) / 2)
    assert expected_gain([("one", 1), ("one", 0)]) == 0  # a model is not compared with itself
    assert expected_gain([("one", 0.5)]) == expected_gain([]) == 0


@given(mine=chances, data=st.data())
def test_the_order_of_models_never_matters(mine, data):
    assert expected_gain(data.draw(st.permutations(mine))) == pytest.approx(expected_gain(mine))


@given(
    gains=st.dictionaries(st.tuples(st.integers(0, 30), st.integers(0, 2)), st.floats(0, 2), min_size=1),
    seed=st.integers(0, 99),
)
def test_waves_are_even_and_fall_in_gain(gains, seed):
    waves = in_waves(gains, dict.fromkeys(gains, 1), seed=seed)
    assert set(waves.values()) <= set(range(WAVES))
    sizes = [list(waves.values()).count(wave) for wave in range(WAVES)]
    assert max(sizes) - min(sizes) <= 1
    for one in gains:
        for other in gains:
            if round(gains[one], 9) > round(gains[other], 9):
                assert waves[one] <= waves[other]


@pytest.fixture
def people(db):
    return [make_person(name, "reviewer") for name in ("rita", "ralph", "rosa")]


@pytest.fixture
def run(db):
    """Ten instances, two models. Of every fifth one the judge model says that only the first model is correct."""
    run = make_imported_run(10)
    make_known(run, use="check")
    instances = sorted({response.instance_id for response in run.responses.exclude(known_verdict__isnull=False)})
    for response in Response.objects.filter(run=run, instance__in=instances).select_related("model"):
        differs = instances.index(response.instance_id) % 5 == 0
        say(response, "incorrect" if differs and response.model.name == "Llam" else "correct")
    return run


def test_what_judge_models_expect_to_differ_comes_first_for_everybody(admin, people, run):
    round = make_round(admin, people, run, by_gain=True, check_items=1)
    telling = set(Response.objects.filter(model_judgments__verdict="incorrect").values_list("instance", flat=True))
    assert len(telling) == 2
    for person in people:
        slots = Judgment.objects.ordinary().filter(round=round, reviewer=person).order_by("position")
        instances = list(slots.values_list("item__instance", flat=True))
        first = [instance in telling for instance in instances]
        assert first == sorted(first, reverse=True)
        positions = list(Judgment.objects.filter(round=round, reviewer=person).values_list("position", flat=True))
        assert sorted(positions) == list(range(len(positions)))


def test_handing_over_keeps_what_is_telling_in_front(admin, people, run):
    round = make_round(admin, people, run, by_gain=True)
    hand_over(reviewer=reviewer_in(round, people[0]), to=[reviewer_in(round, people[1])], admin=admin)
    telling = set(Response.objects.filter(model_judgments__verdict="incorrect").values_list("instance", flat=True))
    slots = Judgment.objects.filter(reviewer=people[1]).order_by("position")
    first = [instance in telling for instance in slots.values_list("item__instance", flat=True)]
    assert first == sorted(first, reverse=True)


def test_reports_say_that_rates_are_biased_until_all_is_judged(admin, people, run, sign_in):
    round = make_round(admin, people, run, by_gain=True)

    def notes(name):
        return " ".join(note.text for note in REPORTS[name].make(Scope(round=round)).notes)

    slots = list(Judgment.objects.filter(round=round).order_by("pk"))
    for slot in slots[:-1]:
        give(slot)
    complete_pairs()
    for name in ("table2", "agreement"):
        assert "biased towards these questions" in notes(name)
    give(slots[-1])
    complete_pairs()
    assert "biased" not in notes("table2")
    page = sign_in(admin).get(reverse("round", args=[round.pk])).content.decode()
    assert "biased until everything is judged" in page


def test_without_judge_models_a_question_with_more_models_is_worth_more(admin, people):
    run = make_imported_run(4, models=("Mist",))
    make_round(admin, people, run, by_gain=True)
    assert Judgment.objects.count() == 8
    assert expected_gain([(model, 0.5) for model in range(3)]) > expected_gain([(model, 0.5) for model in range(2)])
