"""Logs of Inspect and lm-evaluation-harness about ConflictBank bring their log-probabilities by the general door."""

import json
from copy import deepcopy
from typing import Any

import pytest
from django.core.management import CommandError

from annotation.models import Release
from benchmarks.conflictbank.tasks import ASKED
from judging.models import Reading, Response
from tests.conflictbank.answers.test_answers import reported
from tests.conflictbank.items.test_item_files import printed, written
from tests.conflictbank.items.test_items import RECORD, numbered

pytestmark = pytest.mark.django_db

CODE = "conflictbank-option-default"
PATH = "output.choices.0.logprobs.content.0"


@pytest.fixture
def release(tmp_path) -> Release:
    printed("import_conflictbank", str(written(tmp_path, [RECORD, numbered(1)])))
    return Release.objects.get()


def about(release: Release, number: int, code: str = CODE) -> dict[str, Any]:
    """The fields that the written tasks log about a question, as far as they are read."""
    return {
        "sample": f"r1-q{number}-t{code}-v1",
        "release": release.number,
        "content_hash": release.content_hash,
        "question_ID": number,
        "template": code,
        "template_version": 1,
        "condition": ASKED[code].condition.code,
        "prompt": "Which?\nAnswer:",
    }


def token(text: str, value: Any, *top: tuple[str, Any]) -> dict[str, Any]:
    beside = [{"token": each, "logprob": of, "bytes": list(each.encode())} for each, of in top]
    return {"token": text, "logprob": value, "bytes": list(text.encode()), "top_logprobs": beside}


# As Inspect logs a reply of two tokens.
TOLD = {"content": [token(" C", -0.25, (" C", -0.25), (" A", -2.5), ("The", -3.0)), token(".", -0.5)]}


def inspect_log(release: Release, *told: Any) -> dict[str, Any]:
    def sample(number: int, logprobs: Any) -> dict[str, Any]:
        choice = {"message": {"role": "assistant", "content": " C."}, "stop_reason": "max_tokens"}
        output = {
            "model": "m",
            "choices": [choice | ({} if logprobs is None else {"logprobs": logprobs})],
            "usage": {"input_tokens": 9, "output_tokens": 2},
        }
        asked = about(release, number)
        return {
            "id": asked["sample"],
            "epoch": 1,
            "input": asked["prompt"],
            "target": "C",
            "metadata": asked,
            "output": output,
            "scores": {"most_probable_option": {"value": 1.0, "answer": "default"}},
        }

    said = {"number": release.number, "name": release.name, "content_hash": release.content_hash}
    header = {"task": "conflictbank", "eval_id": "e1", "model": "m", "metadata": {"conflictbank": said}}
    samples = [sample(number, each) for number, each in enumerate(told, start=1)]
    return {"version": 2, "status": "success", "eval": header, "samples": samples}


def lm_eval_sample(release: Release, number: int, *values: Any, code: str = CODE) -> dict[str, Any]:
    """As lm-evaluation-harness logs a comparison of four options: numbers as text."""
    asked = about(release, number, code)
    return {
        "doc_id": number - 1,
        "doc": asked,
        "target": "2",
        "arguments": {
            f"gen_args_{at}": {"arg_0": asked["prompt"], "arg_1": f" {letter}"} for at, letter in enumerate("ABCD")
        },
        "resps": [[[value, "False"]] for value in values],
        "filtered_resps": [[value, "False"] for value in values],
        "filter": "none",
        "OAR": "default",
    }


VALUES = ("-3.0", "-2.0", "-0.25", "-4.0")


@pytest.fixture
def imported(tmp_path):
    def run_it(log: dict[str, Any] | list[dict[str, Any]], *options: str) -> str:
        file = tmp_path / "log"
        lines = log if isinstance(log, list) else [log]
        file.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
        return printed("import_responses", str(file), *options)

    return run_it


def test_a_log_of_inspect_brings_its_log_probabilities(release, imported):
    assert "2 responses imported" in imported(inspect_log(release, TOLD, TOLD))
    assert "0 responses imported, 2 were already here" in imported(inspect_log(release, TOLD, TOLD))
    response = Response.objects.order_by("pk")[0]
    assert response.text == " C."
    assert response.logprobs == [
        {"token": " C", "logprob": -0.25, "top": {" C": -0.25, " A": -2.5, "The": -3.0}},
        {"token": ".", "logprob": -0.5, "top": {}},
    ]
    reading = Reading.objects.get(response=response)
    assert (reading.problem, reading.value["letter"]) == ("", "C")
    assert reading.value["logprobs"] == {"A": -2.5, "B": -100.0, "C": -0.25, "D": -100.0}
    assert json.loads(reported())["m"]["of"] == 2


def test_a_log_of_lm_eval_brings_the_log_likelihoods_of_the_options(release, imported):
    both = [lm_eval_sample(release, 1, *VALUES), lm_eval_sample(release, 2, -3, -2, -0.25, -4.0)]
    assert "2 responses imported" in imported(both, "--model", "Mist")
    assert "0 responses imported, 2 were already here" in imported(both, "--model", "Mist")
    top = {" C": -0.25, " B": -2.0, " A": -3.0, " D": -4.0}
    for response in Response.objects.all():
        assert (response.text, response.messages) == (" C", [{"role": "user", "content": "Which?\nAnswer:"}])
        assert response.logprobs == [{"token": " C", "logprob": -0.25, "top": top}]
        assert list(response.logprobs[0]["top"]) == list(top)
    assert set(Reading.objects.values_list("value__letter", flat=True)) == {"C"}


