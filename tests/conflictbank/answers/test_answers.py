"""Answers from a file: the sample's figures, and what is refused."""

import io
import json

import pytest
from django.core.management import CommandError
from django.urls import reverse

from annotation.models import Release
from core.models import Batch, Event
from judging.models import Reading, Response, Run
from review.models import SetAside
from review.rounds.setting_aside import set_aside
from tests.conflictbank.items.samples import ANSWERS, EXPECTED, ITEMS, needs_samples
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import RECORD, numbered
from tests.factories.judging import make_release

pytestmark = pytest.mark.django_db

GOOD = {"item": 0, "condition": "default", "model": "Mist", "logprobs": {" A": -3.0, " C": -0.2}}
TWO = GOOD | {"condition": "correct_temporal", "order": "conflict_first"}


@pytest.fixture
def release(tmp_path):
    printed("import_conflictbank", str(written(tmp_path, [RECORD, numbered(1)])))


def imported(folder, *records, **options):
    return printed("import_conflictbank_answers", str(written(folder, records)), "--release", "1", **options)


def uploaded(records, **more):
    file = io.BytesIO("".join(json.dumps(each) + "\n" for each in records).encode())
    file.name = "answers.jsonl"
    return {"file": file, "release": Release.objects.get().pk, "version": 1, **more}


def test_answers_are_imported_on_a_page_with_their_origin(release, sign_in, admin):
    pages = sign_in(admin)
    origin = {"revision": "v2", "licence": "CC BY 4.0"}
    checked = pages.post(reverse("answers_import"), uploaded([GOOD, TWO], action="check", **origin)).text
    assert "2 responses imported" in checked
    assert not Response.objects.exists()
    pages.post(reverse("answers_import"), uploaded([GOOD, TWO], action="import", **origin))
    assert Response.objects.count() == 2
    run = Run.objects.get()
    assert run.name == "answers.jsonl on release 1"
    after = Event.objects.about(run).get(action="imported_responses").after
    assert {name: after[name] for name in origin} == origin
    assert "CC BY 4.0" in pages.get(reverse("run", args=[run.pk])).text


def test_a_bad_answer_is_named_on_the_page(release, sign_in, admin):
    answer = sign_in(admin).post(reverse("answers_import"), uploaded([GOOD, GOOD | {"item": 7}], action="import"))
    assert answer.status_code == 400
    assert "Line 2" in answer.text
    assert "is not in the release" in answer.text
    assert not Response.objects.exists()


def test_answers_are_imported_by_the_api(release, sign_in, admin):
    answer = sign_in(admin).post(reverse("api:import_answers"), uploaded([GOOD, TWO], licence="CC0"))
    assert answer.status_code == 200
    assert answer.json()["new"] == 2


def test_a_command_keeps_the_origin(release, tmp_path):
    imported(tmp_path, GOOD, licence="CC0", revision="abc")
    batch = Batch.objects.get(what="responses")
    assert (batch.source["licence"], batch.source["revision"]) == ("CC0", "abc")


def test_the_page_of_responses_says_where_answers_belong(release, sign_in, admin):
    said = sign_in(admin).post(reverse("responses_import"), uploaded([GOOD], action="import")).text
    assert reverse("answers_import") in said


def reported(name="conflictbank-ratios", form="json"):
    return printed("report", name, "--format", form, "--release", "1")


@needs_samples
def test_the_ratios_of_the_sample_are_as_expected():
    printed("import_conflictbank", str(ITEMS))
    assert "960 responses imported" in printed("import_conflictbank_answers", str(ANSWERS), "--release", "1")
    found = json.loads(reported())
    for model, expected in json.loads(EXPECTED.read_text()).items():
        assert {name: found[model][name] for name in expected} == expected
    assert "960 were already here" in printed("import_conflictbank_answers", str(ANSWERS), "--release", "1")


@needs_samples
@pytest.mark.parametrize("name", ["conflictbank-ratios", "conflictbank-order", "conflictbank-descriptions"])
def test_a_report_has_a_page_and_files(name, client, admin):
    printed("import_conflictbank", str(ITEMS))
    printed("import_conflictbank_answers", str(ANSWERS), "--release", "1")
    assert "graph: 19 of 40 items known" in reported(name, "text")
    assert reported(name, "csv").startswith("model,protocol,known,of,condition,n,unreadable,")
    assert r"\toprule" in reported(name, "latex")
    client.force_login(admin)
    page = client.get(reverse("report", args=[name]), {"release": 1}).text
    assert "graph: 19 of 40 items known" in page
    assert "made to mislead" in page
    assert "<svg" in page


