"""The numbers that the paper prints, beside ours on Tables 1 to 6, each difference with its reason."""

import io
import json
from collections.abc import Sequence
from fractions import Fraction

import pytest
from django.core.management import call_command
from django.urls import reverse

from benchmarks.wikicontradict.reports.printed import TABLES
from judging.protocol.verdicts import Verdict
from tests.factories import AnnotationFactory
from tests.wikicontradict.test_judge_tables import judged
from tests.wikicontradict.test_table2 import C, P, fill, report

pytestmark = pytest.mark.django_db


def cells(name: str) -> dict[tuple[str, ...], dict]:
    found = json.loads(report(name, format="json", printed=True))["printed"]["cells"]
    return {tuple(each["cell"]): each for each in found}


def counts_behind(percents: Sequence[float], n: int) -> list[int]:
    """The counts of n that are printed as these shares; each must be the only one."""
    found = []
    for percent in percents:
        (count,) = (k for k in range(n + 1) if abs(Fraction(100 * k, n) - Fraction(str(percent))) <= Fraction(1, 20))
        found.append(count)
    return found


def test_the_printed_percentages_are_shares_of_the_n_they_are_of():
    """A digit mistaken in copying would leave a row that is no whole number of responses."""
    printed = {where: each["printed"] for where, each in cells("table2").items()}
    assert len(printed) == 155
    n = {"all": 48, "exp": 30, "imp": 17}
    for row in dict.fromkeys(where[:3] for where in printed):
        of_row = [value for where, value in printed.items() if where[:3] == row]
        size = 41 if row[0] in "23" else n[row[2]]
        assert sum(counts_behind(of_row, size)) == size, row

    printed = {where: each["printed"] for where, each in cells("table6").items()}
    assert len(printed) == 7 * 9
    for model in dict.fromkeys(where[0] for where in printed):
        every, explicit, implicit = (
            counts_behind([printed[model, subset, verdict] for verdict in ("C", "PC", "IC")], size)
            for subset, size in (("all", 253), ("exp", 161), ("imp", 92))
        )
        assert every == [one + other for one, other in zip(explicit, implicit, strict=True)], model

    people = {where: each["printed"] for where, each in cells("table5").items() if where[1] == "people"}
    table2 = cells("table2")
    assert people == {
        (model, "people", verdict): each["printed"]
        for (template, model, subset, verdict), each in table2.items()
        if (template, subset) == ("5", "all")
    }


def test_the_printed_scores_of_judges_fit_one_set_of_labels():
    """Of 240 responses 50, 170 and 20: then F follows from precision and recall, and accuracy from the recalls."""
    printed = {where: each["printed"] for where, each in cells("table4").items()}
    for judge in dict.fromkeys(where[0] for where in printed):
        right = 0
        for verdict, people in (("C", 50), ("PC", 170), ("IC", 20)):
            precision, recall, f = (printed[judge, verdict, score] for score in "PRF")
            assert f == pytest.approx(2 * precision * recall / (precision + recall), abs=0.1)
            right += sum(counts_behind([recall], people))
        assert printed[judge, "accuracy"] == pytest.approx(100 * right / 240, abs=0.0501)


@pytest.mark.released
def test_each_printed_cell_of_three_models_follows_from_the_released_labels(released_data):
    call_command(
        "import_human_evaluation", str(released_data / "wikicontradict_humaneval_sample.json"), stdout=io.StringIO()
    )
    found = {
        where: each for where, each in cells("table2").items() if not where[1].startswith(("mistral", "llama-2"))
    }
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
    assert other["reason"] == "These are other responses, or other verdicts."
    assert found["1", "gpt-4", "all", "C"]["here"] is None
    assert f"{other['printed']} ≠ 100.0" in report("table2", printed=True)


def test_a_cell_that_the_released_labels_count_otherwise_says_so():
    fill(*[C] * 48, code="4", model="Llama-2-70B-chat")
    found = cells("table2")["4", "llama-2-70b-chat", "all", "C"]
    assert found["reason"] == "The released labels count otherwise: 4 cells of prompt 4 and llama-2-70b-chat."


def test_the_tables_of_judges_are_compared_cell_by_cell():
    """As printed of Llama-2-70b: 11 of 48 are correct, for people and for Llama-3-70b as the judge."""
    rest = [(P, P)] * 31 + [(P, Verdict.INCORRECT)] * 2 + [(Verdict.INCORRECT, Verdict.INCORRECT)] * 4
    judged(*[(C, C)] * 11, *rest, judge="Llama-3-70B-Instruct", model="meta-llama/llama-2-70b-chat", code="5")
    found = cells("table5")
    assert [found["llama-2-70b-chat", who, "C"]["here"] for who in ("people", "judge")] == [22.9, 22.9]
    assert [each["reason"] for where, each in found.items() if where[0] == "llama-2-70b-chat"] == [None] * 6
    assert found["gpt-4", "judge", "C"]["here"] is None
    scores = cells("table4")["llama-3-70b-instruct", "C", "P"]
    assert (scores["printed"], scores["here"]) == (72.6, 100)
    assert "n is not that of the paper" in scores["reason"]
    raw = cells("table6")["mistral-7b-instruct-v0-2", "imp", "PC"]
    assert (raw["printed"], raw["here"]) == (46.7, None)
    assert "Table 5 as printed" in report("table5", printed=True)


def test_what_is_printed_in_whole_percent_is_compared_so():
    """In the text of section 4: GPT-4 detects 88% of the contradictions with template 5.2, 42 of 48."""
    fill(*[C] * 42, *[Verdict.INCORRECT] * 6, code="5.2", model="gpt-4")
    found = cells("table3")["5.2", "gpt-4", "all", "C"]
    assert (found["printed"], found["here"], found["reason"]) == (88, 88, None)


def test_table_1_compares_the_counts_that_are_known():
    AnnotationFactory()
    instances = cells("table1")["annotated_instances",]
    assert (instances["printed"], instances["here"]) == (253, 1)
    assert instances["reason"] == "This set has 1 instance, and the paper’s 253."


def test_nothing_of_it_is_there_unless_it_is_asked_for(admin, sign_in):
    fill(C, P, model="gpt-4")
    assert "printed" not in json.loads(report("table2", format="json"))
    client, address = sign_in(admin), reverse("report", args=["table2"])
    alone, both = (client.get(address, query).content.decode() for query in ({}, {"printed": "1"}))
    assert "Printed in the paper" not in alone
    assert "Compare with the paper" in alone
    assert "Printed in the paper" in both
    assert "Mistral-7b: 1; prompt 4, Llama-2-70b: 4" in both
    assert "table2/download/json/?printed=1" in both


@pytest.mark.parametrize("name", TABLES)
def test_each_table_says_what_is_known_of_the_printed_one(name, admin, sign_in):
    found = json.loads(report(name, format="json", printed=True))["printed"]
    assert found["where"].startswith(f"Table {name[-1]}")
    assert found["about"]
    page = sign_in(admin).get(reverse("report", args=[name]), {"printed": "1"}).content.decode()
    assert f"Table {name[-1]} as printed" in page  # also where nothing is here yet
    for odd in ("printed=1", "printed=2&printed=x", "printed="):
        assert sign_in(admin).get(f"{reverse('report', args=[name])}?{odd}").status_code == 200
