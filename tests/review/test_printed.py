"""The numbers that the paper prints, beside ours on Tables 1 to 6, each difference with its reason."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from review.reports.printed import TABLES
from tests.factories import AnnotationFactory
from tests.review.test_table2 import C, P, fill, report

pytestmark = pytest.mark.django_db


def cells(name: str) -> dict[tuple[str, ...], dict]:
    found = json.loads(report(name, format="json", printed=True))["printed"]["cells"]
    return {tuple(each["cell"]): each for each in found}


@pytest.mark.released
def test_each_printed_cell_of_three_models_follows_from_the_released_labels(released_data):
    call_command(
        "import_human_evaluation", str(released_data / "wikicontradict_humaneval_sample.json"), stdout=io.StringIO()
    )
    found = cells("table2")
    assert len(found) == 3 * 31
    assert [each for each in found.values() if each["reason"] or each["here"] is None] == []
    text = report("table2", printed=True)
    assert "Table 2 as printed" in text
    assert "≠" not in text


def test_a_cell_that_differs_says_why():
    """Printed of GPT-4 at template 4 and 5: percent of 48 instances."""
    fill(C, P, code="4", model="gpt-4")
    fill(*[C] * 48, code="5", model="gpt-4")
    found = cells("table2")
    few, other = found["4", "gpt-4", "all", "C"], found["5", "gpt-4", "all", "C"]
    assert (few["here"], other["here"]) == (50, 100)
    assert "n is not that of the paper" in few["reason"]
    assert "not those that were released" in other["reason"]
    assert found["1", "gpt-4", "all", "C"]["here"] is None
    assert f"{other['printed']} ≠ 100.0" in report("table2", printed=True)


def test_table_1_compares_the_counts_that_are_known():
    AnnotationFactory()
    (instances,) = (each for key, each in cells("table1").items() if key == ("annotated_instances",))
    assert (instances["printed"], instances["here"]) == (253, 1)
    assert "This set has 1 instance, and the paper's 253." in instances["reason"]


def test_nothing_of_it_is_there_unless_it_is_asked_for(admin, sign_in):
    fill(C, P, model="gpt-4")
    assert "printed" not in json.loads(report("table2", format="json"))
    client, address = sign_in(admin), reverse("report", args=["table2"])
    alone, both = (client.get(address, query).content.decode() for query in ({}, {"printed": "1"}))
    assert "Printed in the paper" not in alone
    assert "With the printed ones" in alone
    assert "Printed in the paper" in both
    assert "Mistral-7b: 1; template 4, Llama-2-70b: 4" in both
    assert "table2/download/json/?printed=1" in both


@pytest.mark.parametrize("name", TABLES)
def test_each_table_says_what_is_known_of_the_printed_one(name, admin, sign_in):
    found = json.loads(report(name, format="json", printed=True))["printed"]
    assert found["where"].startswith(f"Table {name[-1]}")
    assert found["about"]
    for odd in ("printed=1", "printed=2&printed=x", "printed="):
        assert sign_in(admin).get(f"{reverse('report', args=[name])}?{odd}").status_code == 200
