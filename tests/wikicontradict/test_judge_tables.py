"""Tables 4, 5 and 6: judge models against people, side by side, and on all instances."""

import csv
import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from judging.protocol.verdicts import Verdict
from review.rounds.setting_aside import set_aside
from tests.factories.judge_models import make_judge_run, say
from tests.factories.review import make_imported_run
from tests.wikicontradict.test_table2 import fill, report

pytestmark = pytest.mark.django_db

C, P, IC = Verdict.CORRECT, Verdict.PARTIALLY_CORRECT, Verdict.INCORRECT


def numbers(name: str, **options: Any) -> dict[str, Any]:
    return json.loads(report(name, format="json", **options))


def judged(*pairs: tuple[str, str], judge: str = "Judge", **values: Any) -> None:
    """Responses with people's final verdict ("" for none) and the judge's ("" for unreadable)."""
    responses = fill(*[people for people, _ in pairs], **values)
    for response, (_, said) in zip(responses, pairs, strict=True):
        say(response, said, judge=judge)


def test_table_4_measures_the_judge_on_responses_with_both_verdicts():
    """By hand: correct has 2 of 3 right, precision 2 / 2, recall 2 / 3; incorrect 1 / 2 and 1 / 1; F .8 and .667."""
    judged((C, C), (C, C), (C, IC), (IC, IC), ("", C), (P, ""))
    found = numbers("table4")["table4"]["Judge"]["template_5"]
    assert (found["n"], found["unlabelled"], found["unreadable"]) == (4, 1, 1)
    assert found["accuracy"]["value"] == 0.75
    correct = found["verdicts"]["correct"]
    assert (correct["people"], correct["judge"], correct["both"]) == (3, 2, 2)
    assert correct["f"] == pytest.approx(0.8)
    assert found["macro_f"] == pytest.approx((0.8 + 2 / 3) / 2)
    assert found["verdicts"]["partially_correct"]["precision"]["value"] is None
    assert "gives people's verdict to 75.0% of 4 responses" in report("table4")


def test_an_unreadable_reply_is_counted_apart_and_is_no_verdict():
    judged((C, C), (IC, ""))
    assert "1 reply of Judge cannot be read: in no rate, and no verdict." in report("table4")
    assert numbers("table4")["table4"]["Judge"]["template_5"]["n"] == 1
    raw = numbers("table6")["table6"]["Judge"]["template_5"]["Mist"]["raw"]["all"]
    assert (raw["n"], raw["unreadable"], raw["IC"]["count"]) == (1, 1, 0)


def test_several_judges_stand_side_by_side():
    (response,) = fill(C)
    say(response, C, judge="One")
    say(response, IC, judge="Other")
    found = numbers("table4")["table4"]
    assert found["One"]["template_5"]["accuracy"]["value"] == 1
    assert found["Other"]["template_5"]["accuracy"]["value"] == 0


def test_what_a_judge_said_last_counts_and_a_readable_reply_before_an_unreadable_one():
    first, second = fill(C, C)
    say(first, IC)
    say(first, C, run=make_judge_run())
    say(second, C)
    say(second, "", run=make_judge_run())
    found = numbers("table4")["table4"]["Judge"]["template_5"]
    assert (found["n"], found["accuracy"]["value"], found["unreadable"]) == (2, 1, 0)


@pytest.mark.parametrize("name", ["table4", "table5", "table6"])
def test_each_judge_table_names_what_read_the_verdicts(name):
    first, second = fill(C, IC)
    say(first, C, reader="evaluation-line/2")
    say(second, IC, reader="several-forms/1")
    found = numbers(name)[name]["Judge"]["template_5"]
    found = found if name == "table4" else found["Mist"]
    assert found["readers"] == ["evaluation-line/2", "several-forms/1"]
    (row,) = csv.DictReader(io.StringIO(report(name, format="csv")))
    assert row["reader"] == "evaluation-line/2, several-forms/1"
    assert "evaluation-line/2, several-forms/1" in report(name, format="latex")


def test_table_5_has_both_rates_on_the_same_responses():
    judged((C, C), (C, P), (P, P), (IC, P), ("", C), ("", IC))
    found = numbers("table5")["table5"]["Judge"]["template_5"]["Mist"]
    assert (found["n"], found["unlabelled"]) == (4, 2)
    assert found["people"] == {
        "C": {"count": 2, "pct": 50.0},
        "PC": {"count": 1, "pct": 25.0},
        "IC": {"count": 1, "pct": 25.0},
    }
    assert found["judge"]["PC"] == {"count": 3, "pct": 75.0}
    assert found["table"] == [[1, 1, 0], [0, 1, 0], [0, 1, 0]]


