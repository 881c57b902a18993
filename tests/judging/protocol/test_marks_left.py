"""Marks around thoughts in a form that nobody knows stay in the answer, and are flagged wherever it is shown."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.models import Response
from judging.runs.progress.progress import progress_of
from tests.factories.judging import make_model, make_run, templates, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]
TEXT = "<inner-monologue>Both dates are there.</inner-monologue> 1907"
FLAG = "<inner-monologue>, </inner-monologue>"


@pytest.fixture
def run(server):
    templates()
    server.levers.answer = TEXT
    run = make_run(make_model(server.base_url, name="Ours"), instances=1, codes=("1",))
    work(run)
    return run


def exported(*options: str) -> str:
    out = io.StringIO()
    call_command("export_responses", *options, stdout=out)
    return out.getvalue()


def test_a_reply_with_unknown_marks_is_flagged_counted_and_exported(run, client, admin):
    response = Response.objects.get()
    assert (response.answer, response.marks_left) == (TEXT, FLAG)
    client.force_login(admin)
    assert "&lt;inner-monologue&gt;" in client.get(reverse("response", args=[response.key])).content.decode()
    assert "Marks left" in client.get(reverse("responses")).content.decode()
    assert "with possible marks of thoughts left" in client.get(reverse("run", args=[run.pk])).content.decode()
    assert progress_of(run).with_marks_left == 1
    assert client.get("/api/v1/responses/").json()["results"][0]["marks_left"] == FLAG
    assert json.loads(exported())["marks_left"] == FLAG
    assert next(csv.DictReader(io.StringIO(exported("--format", "csv"))))["marks_left"] == FLAG


def test_an_import_looks_at_the_text_itself(run, tmp_path):
    record = json.loads(exported())
    others = [
        record | {"response": None, "run": None, "model": "Told", "marks_left": ""},
        record | {"response": None, "run": None, "model": "Plain", "text": "1907"},
    ]
    file = tmp_path / "responses.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in others))
    call_command("import_responses", str(file), stdout=io.StringIO())
    found = Response.objects.exclude(run=run).values_list("model__name", "marks_left")
    assert dict(found) == {"Told": FLAG, "Plain": ""}
    assert "marks_left" not in (Response.objects.get(model__name="Told").imported or {})


def test_a_known_form_leaves_no_mark(server):
    templates()
    server.levers.answer = "<think>Both dates are there.</think>1907"
    run = make_run(make_model(server.base_url, name="Ours"), instances=1, codes=("1",))
    work(run)
    assert Response.objects.get().marks_left == ""
    assert progress_of(run).with_marks_left == 0
