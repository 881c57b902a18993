"""A release as a task for Inspect, run by Inspect itself with its mock model, and its logs back as responses."""

import io
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Instance
from benchmarks.wikicontradict.protocol.judge import judge_messages
from core.files.folders import files_below
from judging.catalogue.messages import answer_messages, correct_answers
from judging.models import InstanceVariant, Mark, ModelJudgment, PromptTemplate, Response, Run, RunKind
from tests.environments import for_tests
from tests.factories.judging import make_instance, make_release, templates

pytestmark = [pytest.mark.django_db, pytest.mark.third_party]

OFFLINE = Path(__file__).parents[1] / "environments" / "inspect" / "offline.py"
HOSTILE = "{passage2} {{ doc.question }} {% raw %} {question}"
CODES = ("1", "4", "5", "5.3")


def make_benchmark():
    """A release with what makes prompts hard: text that looks like code, one passage only, resolved passages."""
    templates()
    one = make_instance(1, key="1" * 64, passage_1=f"It opened in 1903. {HOSTILE}", semantic_types=["DATE"])
    same = make_instance(2, key="2" * 64, passage_2="Bridge 2 opened in 1903.", same_passage=True)
    release = make_release([one, same, make_instance(3, key="3" * 64)])
    InstanceVariant.objects.create(
        instance=one, content={"passage_1": "In 1903.", "passage_2": "1903!", "answer": "1903"}
    )
    return release