def test_table_6_corrects_each_model_by_its_own_final_verdicts():
    """Mist: the judge says correct to 8 of 10; of 4 decided it is wrong about 2: 0.8 - 0.5. Llam: 6 of 10, 0.6."""
    run = make_imported_run(instances=0)
    judged(*[(C, C)] * 2, *[(IC, C)] * 2, *[("", C)] * 4, *[("", IC)] * 2, run=run)
    judged(*[(C, C)] * 2, *[(IC, IC)] * 2, *[("", C)] * 4, *[("", IC)] * 2, run=run, model="Llam")
    found = numbers("table6")["table6"]["Judge"]["template_5"]
    assert found["Mist"]["raw"]["all"]["C"] == {"count": 8, "pct": 80.0}
    assert found["Llam"]["raw"]["all"]["C"] == {"count": 6, "pct": 60.0}
    assert found["Mist"]["corrected"]["C"]["corrected"]["value"] == pytest.approx(0.3)
    assert found["Llam"]["corrected"]["C"]["corrected"]["value"] == pytest.approx(0.6)
    text = report("table6")
    assert "Judge puts Mist first at prompt 5: 80.0% (95% interval 50.0 to 100.0) correct of 10" in text
    assert "corrected by people's verdicts, Llam comes first with 60.0%" in text


def test_without_final_verdicts_nothing_is_corrected():
    judged(("", C), ("", IC))
    rate = numbers("table6")["table6"]["Judge"]["template_5"]["Mist"]["corrected"]["C"]
    assert rate["corrected"]["value"] is None
    assert "no final verdict on" in rate["corrected"]["reason"]
    assert "nothing can be corrected" in report("table6")


def test_templates_with_one_passage_count_instances_whose_passages_differ():
    judged((C, C), code="2")
    judged((C, IC), code="2", same_passage=True)
    for name in ("table4", "table5", "table6"):
        assert "template_2" in json.dumps(numbers(name))
    assert numbers("table4")["table4"]["Judge"]["template_2"]["n"] == 1
    assert numbers("table6")["table6"]["Judge"]["template_2"]["Mist"]["raw"]["all"]["n"] == 1


def test_an_instance_set_aside_is_in_none_of_them(admin):
    kept, out = fill(C, C)
    say(kept, C)
    say(out, IC)
    set_aside(instance=out.instance, person=admin, reason="Ambiguous")
    assert numbers("table4")["table4"]["Judge"]["template_5"]["n"] == 1
    assert numbers("table5")["table5"]["Judge"]["template_5"]["Mist"]["n"] == 1
    assert numbers("table6")["table6"]["Judge"]["template_5"]["Mist"]["raw"]["all"]["n"] == 1
    assert "Ambiguous" in report("table6")


def test_a_judge_of_one_run_is_measured_on_that_run():
    first, second = make_imported_run(instances=0), make_imported_run(instances=0, name="second")
    judged((C, C), run=first)
    judged((C, IC), run=second)
    assert numbers("table4", run=first.pk)["table4"]["Judge"]["template_5"]["accuracy"]["value"] == 1
    assert numbers("table4", run=second.pk)["table4"]["Judge"]["template_5"]["accuracy"]["value"] == 0


@pytest.mark.parametrize("name", ["table4", "table5", "table6"])
def test_files_hold_plain_numbers(name):
    judged((C, C), (C, IC), (P, P), (IC, IC), ("", C))
    (row, *_) = csv.DictReader(io.StringIO(report(name, format="csv")))
    assert row["n"] in ("4", "5")
    assert r"\begin{tabular}" in report(name, format="latex")
    assert "NaN" not in report(name, format="json")


@pytest.mark.parametrize("name", ["table4", "table5", "table6"])
def test_an_empty_one_says_how_numbers_get_here(name):
    assert "Start a judge run" in report(name)
    assert json.loads(report(name, format="json")) == {name: {}}


@pytest.mark.released
def test_a_judge_that_repeats_the_released_verdicts_is_right(released_data):
    """The baselines' own figures are measured in `speed/`; here only that both sides meet on the same responses."""
    from judging.models import Response

    path = released_data / "wikicontradict_humaneval_sample.json"
    call_command("import_human_evaluation", str(path), stdout=io.StringIO())
    for response in Response.objects.filter(template__code="5").select_related("final_verdict"):
        say(response, response.final_verdict.verdict)
    found = numbers("table4")["table4"]["Judge"]["template_5"]
    assert (found["n"], found["accuracy"]["value"], found["macro_f"]) == (144, 1, 1)
