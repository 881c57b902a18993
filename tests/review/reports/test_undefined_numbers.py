"""A number that is not defined has one form and a reason on pages and in every file."""

import csv
import io
import json
from io import BytesIO
from typing import Any

import pytest

from annotation.models import Release
from judging.files.task_replies import import_task_replies
from review.models import Judgment
from review.reports.formats import as_csv, as_json, as_latex, as_text
from review.reports.layout import Column, Report, Section, Table, interval_cell, number_cell, share_cell
from review.reports.registry import all_reports
from review.rounds.final_verdicts.pairing import complete_pairs
from review.rounds.judgments import record_judgment
from review.statistics.estimates import Undefined
from tests.annotation.desk_helpers import complete_content
from tests.conftest import make_person
from tests.contradoc.making.test_verification import YES
from tests.factories.contradoc import make_candidate, make_questionnaire_round
from tests.factories.judge_models import say
from tests.factories.review import give_all, make_imported_run, make_round
from tests.review.agreement.test_annotator_agreement import annotated
from tests.wikicontradict.test_table2 import C, adjudicate, numbers, report

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
    run = make_imported_run(instances=3)
    for response in run.responses.all():
        adjudicate(response, C)
    rows = list(csv.DictReader(io.StringIO(report("comparison", format="csv"))))
    assert rows[0]["mcnemar_p"] == ""
    assert "mcnemar_p, mcnemar_holm: " in rows[0]["undefined"]
    assert any(each["column"].endswith(" p") for each in numbers("comparison")["undefined"])
    assert "Not defined in " in report("comparison", format="latex")


# --- Of every report ------------------------------------------------------------------------------------------------

# Numbers that only pages and JSON have: rates by kind of conflict, bias, agreement of people on replies.
NOT_IN_CSV = {
    "table6": {"nothing is counted here"},
    "conflictbank-people": {"no common text was judged by all people yet", "no text was judged by two people yet"},
    "agreement": {"pairs of different people are put together, so who comes first means nothing"},
}
TASKS = ("binary", "topk", "judge_then_find", "given_sentence", "free_format")


@pytest.fixture
def little(ten_documents, admin, annotator, other_annotator):
    """One or two of everything, about which all agree: too little for intervals, and no two verdicts for kappa."""
    people = [make_person(name, "reviewer") for name in ("rita", "ralph", "rosa")]
    for run, count in ((make_imported_run(2), 2), (make_imported_run(2, name="second"), 3)):
        for item in make_round(admin, people, run, judgments_each=count).items.select_related("response"):
            give_all(item, *[C.value] * count)
            say(item.response, C.value)
    make_candidate()
    verified = make_questionnaire_round("contradoc-verification", admin, people[:2], undo_minutes=0)
    for slot in Judgment.objects.filter(round=verified):
        record_judgment(slot=slot, reviewer=slot.reviewer, answers=YES)
    complete_pairs()
    annotated([annotator, other_annotator], admin, *[complete_content()] * 2)
    answered_with_no(ten_documents)


def answered_with_no(release: Release) -> None:
    """A reply to each of ContraDoc's tasks, about a negative document."""
    code = release.instances.filter(content__label="neg")[0].content["unique id"]
    lines = [json.dumps({"document": code, "task": task, "model": "Mist", "text": "No."}) for task in TASKS]
    import_task_replies(BytesIO("\n".join(lines).encode()), release=release, name="little")


# Numbers in fields of their own are null, as in published files; `undefined` has the reason, with the table's cell.
IN_FIELDS = {
    *("pct", "accuracy", "precision", "recall", "F1", "TP rate", "FP rate", "TN rate", "FN rate", "median_minutes"),
    *("EHR", "R-acc", "EHR without long quotes", "EHR at k = 2", "average index", "quotes per reply"),
    *("raw", "kappa", "ac1", "alpha"),
}


def bare_nulls(data: Any, name: str = "") -> set[str]:
    """The names of values that are null without a reason beside them."""
    if data is None:
        return {name}
    if isinstance(data, list):
        return set().union(*(bare_nulls(each, name) for each in data))
    if isinstance(data, dict) and not {"value", "reason"} <= set(data):
        return set().union(*(bare_nulls(value, key) for key, value in data.items()))
    return set()


@pytest.mark.django_db
@pytest.mark.parametrize("name", all_reports())
def test_what_is_not_defined_has_its_reason_in_json(name, little):
    found = numbers(name)
    nulls = bare_nulls(found)
    # Numbers of all templates together are of no template.
    assert nulls <= IN_FIELDS | {"template"}
    assert not nulls & IN_FIELDS or found["undefined"]
    # There, intervals have the names of their numbers.
    assert not bare_nulls(found.get("intervals", {}))


@pytest.mark.django_db
@pytest.mark.parametrize("name", all_reports())
def test_what_is_not_defined_on_the_page_has_its_reason_in_csv(name, little):
    said = {each["reason"] for each in numbers(name).get("undefined", [])}
    rows = csv.DictReader(io.StringIO(report(name, format="csv")))
    in_csv = "; ".join(row.get("undefined") or "" for row in rows)
    assert {reason for reason in said if reason not in in_csv} == NOT_IN_CSV.get(name, set())
