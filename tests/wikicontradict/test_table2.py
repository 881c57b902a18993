"""Tables 2 and 3: final verdicts by model, prompt template and kind of conflict."""

import csv
import io
import json
import sys
from itertools import groupby
from types import FrameType
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import Instance
from judging.models import Mark, Response, Run
from judging.protocol.verdicts import Verdict
from review.models import FinalVerdict, How
from review.reports.registry import make_report
from review.reports.scope import Scope
from review.rounds.setting_aside import set_aside
from tests.factories.judging import make_instance
from tests.factories.review import make_imported_run, make_response

pytestmark = pytest.mark.django_db


def report(name: str = "table2", *arguments: str, **options: Any) -> str:
    output = io.StringIO()
    call_command("report", name, *arguments, stdout=output, **options)
    return output.getvalue()


def numbers(name: str = "table2", **options: Any) -> dict[str, Any]:
    return json.loads(report(name, format="json", **options))


def adjudicate(response: Response, verdict: str) -> FinalVerdict:
    """A final verdict with what reports group by, as an import writes it."""
    facets = {name: getattr(response, name) for name in ("run", "instance", "model", "template")}
    facets |= {name: getattr(response.instance, name) for name in ("category", "subcategory")}
    return FinalVerdict.objects.create(response=response, verdict=verdict, how=How.IMPORTED, **facets)


def fill(
    *verdicts: str, code: str = "5", model: str = "Mist", run: Run | None = None, **values: Any
) -> list[Response]:
    """A response to an instance of its own for each verdict; "" leaves it without."""
    run = run or make_imported_run(instances=0)
    responses = []
    for verdict in verdicts:
        instance = make_instance(Instance.objects.count() + 1, **values)
        responses.append(make_response(run, instance, model=model, code=code))
        if verdict:
            adjudicate(responses[-1], verdict)
    return responses


STEPS = ["query", "numbers", "layout", "plot"]
C, P, IC = Verdict.CORRECT, Verdict.PARTIALLY_CORRECT, Verdict.INCORRECT


def test_a_cell_has_n_counts_and_percentages_half_up_as_numbers():
    fill(*[C] * 13, *[P] * 2, IC, code="4")
    cell = numbers()["table2"]["template_4"]["Mist"]["all"]
    # 13 / 16 = 81.25, 2 / 16 = 12.5, 1 / 16 = 6.25.
    assert cell == {
        "n": 16,
        "C": {"count": 13, "pct": 81.3},
        "PC": {"count": 2, "pct": 12.5},
        "IC": {"count": 1, "pct": 6.3},
    }


def test_few_responses_are_listed_and_in_no_ranking_and_no_plot():
    fill(*[C] * 5, *[IC] * 5, code="5")
    fill(C, model="Llam", code="5")
    found = make_report("table2", Scope())
    assert found.lead[0].startswith("With prompt 5 (Both passages, asked to reflect contradictions), Mist is correct")
    assert [bar.label for bar in found.plots[0].bars] == ["Mist"]
    assert numbers()["table2"]["template_5"]["Llam"]["all"]["n"] == 1


def test_explicit_and_implicit_are_apart_and_the_unknown_is_in_all_only():
    fill(C, C, reasoning_type="EXP")
    fill(P, reasoning_type="IMP")
    fill(IC, reasoning_type="")
    cells = numbers()["table2"]["template_5"]["Mist"]
    assert {name: cell["n"] for name, cell in cells.items()} == {"all": 4, "exp": 2, "imp": 1}
    assert cells["exp"]["C"] == {"count": 2, "pct": 100.0}


@pytest.mark.parametrize("code", ["2", "3"])
def test_templates_with_one_passage_count_instances_whose_passages_differ(code):
    fill(C, IC, code=code)
    fill(P, code=code, same_passage=True)
    found = numbers()
    assert found["table2"][f"template_{code}"]["Mist"]["all"]["n"] == 2
    assert found["table2"][f"template_{code}"]["Mist"]["all"]["PC"] == {"count": 0, "pct": 0.0}
    assert "both passages of the instance are the same" in report()


@pytest.mark.parametrize("code", ["1", "4", "5"])
def test_the_other_templates_count_every_instance(code):
    fill(C, code=code)
    fill(C, code=code, same_passage=True)
    assert numbers()["table2"][f"template_{code}"]["Mist"]["all"]["n"] == 2


def test_no_label_is_in_no_percentage_and_never_incorrect():
    fill(C, "", "")
    found = numbers()
    cell = found["table2"]["template_5"]["Mist"]["all"]
    assert (cell["n"], cell["C"]["pct"], cell["IC"]["count"]) == (1, 100.0, 0)
    assert found["unlabelled"]["template_5"]["Mist"]["all"] == 2
    assert "2 responses have no final verdict, of 3" in report()


def test_a_cell_without_any_label_has_no_percentage():
    fill("")
    fill(C, model="Llam")
    cell = numbers()["table2"]["template_5"]["Mist"]["all"]
    assert cell == {"n": 0, **{name: {"count": 0, "pct": None} for name in ("C", "PC", "IC")}}


def test_no_answers_are_counted_among_those_without_verdict():
    cut, _ = fill("", C)
    Response.objects.filter(pk=cut.pk).update(mark=Mark.CUT)
    assert numbers()["unlabelled"]["template_5"]["Mist"]["all"] == 1


