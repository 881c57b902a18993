"""Twins, groups, printed numbers, and items with two right answers: the reports beside the ratios."""

import json

import numpy as np
import pytest
from django.urls import reverse

from annotation.models import Instance
from benchmarks.conflictbank.claims.making import make_claims
from benchmarks.conflictbank.reports import twins
from benchmarks.conflictbank.reports.entries import REPORTS
from benchmarks.conflictbank.reports.facts import twins_among
from benchmarks.conflictbank.reports.metrics import Answers, Choice
from judging.models import LanguageModel, Response
from review.rounds.setting_aside import set_aside
from tests.conflictbank.answers.test_answers import imported
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import RECORD
from tests.factories.conflictbank import bring_in, row

pytestmark = pytest.mark.django_db

# The twin of the record: another person, of whom the replaced object is true.
TWIN = RECORD | {
    "subject": "Eri Crane",
    "object": "Port Brenna",
    "replaced_object": "New Esk",
    "correct_option": "B",
    "replace_option": "C",
}
# The letters that a model answers about an item and its twin, and the outcome under misinformation.
OUTCOMES = {
    twins.BOTH_TEXTS: ("B", "C"),
    twins.MEMORY: ("C", "B"),
    twins.SAME_OBJECT: ("B", "B"),
    twins.OTHERWISE: ("B", "D"),
}


def person(record, number):
    return record | {"subject": f"{record['subject']} {number}"}


def answers_of(number, item, twin):
    """Answers to an item and its twin, both known, under misinformation."""
    known = [("default", "C", "B"), ("correct", "C", "B"), ("misinformation", item, twin)]
    for condition, first, second in known:
        for at, text in ((2 * number, first), (2 * number + 1, second)):
            yield {"item": at, "condition": condition, "model": "Mist", "text": text}


def reported(name, form="json"):
    return json.loads(printed("report", name, "--format", form))


@pytest.fixture
def pairs(tmp_path):
    records = [person(each, number) for number in range(4) for each in (RECORD, TWIN)]
    printed("import_conflictbank", str(written(tmp_path, records)))
    answers = (line for number, each in enumerate(OUTCOMES.values()) for line in answers_of(number, *each))
    imported(tmp_path, *answers)


def test_each_pair_of_twins_comes_to_one_outcome(pairs):
    found = reported("conflictbank-twins")["Mist"]["conditions"]
    assert found == {
        "misinformation": {"pairs": 4, "counts": dict.fromkeys(OUTCOMES, 1), "percent": dict.fromkeys(OUTCOMES, 25.0)}
    }


def test_an_unreadable_answer_leaves_out_its_pair_and_a_changed_one_is_otherwise():
    two = np.array([[1, 2], [3, 4], [5, 6]])
    choices = np.array([1, 1, 1, Choice.UNREADABLE, 0, 1, 0])
    found = twins.outcomes_of(Answers(np.array([1, 2, 3, 4, 5, 5, 6]), choices, np.zeros(7)), two)
    assert [twins.OUTCOMES[number] for number in found] == [twins.BOTH_TEXTS, twins.OTHERWISE]


def test_items_are_twins_whatever_the_case_of_their_objects(tmp_path):
    other = TWIN | {"object": "port brenna", "options": ["Port Dunmere", "port brenna", "New Esk", "uncertain"]}
    printed("import_conflictbank", str(written(tmp_path, [RECORD, other, person(RECORD, 1)])))

    keys = np.array(Instance.objects.order_by("pk").values_list("pk", flat=True))
    assert twins_among(keys).tolist() in ([keys[:2].tolist()], [keys[1::-1].tolist()])


def test_groups_are_styles_and_relations(pairs):
    found = reported("conflictbank-groups")["Mist"]
    assert set(found["By relation"]) == {"P551"}
    assert set(found["By style of the conflict evidence"]) == {"new"}
    assert found["By relation"]["P551"]["misinformation"]["n"] == 8
    assert found["By relation"]["P551"]["misinformation"]["CAR"] == 50.0


def test_what_the_paper_prints_is_beside_the_numbers_of_a_model_of_that_name(tmp_path):
    printed("import_conflictbank", str(written(tmp_path, [RECORD])))
    answers = [{"item": 0, "condition": each, "text": "C"} for each in ("default", "correct", "temporal")]
    imported(tmp_path, *(each | {"model": "LLaMA2-70B"} for each in answers))
    found = json.loads(printed("report", "conflictbank-ratios", "--format", "json", "--printed"))
    cells = {tuple(each["cell"]): each for each in found["printed"]["cells"]}
    here = cells["LLaMA2-70B", "M_R", "temporal"]
    assert (here["printed"], here["here"]) == (7.77, 100.0)
    assert "not released" in here["reason"]
    assert cells["LLaMA2-70B", "M_R", "semantic"]["here"] is None


def test_no_drawn_item_has_two_right_answers_and_some_as_published_would():
    # Each has two homes: both are true, and one of them is the object that counts.
    homes = [(number, (number * step) % 9) for number in range(80) for step in (1, 2)]
    bring_in(row(f"Person {number}", f"Town{home}") for number, home in homes)
    make_claims(seed=7)
    found = reported("conflictbank-ambiguous")
    for version in found.values():
        if isinstance(version, dict):
            assert version["items"] > 0
            assert version["two right answers"] == 0
    assert sum(version["two right answers as published"] for version in found.values() if isinstance(version, dict))


@pytest.mark.parametrize("name", REPORTS)
def test_an_empty_report_says_what_will_be_here(name, client, admin):
    client.force_login(admin)
    page = client.get(reverse("report", args=[name])).text
    assert 'class="empty"' in page


@pytest.mark.parametrize("name", ["conflictbank-twins", "conflictbank-groups"])
def test_a_report_has_a_page_and_files(name, pairs, client, admin):
    client.force_login(admin)
    page = client.get(reverse("report", args=[name]), {"release": 1, "by": "relation"}).text
    assert "Mist: 8 of 8 items known" in page
    for form in ("csv", "latex", "text"):
        assert printed("report", name, "--format", form)


def test_a_report_that_was_made_before_is_made_again_after_each_change(pairs, tmp_path, admin):
    first = reported("conflictbank-ratios")["Mist"]
    assert reported("conflictbank-ratios")["Mist"] == first
    imported(tmp_path, {"item": 0, "condition": "semantic", "model": "Mist", "text": "C"}, name="More")
    assert reported("conflictbank-ratios")["Mist"]["cells"]["semantic"]["n"] == 1
    set_aside(instance=Response.objects.order_by("pk")[0].instance, reason="It names a person.", person=admin)
    assert reported("conflictbank-ratios")["Mist"]["of"] == first["of"] - 1
    LanguageModel.objects.filter(name="Mist").update(name="Fog")
    found = reported("conflictbank-ratios")
    assert "Fog" in found
    assert any("set aside" in note["text"] for note in found["notes"])
