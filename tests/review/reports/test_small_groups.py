"""Groups of fewer than ten are listed, but neither ranked, shaded nor plotted; models are tested in pairs."""

import csv
import json
from io import BytesIO, StringIO

import numpy as np
import pytest
from django.core.management import call_command

from annotation.kinds.registry import benchmark
from annotation.models import Release
from annotation.releases.items.releasing import release_contents
from benchmarks.contradoc.reports.metrics import Tallies
from benchmarks.contradoc.reports.pairs import OUTCOMES
from judging.files.task_replies import import_task_replies
from judging.models import Reading
from review.reports.drawing.plots import Intervals, share_field
from review.reports.layout import Report
from review.reports.registry import make_report
from review.reports.scope import Scope
from review.statistics.comparison import mcnemar
from tests.factories.contradoc import content

pytestmark = pytest.mark.django_db


def answered(count: int, **says: list[str]) -> Release:
    """Each model's answers to this number of documents, positive and negative in turn, each from a source of its
    own."""
    labels = ["pos" if number % 2 else "neg" for number in range(1, count + 1)]
    contents = [content(number, label) for number, label in enumerate(labels, start=1)]
    release = release_contents(benchmark=benchmark("contradoc"), name="Documents", contents=contents)
    names = [each["unique id"] for each in contents]
    lines = [
        {"document": names[at], "task": "binary", "model": model, "text": answer}
        for model, answers in says.items()
        for at, answer in enumerate(answers)
    ]
    import_task_replies(BytesIO("\n".join(map(json.dumps, lines)).encode()), release=release, name="replies")
    return release


def right(count: int) -> list[str]:
    return ["yes" if number % 2 else "no" for number in range(1, count + 1)]


def plots(report: Report) -> Intervals:
    plot = report.sections[0].plots[0]
    assert isinstance(plot, Intervals)
    return plot


def test_a_model_with_one_reply_is_neither_ranked_nor_plotted():
    answered(20, Lucky=["yes"], Mist=["no"] * 20)
    found = make_report("contradoc-table2", Scope())
    assert found.lead[0].startswith("Mist is right most often, in 50.0%")
    assert not any("Lucky" in said for said in found.lead)
    points = {line.label: bool(line.marks) for line in plots(found).lines}
    assert points == {"Lucky": False, "Mist": True}
    assert found.data["binary"]["Lucky"]["n"] == 1


def test_nothing_is_ranked_where_all_are_small():
    answered(4, Mist=right(4))
    assert make_report("contradoc-table2", Scope()).lead == [
        "No model has 10 documents to be rated by, so none is ranked."
    ]


def test_fields_of_few_are_not_shaded():
    assert share_field(1, 1, "1 of 1").level == share_field(9, 9, "9 of 9").level == 0
    assert share_field(1, 1, "1 of 1").text == "1 of 1"
    assert share_field(2, 5, "2 of 5").text == "(40.0)"
    assert share_field(10, 10, "10 of 10").level == 10
    assert share_field(0, 0, "").text == ""


def test_models_are_tested_on_the_documents_that_both_answered():
    answered(20, Good=right(20), Poor=["no"] * 20, Half=right(12))
    pairs = {
        (each["first"], each["second"]): each for each in make_report("contradoc-table2", Scope()).data["comparison"]
    }
    assert len(pairs) == 3
    found = pairs["Good", "Poor"]
    assert (found["documents"], found["first_only"], found["second_only"]) == (20, 10, 0)
    assert found["difference"] == 50.0
    assert found["p"] == pytest.approx(mcnemar(10, 0), abs=1e-4)
    # Of three tests, one has nothing to test.
    assert found["p (Holm)"] == pytest.approx(2 * mcnemar(10, 0), abs=1e-4)
    assert found["told_apart"]
    assert found["interval"]["low"] > 0
    assert pairs["Good", "Half"]["documents"] == 12
    assert not pairs["Good", "Half"]["told_apart"]


def test_the_page_has_the_pairs_and_their_call(admin, client):
    answered(20, Good=right(20), Poor=["no"] * 20)
    client.force_login(admin)
    page = client.get("/review/reports/contradoc-table2/").text
    assert "Model against model" in page
    assert "told apart" in page


def test_an_outcome_counts_the_documents_that_its_rate_is_of():
    tallies = Tallies.of(
        [
            (1, "a", True, True, True, 1, True),
            (2, "b", True, False, True, 1, True),
            (3, "c", False, True, True, 1, True),
        ]
    )
    counts, succeeds = OUTCOMES["R-acc"](tallies)
    assert counts.tolist() == [True, True, False]
    assert (counts & succeeds).tolist() == [True, False, False]
    counts, succeeds = OUTCOMES["accuracy"](tallies)
    assert (counts & succeeds).tolist() == [True, False, False]
    counts, succeeds = OUTCOMES["EHR"](tallies)
    assert np.all(succeeds)


# --- Table 4 --------------------------------------------------------------------------------------------------------