def test_a_sample_of_lm_eval_may_have_the_filtered_replies_only(release, imported):
    sample = lm_eval_sample(release, 1, *VALUES)
    del sample["resps"]
    assert "1 response imported" in imported([sample], "--model", "Mist")
    assert Response.objects.get().text == " C"


def test_an_option_that_is_impossible_is_left_out(release, imported):
    assert "1 response imported" in imported(
        [lm_eval_sample(release, 1, "-inf", "-2.0", "-0.25", "-inf")], "--model", "Mist"
    )
    assert list(Response.objects.get().logprobs[0]["top"]) == [" C", " B"]


def refused(imported, log, *options) -> str:
    with pytest.raises(CommandError) as error:
        imported(log, *options)
    assert not Response.objects.exists()
    return str(error.value)


NUMBER = "is wrong: a log-probability must be a number, 0 or less"


@pytest.mark.parametrize(
    ("path", "wrong", "words"),
    [
        (("content", 0, "logprob"), "-0.25", f"“{PATH}.logprob” {NUMBER}"),
        (("content", 0, "logprob"), 0.5, f"“{PATH}.logprob” {NUMBER}"),
        (("content", 0, "logprob"), None, f"“{PATH}.logprob” {NUMBER}"),
        (("content", 0, "logprob"), True, f"“{PATH}.logprob” {NUMBER}"),
        (("content", 0, "top_logprobs", 1, "logprob"), 0.5, f"“{PATH}.top_logprobs.1.logprob” {NUMBER}"),
        (("content", 0, "top_logprobs", 1, "logprob"), "nan", f"“{PATH}.top_logprobs.1.logprob” {NUMBER}"),
        (("content", 0, "top_logprobs", 1, "token"), 5, f"“{PATH}.top_logprobs.1.token” must be a text"),
        (("content", 0, "top_logprobs"), {}, f"“{PATH}.top_logprobs” must be a list"),
        (("content", 0), "C", f"“{PATH}.token” must be a text"),
        (("content",), {}, "“output.choices.0.logprobs.content” must be a list"),
    ],
)
def test_a_wrong_value_of_inspect_is_refused_with_its_path(release, imported, path, wrong, words):
    told: Any = deepcopy(TOLD)
    holder = told
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = wrong
    said = refused(imported, inspect_log(release, TOLD, told))
    assert "Sample 2 (r1-q2-tconflictbank-option-default-v1)" in said
    assert words in said


def test_nan_in_a_log_is_refused_where_it_is(release, imported):
    told = {"content": [token(" C", float("nan"))]}
    assert "samples, record 2" in refused(imported, inspect_log(release, TOLD, told))
    lines = [lm_eval_sample(release, 1, *VALUES), lm_eval_sample(release, 2, float("nan"), -1, -1, -2)]
    assert "Line 2" in refused(imported, lines, "--model", "Mist")


@pytest.mark.parametrize("wrong", ["nan", "0.5", 0.5, "much", None, "", " -1", "-1_0", True])
def test_a_wrong_value_of_lm_eval_is_refused_with_its_path(release, imported, wrong):
    lines = [lm_eval_sample(release, 1, *VALUES), lm_eval_sample(release, 2, "-3.0", wrong, "-0.25", "-4.0")]
    said = refused(imported, lines, "--model", "Mist")
    assert f"Line 2: the field “resps.1.0” {NUMBER}" in said


def test_options_that_do_not_fit_are_refused(release, imported):
    def said(change) -> str:
        sample = lm_eval_sample(release, 1, *VALUES)
        change(sample)
        return refused(imported, [sample], "--model", "Mist")

    sent = lambda sample, number: sample["arguments"][f"gen_args_{number}"]  # noqa: E731
    assert "“arguments” must hold a text" in said(lambda sample: sent(sample, 1).update(arg_1=" A"))
    assert "“arguments” must hold a text" in said(lambda sample: sent(sample, 3).update(arg_1=7))
    assert "another prompt for one option" in said(lambda sample: sent(sample, 2).update(arg_0="Who?"))
    assert "no option that is possible" in said(lambda sample: sample.update(resps=[[["-inf", "False"]]] * 4))


def test_a_log_without_log_probabilities_is_refused_in_plain_words(release, imported):
    words = f"has no log-probabilities, and a reply to the template “{CODE}” is read by them"
    assert f"“output.choices.0.logprobs” {words}" in refused(imported, inspect_log(release, None))
    assert words in refused(imported, inspect_log(release, {"content": []}))
    sample = lm_eval_sample(release, 1) | {"resps": [[" C"]], "filtered_resps": [" C"]}
    assert f"“resps” {words}" in refused(imported, [sample], "--model", "Mist")


def test_compared_options_are_no_answer_to_a_prompt_that_asks_for_a_text(release, imported):
    sample = lm_eval_sample(release, 1, *VALUES, code="conflictbank-text-default")
    said = refused(imported, [sample], "--model", "Mist")
    assert "“resps” compare options, and the template “conflictbank-text-default” asks for a text" in said
