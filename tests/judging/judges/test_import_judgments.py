"""Verdicts of judge models from elsewhere are imported beside the responses, and into the tables of judge models."""

import json

import pytest
from django.core.management import CommandError
from django.urls import reverse

from judging.models import LanguageModel, ModelJudgment, ModelKind, Response, Run, RunKind, RunState
from tests.factories.judging import make_instance, make_release, templates
from tests.judging.responses.test_import_responses import run_command, write
from tests.judging.run_sums import check_sums

pytestmark = pytest.mark.django_db

REPLY = "comment: It names both years.\nevaluation: correct"
GOOD = {
    "judge": "Judge elsewhere",
    "verdict": "correct",
    "comment": "It names both years.",
    "text": REPLY,
    "reader": "evaluation-line/2",
    "assembly": "wikicontradict-eval/1",
    "prompt_tokens": 900,
    "messages": [{"role": "user", "content": "Is it right?"}],
}
NONE = {"judge": "Judge elsewhere", "unreadable_reason": "empty", "text": ""}


@pytest.fixture(autouse=True)
def release():
    templates()
    return make_release([make_instance(1), make_instance(2)])


def record(number: int, *judgments: dict, **values) -> dict:
    base = {"model": "Far model", "template": "5", "text": "1903 or 1899.", "release": 1, "question_ID": number}
    return base | ({"judgments": list(judgments)} if judgments else {}) | values


def test_judgments_become_a_judge_run_beside_the_imported_one(tmp_path, sign_in, admin):
    path = write(tmp_path / "far.jsonl", record(1, GOOD), record(2, NONE))
    said = run_command("import_responses", path)
    assert "2 responses imported. 2 judgments of judge models imported." in said
    judged = Run.objects.get(kind=RunKind.JUDGE)
    assert (judged.state, judged.name) == (RunState.FINISHED, "Judgments imported with far.jsonl")
    assert [run.name for run in judged.source_runs.all()] == ["far.jsonl"]
    assert [(model.name, model.kind) for model in judged.language_models.all()] == [
        ("Judge elsewhere", ModelKind.IMPORTED)
    ]
    one, other = ModelJudgment.objects.order_by("pk")
    assert (one.verdict, one.comment, one.text, one.prompt_tokens) == ("correct", GOOD["comment"], REPLY, 900)
    assert (other.verdict, other.unreadable_reason) == ("", "empty")
    # Out as a file, on the pages, and in no table of costs.
    exported = [json.loads(line) for line in run_command("export_responses", "--judgments").splitlines()]
    assert {name: exported[0][name] for name in GOOD} == GOOD
    client = sign_in(admin)
    page = client.get(reverse("run", args=[judged.pk])).content.decode()
    assert "2 judgments made elsewhere" in page
    check_sums()
    assert "Ask again" not in page
    assert "Is it right?" in client.get(reverse("response", args=[one.response.key])).content.decode()
    assert "Judge elsewhere" in client.get(reverse("run_judgments", args=[judged.pk])).content.decode()
    assert "Judge elsewhere" not in client.get(reverse("report", args=["cost"])).content.decode()


def test_the_same_file_again_changes_nothing_and_later_verdicts_are_added(tmp_path):
    plain = write(tmp_path / "far.jsonl", record(1), record(2))
    run_command("import_responses", plain)
    judged = write(tmp_path / "far.jsonl", record(1, GOOD), record(2, NONE))
    assert "0 responses imported, 2 were already here. 2 judgments" in run_command("import_responses", judged)
    assert "0 responses imported, 2 were already here. Runs" in run_command("import_responses", judged)
    second = write(tmp_path / "far.jsonl", record(1, GOOD, GOOD | {"judge": "Second"}))
    assert "1 judgment of judge models" in run_command("import_responses", second)
    assert (Response.objects.count(), ModelJudgment.objects.count(), Run.objects.count()) == (2, 3, 2)
    assert Run.objects.get(kind=RunKind.JUDGE).language_models.count() == 2


@pytest.mark.parametrize(
    ("judgments", "words"),
    [
        ("yes", "“judgments” must be a list"),
        (["yes"], "“judgments” must be a list of objects"),
        ([GOOD, GOOD], "must be of different judges"),
        ([GOOD | {"judge": ""}], "“judgments.judge” must be the name of a model"),
        ([GOOD | {"comment": 5}], "“judgments.1.comment” must be a text"),
        ([GOOD | {"messages": "x"}], "“judgments.1.messages” must be a list"),
        ([GOOD | {"verdict": "fine"}], "“judgments.1.verdict” cannot be stored"),
        ([GOOD | {"unreadable_reason": "empty"}], "“judgments.1.verdict” or unreadable_reason must be there"),
        ([GOOD | {"verdict": ""}], "“judgments.1.verdict” or unreadable_reason must be there"),
        ([GOOD | {"verdict": "incorrect"}], "“judgments.1.verdict” is not what the reply says: correct"),
        (
            [GOOD | {"text": "evaluation: dunno"}],
            "is not what the reply says: what it states is none of the verdicts",
        ),
        ([GOOD | {"seconds": -1}], "“judgments.1.seconds” must be a number"),
        ([GOOD | {"reader": "x" * 41}], "“judgments.1.reader” cannot be stored"),
    ],
)
def test_a_wrong_judgment_refuses_the_file(tmp_path, judgments, words):
    with pytest.raises(CommandError, match="Line 2") as refused:
        run_command("import_responses", write(tmp_path / "a.jsonl", record(1, GOOD), record(2, judgments=judgments)))
    assert words in str(refused.value)
    assert not Response.objects.exists()
    assert not ModelJudgment.objects.exists()
    assert not LanguageModel.objects.filter(name="Judge elsewhere").exists()


def test_another_verdict_of_the_same_judge_is_refused(tmp_path):
    run_command("import_responses", write(tmp_path / "far.jsonl", record(1, GOOD)))
    other = GOOD | {"verdict": "incorrect", "text": "evaluation: incorrect"}
    with pytest.raises(CommandError, match=r"“judgments\.1\.verdict” is not what the stored judgment says"):
        run_command("import_responses", write(tmp_path / "far.jsonl", record(1, other)))
    assert ModelJudgment.objects.get().verdict == "correct"


def test_imported_verdicts_are_in_the_tables_of_judge_models(tmp_path, sign_in, admin):
    run_command("import_responses", write(tmp_path / "far.jsonl", record(1, GOOD), record(2, NONE)))
    client = sign_in(admin)
    assert "Judge elsewhere" in client.get(reverse("report", args=["table6"])).content.decode()
