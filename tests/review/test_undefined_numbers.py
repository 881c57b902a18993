"""A number that is not defined has one form and a reason on pages and in every file."""

import csv
import io
import json

import pytest

from review.reports.formats import as_csv, as_json, as_latex, as_text
from review.reports.layout import Column, Report, Section, Table, interval_cell, number_cell, share_cell
from review.statistics.estimates import Undefined

from .making import make_run
from .test_table2 import C, adjudicate, numbers, report

WHY = Undefined("nothing was counted")


def example() -> Report:
    cells = [number_cell(0.5), number_cell(WHY), interval_cell(WHY), share_cell(None, WHY)]
    table = Table("Example", [Column(name) for name in "abcd"], [cells])
    records = [{"a": 0.5, "b": WHY}, {"a": 1, "b": 0.25}]
    return Report("Example", ["Said."], [Section("One", table=table)], {"b": WHY}, records)


def test_every_file_has_it_with_its_reason():
    found = example()
    for text in (as_text(found), as_latex(found)):
        assert text.count("not defined") == 3
        assert "Not defined in 3 cells: nothing was counted." in text
    data = json.loads(as_json(found))
    assert data["b"] == {"value": None, "reason": "nothing was counted"}
    assert [each["column"] for each in data["undefined"]] == ["b", "c", "d"]
    assert {each["reason"] for each in data["undefined"]} == {"nothing was counted"}
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert [(row["b"], row["undefined"]) for row in rows] == [("", "b: nothing was counted"), ("0.25", "")]


@pytest.mark.django_db
def test_a_comparison_of_models_that_never_differ_says_why_it_has_no_p():
    run = make_run(instances=3)
    for response in run.responses.all():
        adjudicate(response, C)
    rows = list(csv.DictReader(io.StringIO(report("comparison", format="csv"))))
    assert rows[0]["mcnemar_p"] == ""
    assert "mcnemar_p: " in rows[0]["undefined"]
    assert any(each["column"].endswith(" p") for each in numbers("comparison")["undefined"])
    assert "Not defined in " in report("comparison", format="latex")
