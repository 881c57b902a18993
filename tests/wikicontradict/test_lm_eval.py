"""A release as tasks for lm-evaluation-harness, run by the harness with its dummy model, and its samples back."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError

from judging.catalogue.messages import answer_messages
from judging.models import ModelJudgment, Response, Run
from tests.environments import for_tests
from tests.wikicontradict.test_inspect import make_benchmark, run

pytestmark = [pytest.mark.django_db, pytest.mark.third_party]
GIVEN_TASKS = Path(__file__).parents[1] / "environments" / "lm_eval" / "given_tasks.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory, module_transaction) -> Path:
    """The tasks in `task`, and what the harness logged in `logs`."""
    folder, python = tmp_path_factory.mktemp("lm_eval"), for_tests("lm_eval") / "bin" / "python"
    make_benchmark()
    run("export_release", folder / "task", "--release", 1, "--format", "lm-eval")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    environment |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    tasks = ["--tasks", "wikicontradict_r1", "--include_path", "task"]
    run_tasks = ["run", "--model", "dummy", *tasks, "--log_samples", "--output_path", "results"]
    ran = subprocess.run(
        [python, GIVEN_TASKS, "validate", *tasks, "--", *run_tasks],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "All tasks found and valid" in ran.stdout
    (folder / "logs").mkdir()
    for log in (folder / "results").rglob("samples_*.jsonl"):
        log.rename(folder / "logs" / f"{log.name.split('_')[3]}.jsonl")
    return folder


def test_every_template_is_asked_as_here_and_comes_back_with_verdicts(folder):
    files = sorted((folder / "logs").iterdir())
    assert [file.stem for file in files] == ["t1", "t2", "t3", "t4", "t5.1", "t5.2", "t5.3", "t5.4", "t5"]
    for file in files:
        run("import_responses", file, "--model", "Dummy", "--name", "Harness")
    # Three instances; templates 2 and 3 are not asked of one, 5.3 and 5.4 only of the one that is resolved.
    assert Response.objects.count() == 5 * 3 + 2 * 2 + 2
    for response in Response.objects.select_related("instance", "template", "variant"):
        [asked] = answer_messages(response.instance, response.template, response.variant, empty_system=False)
        assert response.messages == [asked]
        assert response.text == "lol"
    assert set(Run.objects.values_list("name", flat=True)) == {"Harness", "Judgments imported with Harness"}
    assert set(ModelJudgment.objects.values_list("model__name", flat=True)) == {"Baseline judge: gold answers"}
    five = ModelJudgment.objects.filter(response__template__code="5")
    assert [each.verdict for each in five] == ["incorrect"] * 3
    said = run("import_responses", files[0], "--model", "Dummy", "--name", "Harness")
    assert "0 responses imported, 3 were already here. Runs" in said


def test_foreign_and_changed_samples_are_refused(folder, tmp_path):
    samples = [json.loads(line) for line in (folder / "logs" / "t5.jsonl").read_text().splitlines()]
    path = tmp_path / "a.jsonl"

    def refused(*options: str) -> str:
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
        with pytest.raises(CommandError) as error:
            run("import_responses", path, *options)
        assert not Response.objects.exists()
        return str(error.value)

    assert "do not name their model" in refused()
    last, sent = samples[-1], samples[-1]["arguments"]["gen_args_0"]
    for holder, name, wrong, words in (
        (last["doc"], "content_hash", "f" * 64, "Line 3: the field “content_hash” is of another release"),
        (last["doc"], "question_ID", 2, "“doc.sample” is not r1-q2-t5-v1"),
        (last, "resps", [], "“resps” must be a list"),
        (last, "resps", [[5]], "“text” must be a text"),
        (sent, "arg_0", "Another prompt", "“arguments” contain another message than the task’s"),
        (samples[0]["doc"], "content_hash", "f" * 64, "which is not here"),
        (samples[0]["doc"], "content_hash", None, "for a task that this program did not write"),
    ):
        right, holder[name] = holder[name], wrong
        assert words in refused("--model", "Dummy")
        holder[name] = right
    last["resps"] = []
    refused("--model", "Dummy")
    said = run("import_responses", path, "--model", "Dummy", "--skip-bad", tmp_path / "bad.jsonl")
    assert "2 responses imported" in said
    assert "1 bad record was skipped" in said


def test_chats_and_repeated_samples_are_read(folder, tmp_path):
    sample = json.loads((folder / "logs" / "t5.jsonl").read_text().splitlines()[0])
    chat = [{"role": "user", "content": sample["doc"]["prompt"].strip()}]
    sample["arguments"]["gen_args_0"]["arg_0"] = [json.dumps(chat)]
    sample["resps"] = [["One.", "Two."]]
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(sample) + "\n")
    assert "2 responses imported. Runs" in run("import_responses", path, "--model", "Dummy")
    rows = Response.objects.order_by("repetition")
    assert [(row.repetition, row.text, row.messages) for row in rows] == [(1, "One.", chat), (2, "Two.", chat)]
