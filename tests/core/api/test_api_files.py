"""Uses of the API besides the path of the docs: files in, harvests, models, requests that died, other orders."""

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.models import Annotation, Harvest
from core.models import KeptAnswer
from judging.models import LanguageModel, ModelKind, PromptTemplate, Response
from review.models import KnownVerdict
from tests.annotation.releases.test_import_annotations import record
from tests.core.api.test_api import program
from tests.factories import TagFactory, WikiFactory
from tests.factories.review import make_imported_run

pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture
def client(admin):
    return program(admin, may_administer=True)


def sent_file(client, path: str, content: str, *, name: str = "file.json", key: str = "", **fields):
    file = SimpleUploadedFile(name, content.encode())
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(f"{API}/{path}/", {"file": file, **fields}, headers=headers)


def posted(client, path: str, body: dict, method: str = "post", **headers: str):
    return getattr(client, method)(
        f"{API}/{path}/", json.dumps(body), content_type="application/json", headers=headers
    )


def test_annotations_come_from_a_file(client):
    file = json.dumps([record()])
    checked = sent_file(client, "imports/annotations", file, check_only="true").json()
    assert (checked["check_only"], checked["new"], Annotation.objects.count()) == (True, 1, 0)
    first = sent_file(client, "imports/annotations", file, key="one")
    assert (first.status_code, first.json()["new"], Annotation.objects.count()) == (200, 1, 1)
    # Sent again it gets the first answer; another file under the same key is refused.
    assert sent_file(client, "imports/annotations", file, key="one").json() == first.json()
    assert sent_file(client, "imports/annotations", "[]", key="one").status_code == 422
    again = sent_file(client, "imports/annotations", file).json()
    assert (again["new"], again["there"]) == (0, 1)
    refused = sent_file(client, "imports/annotations", "[{}]")
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")
    assert "nothing was written" in refused.json()["detail"]


def test_responses_and_known_verdicts_come_from_files(client):
    made = make_imported_run(1).responses.first()
    lines = client.get(f"{API}/responses/?format=jsonl").getvalue().decode()
    Response.objects.all().delete()
    assert sent_file(client, "imports/responses", lines, name="r.jsonl").json()["new"] == 2
    bad = f"response,use,verdict,explanation\n{made.key},training,perhaps,It names both.\n"
    refused = sent_file(client, "imports/known-verdicts", bad, name="known.csv")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["detail"].startswith("Line 2: ")
    good = bad.replace("perhaps", "correct").replace(str(made.key), str(Response.objects.first().key))
    assert sent_file(client, "imports/known-verdicts", good, name="known.csv").json()["new"] == 1
    assert KnownVerdict.objects.count() == 1


def test_what_is_no_multipart_is_a_problem(client):
    for content_type, body, status in (
        ("application/json", "{}", 415),
        ("multipart/form-data; boundary=x", "null", 400),
        ("multipart/form-data", "x", 400),
    ):
        answer = client.post(f"{API}/imports/annotations/", body, content_type=content_type)
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


def test_a_harvest_is_begun_followed_and_cancelled(client, settings):
    settings.WIKI_CONTACT = "us@example.org"
    wiki = WikiFactory(is_allowed=True)
    begun = posted(client, "harvests", {"source": "titles", "wiki": wiki.pk, "titles": "Bridge\nCanal"})
    assert (begun.status_code, begun.json()["parameters"]) == (201, {"titles": ["Bridge", "Canal"]})
    number = begun.json()["id"]
    assert client.get(f"{API}/harvests/").json()["results"][0]["state"] == "waiting"
    assert posted(client, f"harvests/{number}/resume", {}).status_code == 409
    assert posted(client, f"harvests/{number}/cancel", {}).json()["state"] == "cancelled"
    assert posted(client, "harvests", {"source": "titles"}).status_code == 400
    tasks = SimpleUploadedFile("tasks.json", json.dumps([record()]).encode())
    uploaded = client.post(f"{API}/harvests/files/", {"source": "tasks", "tasks": tasks})
    assert uploaded.status_code == 201, uploaded.content
    assert uploaded.json()["parameters"] == {"file_name": "tasks.json"}
    assert Harvest.objects.count() == 2


def test_a_model_is_changed_and_a_template_gets_its_next_version(client):
    model = posted(client, "models", {"name": "L", "endpoint_name": "l", "base_url": "http://localhost:9/v1"}).json()
    changed = posted(client, f"models/{model['id']}", {"endpoint_name": "large"}, "patch").json()
    assert (changed["endpoint_name"], changed["name"]) == ("large", "L")
    assert posted(client, f"models/{model['id']}/offer", {"is_offered": False}).json()["is_offered"] is False
    baseline = LanguageModel.objects.filter(kind=ModelKind.BASELINE).first()
    assert posted(client, f"models/{baseline.pk}", {"name": "x"}, "patch").status_code == 409
    wording = {"code": "1", "name": "Own knowledge", "text": "Q: {question}", "correct_answers": "{answer1}"}
    version = posted(client, "templates", wording).json()["version"]
    assert version == PromptTemplate.objects.current().get(code="1").version == 2


def test_the_evidence_of_a_tag_is_that_of_the_pane(annotator, other_annotator, django_capture_on_commit_callbacks):
    TagFactory()
    client = program(annotator, may_work=True)
    own = posted(client, "assignments/next", {}).json()["id"]
    assert client.get(f"{API}/annotations/{own}/evidence/").json()[0]["parts"][0]["html"] == ""
    with django_capture_on_commit_callbacks(execute=True):
        posted(client, f"annotations/{own}/evidence", {})
    tabs = client.get(f"{API}/annotations/{own}/evidence/").json()
    assert [tab["kind"] for tab in tabs][:2] == ["article", "history"]
    assert "".join(part["html"] + part["reason"] for tab in tabs for part in tab["parts"])
    asked = posted(client, f"annotations/{own}/evidence", {"text": "Canal"})
    assert asked.json()[-1]["parts"][0]["name"] == "Canal"
    assert program(other_annotator).get(f"{API}/annotations/{own}/evidence/").status_code == 404


def test_a_list_can_be_read_the_other_way_round(client):
    tags = [TagFactory().pk for _ in range(3)]
    there = client.get(f"{API}/tags/?limit=2&order=reversed").json()
    back = client.get(there["next"]).json()
    assert [tag["id"] for tag in there["results"] + back["results"]] == tags
    assert client.get(f"{API}/tags/?order=sideways").status_code == 400


def test_a_request_that_died_without_an_answer_can_be_made_once_more(client):
    body = {"name": "L", "endpoint_name": "l", "base_url": "http://localhost:9/v1"}
    posted(client, "models", body, **{"Idempotency-Key": "one"})
    LanguageModel.objects.filter(name="L").delete()
    row = KeptAnswer.objects.filter(key="one")
    row.update(status=None, body="")
    assert posted(client, "models", body, **{"Idempotency-Key": "one"}).status_code == 409
    row.update(begun_at=timezone.now() - timedelta(minutes=11))
    assert posted(client, "models", body | {"name": "M"}, **{"Idempotency-Key": "one"}).status_code == 422
    assert posted(client, "models", body, **{"Idempotency-Key": "one"}).status_code == 201
    assert posted(client, "models", body, **{"Idempotency-Key": "one"}).status_code == 201
    assert LanguageModel.objects.filter(name="L").count() == 1