def test_answers_are_read_by_their_protocol(tmp_path, release):
    imported(tmp_path, GOOD, {"item": 1, "condition": "correct", "model": "Mist", "text": "Port Brenna"}, TWO)
    assert [(each.task, each.in_a_word) for each in Reading.objects.order_by("pk")] == [
        ("conflictbank-option", "default"),
        ("conflictbank-text", "replaced"),
        ("conflictbank-option", "default"),
    ]
    codes = Response.objects.order_by("pk").values_list("template__code", flat=True)
    assert list(codes) == [
        "conflictbank-option-default",
        "conflictbank-text-correct",
        "conflictbank-option-correct-temporal-conflict-first",
    ]


def test_other_fields_are_kept(tmp_path, release):
    imported(tmp_path, GOOD | {"note": "by hand"})
    assert Response.objects.get().imported["more"] == {"note": "by hand", "question_ID": 1}


def test_without_any_log_probability_an_answer_is_unreadable(tmp_path, release):
    imported(tmp_path, GOOD | {"logprobs": {}})
    assert Reading.objects.get().problem == "there are no log-probabilities"


def test_a_model_with_both_protocols_is_in_two_tables(tmp_path, release):
    text = {"item": 0, "condition": "default", "model": "Mist", "text": "C"}
    imported(tmp_path, GOOD, text)
    found = json.loads(reported())
    assert set(found) >= {"Mist (option)", "Mist (text)"}
    assert "Mist" not in found


BAD = {
    "an item that is not in the release": (GOOD | {"item": 2}, "not in the release: it has 2 items"),
    "a negative item": (GOOD | {"item": -1}, "not in the release"),
    "an item in words": (GOOD | {"item": "0"}, "whole number"),
    "no item": ({name: GOOD[name] for name in GOOD if name != "item"}, "“item” is missing"),
    "no model": (GOOD | {"model": None}, "“model” is missing"),
    "an unknown condition": (GOOD | {"condition": "mood"}, "“condition” is not one of"),
    "two texts without their order": (GOOD | {"condition": "correct_temporal"}, "“order” is not one of"),
    "an order without two texts": (GOOD | {"order": "default_first"}, "does not show two texts"),
    "a log-probability as a text": (GOOD | {"logprobs": {" A": "-0.5"}}, "not a number"),
    "a log-probability that is true": (GOOD | {"logprobs": {" A": True}}, "not a number"),
    "a positive log-probability": (GOOD | {"logprobs": {" A": 0.7}}, "positive"),
    "log-probabilities in a list": (GOOD | {"logprobs": [-0.5]}, "an object"),
    "both kinds of answer": (GOOD | {"text": "C"}, "either logprobs or text"),
    "no answer": ({"item": 0, "condition": "default", "model": "Mist"}, "either logprobs or text"),
    "a text that is a number": ({"item": 0, "condition": "default", "model": "Mist", "text": 3}, "must be a text"),
    "a list": ([GOOD], "object"),
    "NaN": ('{"item": 0, "condition": "default", "model": "Mist", "logprobs": {" A": NaN}}', "Line 2"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_line_is_named_and_nothing_is_written(what, tmp_path, release):
    record, words = BAD[what]
    with pytest.raises(CommandError) as refused:
        imported(tmp_path, GOOD, record)
    assert "Line 2" in str(refused.value)
    assert words in str(refused.value)
    assert not Response.objects.exists()


def test_bad_lines_can_be_skipped(tmp_path, release):
    rest = tmp_path / "rest.jsonl"
    assert "1 response imported" in imported(tmp_path, GOOD, GOOD | {"item": 9}, skip_bad=str(rest))
    assert json.loads(rest.read_text())["where"] == "Line 2"


def test_answers_for_a_release_of_another_benchmark_are_refused(tmp_path):
    make_release()
    with pytest.raises(CommandError, match="is for WikiContradict, so answers"):
        imported(tmp_path, GOOD)


def test_an_item_that_is_set_aside_is_in_no_report(tmp_path, release, admin):
    imported(tmp_path, GOOD, GOOD | {"item": 1})
    instance = Response.objects.order_by("pk")[0].instance
    set_aside(instance=instance, reason="It names a living person.", person=admin)
    assert SetAside.objects.active().count() == 1
    assert json.loads(reported())["Mist"]["of"] == 1