def test_a_third_verdict_of_imported_data_stays_where_two_are_offered():
    fill(C, P, code="2")
    assert numbers()["table2"]["template_2"]["Mist"]["all"]["PC"] == {"count": 1, "pct": 50.0}


def test_an_instance_set_aside_is_out_with_its_reason(admin):
    _kept, out = fill(C, IC)
    set_aside(instance=out.instance, person=admin, reason="Two bridges of one name")
    assert numbers()["table2"]["template_5"]["Mist"]["all"]["n"] == 1
    assert numbers()["set_aside"] == ["Two bridges of one name"]
    text = report()
    assert "1 instance is set aside" in text
    assert "Two bridges of one name" in text


def test_it_can_be_of_one_run_only():
    first, second = make_imported_run(instances=0), make_imported_run(instances=0, name="second")
    fill(C, run=first)
    fill(IC, IC, run=second)
    assert numbers(run=first.pk)["table2"]["template_5"]["Mist"]["all"]["n"] == 1
    assert numbers()["table2"]["template_5"]["Mist"]["all"]["n"] == 3
    assert "Responses of several runs of one model are counted together" in report()


def test_the_variants_of_template_5_are_table_3():
    fill(C, code="5.1")
    fill(P, code="5")
    assert list(numbers()["table2"]) == ["template_5"]
    assert numbers("table3")["table3"]["template_5.1"]["Mist"]["all"]["C"] == {"count": 1, "pct": 100.0}


def test_a_run_that_is_not_there_is_said_in_words():
    with pytest.raises(CommandError, match="There is no run 9"):
        report(run=9)


def test_an_empty_project_says_how_numbers_get_here():
    assert numbers() == {"table2": {}, "unlabelled": {}, "intervals": {}, "set_aside": []}
    assert "import_human_evaluation" in report()
    assert report(format="csv")


def test_the_csv_has_one_line_a_cell_and_runs_nothing():
    fill(C, model="=HYPERLINK(1)")
    rows = list(csv.DictReader(io.StringIO(report(format="csv"))))
    assert [row["instances"] for row in rows] == ["all", "exp", "imp"]
    assert rows[0]["model"] == "'=HYPERLINK(1)"
    assert (rows[0]["n"], rows[0]["correct"], rows[0]["correct_percent"]) == ("1", "1", "100.0")
    assert rows[2]["correct_percent"] == ""


def test_the_latex_shows_names_as_they_are():
    fill(C, model="70b_inst & co {50%}")
    text = report(format="latex")
    assert r"70b\_inst \& co \{50\%\}" in text
    assert r"\multicolumn{5}{c}{Explicit}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1


@pytest.mark.released
def test_the_released_verdicts_give_the_papers_numbers(released_data):
    call_command(
        "import_human_evaluation", str(released_data / "wikicontradict_humaneval_sample.json"), stdout=io.StringIO()
    )
    expected = json.loads((released_data / "table2_sample_expected.json").read_text())["table2"]
    found = numbers()["table2"]
    assert found == expected
    assert list(found) == [f"template_{number}" for number in range(1, 6)]


@pytest.mark.parametrize("name", ["table2", "table3"])
def test_the_way_is_query_numbers_layout_and_plot_each_once_in_that_order(name):
    for model in ("Mist", "Llam"):
        fill(*[C] * 7, *[P] * 6, "", code="5", model=model)
        fill(*[C] * 7, *[IC] * 6, "", code="5.1", model=model)
    make_report(name, Scope())  # what a process makes once
    way: list[str] = []
    steps = {f"benchmarks.wikicontradict.reports.verdicts.{step}": step for step in STEPS}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (step := steps.get(frame.f_globals.get("__name__", ""))):
            way.append(step)

    def asked(execute: Any, *arguments: Any) -> Any:
        way.append("query")
        return execute(*arguments)

    with connection.execute_wrapper(asked):
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            report = make_report(name, Scope())
        finally:
            sys.setprofile(before)
    assert report.lead
    assert [step for step, _ in groupby(way)] == STEPS


def test_of_fewer_than_five_a_cell_and_the_sentence_have_counts(amir):
    fill(C, C, IC)
    page = amir.get("/review/reports/table2/").text
    assert ">2 of 3</a>" in page
    assert "Mist is correct in 2 of 3 responses" in page
    fill(C, IC)
    assert ">60.0</a>" in amir.get("/review/reports/table2/").text


def test_one_of_two_models_is_not_called_the_most_of_them(amir):
    fill(*[C] * 10)
    fill(*[C] * 6, *[IC] * 4, model="Llam")
    assert "the most of" not in make_report("table2", Scope()).lead[0]
    fill(*[C] * 2, *[IC] * 8, model="Gem")
    assert "the most of 3 models" in make_report("table2", Scope()).lead[0]


def test_a_cell_without_a_number_is_hatched_and_a_verdict_has_its_sign(amir):
    fill(C, *[IC] * 5, code="2")
    page = amir.get("/review/reports/table2/").text
    assert 'class="number hatched' in page
    assert '<span class="verdict-sign verdict-sign-partially_correct">P</span>' in page
