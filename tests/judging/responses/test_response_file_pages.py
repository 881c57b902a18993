"""Responses and judgments as files through the pages: what goes out comes in again, and a broken file says where."""

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.catalogue.standard import judge_baseline
from judging.models import Response, Run
from judging.runs.runs import create_judge_run, start_run
from tests.factories.judging import make_instance, make_model, make_release, make_run, work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engine")]


@pytest.fixture
def client(sign_in, admin):
    return sign_in(admin)


@pytest.fixture
def run(server) -> Run:
    server.answer = lambda request: '=HYPERLINK("http://evil.example")\nThe "answer", 1903'
    made = make_run(make_model(server.base_url), release=make_release([make_instance(1), make_instance(2)]))
    work(made)
    return made


def download(client, kind: str, **query) -> str:
    response = client.get(reverse("responses_export", args=[kind]), query)
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response.streaming_content).decode()


def upload(client, content: str, *, action: str = "import", fragment: bool = True, **values):
    file = SimpleUploadedFile("answers.jsonl", content.encode())
    headers = {"HX-Request": "true"} if fragment else {}
    return client.post(reverse("responses_import"), {"file": file, "action": action, **values}, headers=headers)


def test_a_download_holds_what_the_filter_shows(client, run, server):
    other = make_run(make_model(server.base_url), instances=1)
    work(other)
    records = [json.loads(line) for line in download(client, "jsonl", run=run.pk).splitlines()]
    assert len(records) == 2
    assert {record["run"] for record in records} == {str(run.key)}
    assert len(download(client, "jsonl").splitlines()) == 3


def test_a_spreadsheet_is_not_attacked(client, run):
    rows = list(csv.DictReader(io.StringIO(download(client, "csv"))))
    assert len(rows) == 2
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values() if cell)


def test_what_was_downloaded_is_here_already(client, run):
    for kind in ("jsonl", "csv"):
        said = upload(client, download(client, kind)).content.decode()
        assert "0 responses imported, 2 were already here" in said
    assert Response.objects.count() == 2


def test_a_file_made_elsewhere_becomes_a_run_that_can_be_judged(client):
    release = make_release([make_instance(1)])
    line = json.dumps({"model": "Elsewhere", "template": "5", "question_ID": 1, "text": "In 1903, or in 1899."})
    checked = upload(client, line, action="check", release=release.pk).content.decode()
    assert "Validated only" in checked
    assert not Response.objects.exists()
    assert upload(client, line, release=release.pk, name="Theirs", fragment=False).status_code == 200
    run = Run.objects.get()
    assert run.name == "Theirs"
    page = client.get(reverse("run", args=[run.pk])).content.decode()
    assert "1 response made elsewhere" in page
    assert "New judge run" in page
    judge_run = create_judge_run(language_models=[judge_baseline()], source_runs=[run])
    start_run(run=judge_run)
    work(judge_run)
    assert judge_run.judgments.get().verdict
    response = client.get(reverse("response", args=[Response.objects.get().key]))
    assert "The messages are not known" in response.content.decode()


def test_a_broken_file_is_refused_with_record_and_field(client):
    content = "\n".join(
        json.dumps({"model": "M", "template": "5", "text": text, "question": "Q?"}) for text in ("a", 7)
    )
    response = upload(client, content)
    assert response.status_code == 400
    assert "Line 2: the field “text”" in response.content.decode()
    assert not Response.objects.exists()
    assert upload(client, content, fragment=False).status_code == 400
    assert upload(client, "").status_code == 400
    assert client.post(reverse("responses_import"), {"action": "import"}).status_code == 400


def test_judgments_are_downloaded_too(client, run):
    judge_run = create_judge_run(language_models=[judge_baseline()], source_runs=[run])
    start_run(run=judge_run)
    work(judge_run)
    response = client.get(reverse("run_judgments_export", args=[judge_run.pk, "jsonl"]))
    records = [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    assert {record["judge"] for record in records} == {judge_baseline().name}
    assert len(records) == 2


@pytest.mark.parametrize("kind", ["xlsx", "json"])
def test_other_kinds_of_files_are_not_there(client, run, kind):
    assert client.get(reverse("responses_export", args=[kind])).status_code == 404
    assert client.get(reverse("run_judgments_export", args=[run.pk, kind])).status_code == 404