def run(*args: object, **options) -> str:
    out = io.StringIO()
    call_command(*map(str, args), stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


@pytest.fixture(scope="module")
def logs(tmp_path_factory, module_transaction) -> Path:
    """Inspect's logs of the task: `mock.json`, two epochs with a judge model, and `plain.eval`, by its own
    command and without a judge model."""
    folder, python = tmp_path_factory.mktemp("inspect"), for_tests("inspect") / "bin" / "python"
    make_benchmark()
    run("export_release", folder / "task", "--release", 1, "--format", "inspect")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    plain = ["eval", "wikicontradict.py", "--model", "mockllm/model", "-T", "templates=5", "--display", "plain"]
    command = [python, OFFLINE, "wikicontradict.py", folder / "json", *plain, "--log-dir", folder / "eval"]
    ran = subprocess.run(
        command, cwd=folder / "task", env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for form, name in (("json", "mock.json"), ("eval", "plain.eval")):
        [log] = (folder / form).iterdir()
        log.rename(folder / name)
    return folder


def test_the_task_is_asked_and_judged_as_here_and_comes_back_with_verdicts(logs, sign_in, admin):
    said = run("import_responses", logs / "mock.json")
    assert "18 responses imported. 16 judgments of judge models imported." in said
    assert "2 samples have no reply" in said
    assert "r1-q3-t1-v1 (epoch 2): RuntimeError('The mock model fails.')" in said
    imported = Run.objects.get(kind=RunKind.IMPORT)
    for response in imported.responses.select_related("instance", "template", "variant", "model"):
        messages = answer_messages(response.instance, response.template, response.variant)
        assert response.messages == messages
        assert (response.model.name, response.answer) == ("mockllm/answers", "It opened in 1903, but also in 1899.")
        judged = response.model_judgments.first()
        assert bool(judged) == (response.mark == Mark.COMPLETE)
        if judged:
            answers = correct_answers(response)
            assert judged.messages == judge_messages(response.instance.question, answers, response.text)
            is_second = response.instance.key == "2" * 64
            assert (judged.verdict, judged.unreadable_reason) == (
                ("", "no_evaluation_line") if is_second else ("correct", "")
            )
    assert sorted(set(imported.responses.values_list("template__code", flat=True))) == list(CODES)
    assert set(imported.responses.values_list("repetition", flat=True)) == {1, 2}
    assert imported.responses.filter(mark=Mark.CUT).count() == 2
    judges = Run.objects.get(kind=RunKind.JUDGE)
    assert [judge.name for judge in judges.language_models.all()] == ["mockllm/judge"]
    assert "0 responses imported, 18 were already here. Runs" in run("import_responses", logs / "mock.json")
    page = sign_in(admin).get(reverse("run", args=[judges.pk])).content.decode()
    assert "16 judgments made elsewhere" in page


def test_a_zipped_log_of_the_baseline_judge_comes_in_through_the_page(logs, sign_in, admin):
    client, path = sign_in(admin), logs / "plain.eval"
    for action, words in (("check", "Validated only"), ("import", "3 responses imported. 3 judgments")):
        with path.open("rb") as file:
            posted = {"file": file, "action": action}
            page = client.post(reverse("responses_import"), posted, headers={"HX-Request": "true"})
        assert words in page.content.decode()
    assert set(ModelJudgment.objects.values_list("model__name", "verdict")) == {
        ("Baseline judge: gold answers", "incorrect")
    }
    assert {response.text for response in Response.objects.all()} == {"Default output from mockllm/model"}


def test_foreign_broken_and_changed_logs_are_refused(logs, tmp_path, settings):
    log = json.loads((logs / "mock.json").read_text())

    def refused(name: str = "a.json", content: bytes | None = None) -> str:
        path = tmp_path / name
        path.write_bytes(json.dumps(log).encode() if content is None else content)
        with pytest.raises(CommandError) as error:
            run("import_responses", path)
        assert not Response.objects.exists()
        return str(error.value)

    header, metadata = log["eval"], log["eval"]["metadata"]["wikicontradict"]
    metadata["content_hash"] = "f" * 64
    assert "It is about release 1 with the hash ffffffffffff…, which is not here" in refused()
    metadata["content_hash"] = "0" * 64
    kept, header["metadata"] = header["metadata"], {}
    assert "Inspect’s log of the task “wikicontradict”, which this program did not write" in refused()
    header["metadata"] = kept
    header["solver"] = "chain_of_thought"
    assert "with another solver, “chain_of_thought”" in refused()
    header["solver"] = None
    sample = next(each for each in log["samples"] if each["scores"])
    judgment = sample["scores"]["wikicontradict_eval"]["metadata"]["judgment"]
    for holder, name, wrong, words in (
        (sample, "id", "r1-q9-t1-v1", "“id” is not r1-q"),
        (sample["metadata"], "question", "Another?", "is not question"),
        (sample["metadata"], "content_hash", "9", "is of another release"),
        (sample, "epoch", "2", "“repetition” must be a whole number"),
        (sample["output"]["choices"][0]["message"], "content", 5, "“content” must be a text or a list of parts"),
        (sample, "input", 5, "“input” must be a text or a list of messages"),
        (judgment, "verdict", "incorrect", "“judgments.1.verdict” is not what the reply says"),
    ):
        right, holder[name] = holder[name], wrong
        assert words in refused()
        holder[name] = right
    zipped = (logs / "plain.eval").read_bytes()
    assert "cannot be read" in refused("a.eval", zipped[: len(zipped) // 2])
    at = zipped.index(b"samples/") + 300
    assert "cannot be read" in refused("a.eval", zipped[:at] + b"\0" * 40 + zipped[at + 40 :])
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert "without header.json" in refused("a.eval", other.getvalue())
    settings.IMPORT_MAX_BYTES = 30_000  # a bomb: few bytes that become many
    assert len(zipped) < settings.IMPORT_MAX_BYTES
    assert "the largest size allowed" in refused("a.eval", zipped)


def test_bad_samples_can_be_skipped(logs, tmp_path):
    log = json.loads((logs / "mock.json").read_text())
    next(each for each in log["samples"] if each["scores"])["epoch"] = "2"
    (tmp_path / "a.json").write_text(json.dumps(log))
    said = run("import_responses", tmp_path / "a.json", "--skip-bad", tmp_path / "bad.jsonl")
    assert "17 responses imported" in said
    assert "1 bad record was skipped" in said
    assert "repetition" in json.loads((tmp_path / "bad.jsonl").read_text())["problem"]


def test_the_written_code_is_the_code_that_runs_here(logs):
    """Byte for byte, below the licence: what is tested here is tested there."""
    rules = logs / "task" / "wikicontradict_rules"
    judging = Path(__file__).parents[2] / "judging"
    written = [name for name in files_below(rules) if name.endswith((".py", ".json")) and "/" in name]
    assert len(written) > 8
    for name in written:
        text = (rules / name).read_text().removeprefix("# SPDX-License-Identifier: GPL-3.0-or-later\n")
        assert text == (judging / name).read_text(), name
    assert (logs / "task" / "wikicontradict.py").read_text().startswith("# SPDX-License-Identifier: GPL-3.0-or-later")
    lines = [json.loads(line) for line in (logs / "task" / "instances.jsonl").read_text().splitlines()]
    assert len(lines) == Instance.objects.count() == 3
    codes = [each["id"] for each in json.loads((logs / "task" / "templates.json").read_text())]
    assert codes == [each.code for each in PromptTemplate.objects.current()]
