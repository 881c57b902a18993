"""Logs of Inspect and lm-evaluation-harness in which samples have no reply: each is named with the reason."""

import io
import json

import pytest
from django.core.management import call_command

from judging.harnesses.logs import sample_id
from judging.models import Response
from tests.factories.judging import make_release, templates

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(db):
    templates()
    return make_release(3)


@pytest.fixture
def imported(tmp_path):
    def run_it(name: str, text: str, *options: str) -> str:
        file, out = tmp_path / name, io.StringIO()
        file.write_text(text)
        call_command("import_responses", str(file), *options, stdout=out)
        return out.getvalue()

    return run_it


@pytest.mark.parametrize("option", ["", "--dry-run"])
def test_samples_of_inspect_that_all_failed_are_listed(release, imported, option):
    failed = [
        {"id": f"r1-q{number}-t1-v1", "epoch": 1, "error": {"message": "RateLimitError: 429"}} for number in (1, 2)
    ]
    said = {"number": release.number, "content_hash": release.content_hash}
    header = {"task": "wikicontradict", "eval_id": "e1", "model": "m", "metadata": {"wikicontradict": said}}
    log = {"version": 2, "status": "error", "eval": header, "samples": failed}
    told = imported("a.json", json.dumps(log), *filter(None, [option]))
    assert "2 samples have no reply" in told
    assert "r1-q2-t1-v1 (epoch 1): RateLimitError: 429" in told
    assert not Response.objects.exists()


def test_samples_of_lm_eval_without_a_reply_are_listed(release, imported):
    lines = [sample_of(release, number, resps) for number, resps in enumerate(([["1907"]], [[None]], [[]]), start=1)]
    told = imported(
        "samples_wikicontradict.jsonl", "".join(json.dumps(each) + "\n" for each in lines), "--model", "m"
    )
    assert "1 response imported" in told
    assert "2 samples have no reply" in told
    assert "the model gave no reply" in told
    assert "the model was not asked" in told


def sample_of(release, number: int, resps: list) -> dict:
    instance = release.released_instances.get(number=number).instance
    about = {
        "release": release.number,
        "content_hash": release.content_hash,
        "question_ID": number,
        "question": instance.question,
        "template": "1",
        "template_version": 1,
        "prompt": "What?",
    }
    about["sample"] = sample_id(about)
    return {"doc_id": number, "doc": about, "resps": resps, "arguments": {"gen_args_0": {"arg_0": "What?"}}}