@pytest.fixture
def found(client, admin):
    """Ten positive documents of which one model quotes the evidence in bullets, and another in other ways."""
    contents = [content(number, "pos") for number in range(1, 11)]
    release = release_contents(benchmark=benchmark("contradoc"), name="Documents", contents=contents)
    lines = []
    for number, each in enumerate(contents):
        other, evidence = "Something else that is long enough.", each["evidence"]
        many = [f"Something else that is long enough, number {at}." for at in range(10_000)]
        said = {
            "Bullets": f"- {evidence}\n- {other}",
            "Mixed": [
                "They contradict each other.",
                f'["{evidence}", "{other}", "and a ha',
                json.dumps([other, other, evidence]),
                json.dumps([*many, evidence]),
                "None",
                "[3, 7]",
            ][number % 6],
        }
        for model, text in said.items():
            text = f"Judgment: yes\nEvidence:\n{text}"
            lines.append({"document": each["unique id"], "task": "judge_then_find", "model": model, "text": text})
    import_task_replies(BytesIO("\n".join(map(json.dumps, lines)).encode()), release=release, name="replies")
    client.force_login(admin)
    return release


def test_table_4_counts_lists_quotes_and_early_hits_beside_ehr(found, client):
    data = json.loads(client.get("/review/reports/contradoc-table4/download/json/").content)["judge_then_find"]
    beside = ("EHR", "EHR at k = 2", "quotes per reply", "unread lists")
    assert {name: data["Bullets"][name] for name in beside} == dict(zip(beside, (100.0, 100.0, 2.0, 0), strict=True))
    # Ten documents, six forms in turn: the first four come twice. Plain prose behind the label is one quote.
    quotes = (1 * 2 + 2 * 2 + 3 * 2 + 10_001 * 2) / 10
    assert {name: data["Mixed"][name] for name in beside} == dict(zip(beside, (60.0, 20.0, quotes, 3), strict=True))


def test_table_4_has_them_on_the_page_and_in_each_file(found, client):
    page = client.get("/review/reports/contradoc-table4/").text
    assert (
        "3 lists of evidence of Mixed cannot be read, or not to their end: what is missing counts as a miss." in page
    )
    for name in ("Lists unread", "EHR at k = 2", "Quotes"):
        assert name in page
        for kind in ("text", "latex"):
            assert name in client.get(f"/review/reports/contradoc-table4/download/{kind}/").text
    rows = list(csv.DictReader(StringIO(client.get("/review/reports/contradoc-table4/download/csv/").text)))
    assert [(row["unread lists"], row["EHR at k = 2"]) for row in rows] == [("0", "100.0"), ("3", "20.0")]
    assert float(rows[0]["quotes per reply"]) == 2


def test_readings_of_an_earlier_version_are_told_and_read_again(found, client):
    Reading.objects.update(version=1)
    page = "/review/reports/contradoc-table4/"
    assert (
        "20 replies were read by an earlier version of the reader: use manage.py read_responses."
        in client.get(page).text
    )
    call_command("read_responses", stdout=StringIO())
    assert "an earlier version" not in client.get(page).text
    assert Reading.objects.current().filter(version=2).count() == 20


# --- Table 6 --------------------------------------------------------------------------------------------------------


def test_table_6_says_where_two_kinds_of_document_are_too_close_to_call():
    """Twenty documents of each kind. Apart finds all of one kind and none of another."""
    contents = [content(number, "pos") for number in range(1, 61)]
    release = release_contents(benchmark=benchmark("contradoc"), name="Documents", contents=contents)
    lines = []
    for number, each in enumerate(contents):
        finds = {"Apart": each["doc_type"] == "news", "Close": number % 2 == 0 or number < 3}
        for model, is_found in finds.items():
            text = each["evidence"] if is_found else "Something else that is long enough."
            lines.append({"document": each["unique id"], "task": "topk", "model": model, "text": text})
    import_task_replies(BytesIO("\n".join(map(json.dumps, lines)).encode()), release=release, name="replies")
    apart, close = make_report("contradoc-table6", Scope()).lead
    assert apart == "Apart finds 100.0% in news documents and 0.0% in story documents."
    assert close.startswith("Close finds ")
    assert close.endswith(" documents, which is too close to call.")


# --- Table 6 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("few", "said"),
    [
        (3, "Mist finds 100.0% of 13."),
        (10, "Mist finds 100.0% in story documents and 100.0% in news documents, which is too close to call."),
    ],
)
def test_kinds_are_compared_only_where_two_have_enough_documents(few, said, db):
    contents = [content(number, "pos") | {"doc_type": "news"} for number in range(1, 11)]
    contents += [content(number, "pos") | {"doc_type": "story"} for number in range(11, 11 + few)]
    release = release_contents(benchmark=benchmark("contradoc"), name="Documents", contents=contents)
    asked = {"task": "topk", "model": "Mist"}
    lines = [json.dumps({"document": each["unique id"], "text": each["evidence"], **asked}) for each in contents]
    import_task_replies(BytesIO("\n".join(lines).encode()), release=release, name="All")
    assert make_report("contradoc-table6", Scope()).lead == [said]
