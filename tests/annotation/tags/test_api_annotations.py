"""The API's addresses for annotating, reviewing, talking and releasing."""

import json
from typing import Any

import pytest
from django.test import Client

from annotation.models import Annotation, AnnotationState, DraftSave, SeenAnnotation
from core.models import KeptAnswer, User
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.core.api.test_api import PROBLEM, program
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db


class Notebook:
    """A program of this person, with all scopes."""

    def __init__(self, person: User):
        self.client: Client = program(person, may_work=True, may_administer=True)

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(f"/api/v1/{path}", headers=headers)

    def post(self, path: str, body: dict | None = None, **headers: str) -> Any:
        return self._send(self.client.post, path, body, headers)

    def put(self, path: str, body: dict | None = None, **headers: str) -> Any:
        return self._send(self.client.put, path, body, headers)

    def _send(self, method, path, body, headers) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return method(f"/api/v1/{path}", json.dumps(body or {}), content_type="application/json", headers=named)


def test_from_the_queue_to_a_release(annotator, reviewer, admin):
    TagFactory()
    anna, rita, amir = Notebook(annotator), Notebook(reviewer), Notebook(admin)
    taken = anna.post("assignments/next/")
    number, version = taken.json()["id"], taken["ETag"]
    saved = anna.put(f"annotations/{number}/draft/", {"content": {"valid_comment": "hm"}}, If_Match=version)
    assert (saved.status_code, saved.json()["standing"]) == (200, "held")
    lacking = anna.post(f"annotations/{number}/submit/", {"content": {}}, If_Match=saved["ETag"])
    assert lacking.status_code == 422
    assert lacking.json()["errors"][0]["pointer"] == "/content/wikitag_label_valid"
    whole = {"content": complete_content()}
    assert anna.post(f"annotations/{number}/submit/", whole, If_Match=lacking["ETag"]).status_code == 200
    assert [each["id"] for each in rita.get("reviews/").json()["results"]] == [number]
    read = rita.get("reviews/next/").json()
    accepted = rita.post(f"reviews/{number}/accept/", {"seen_version": read["version"]})
    assert accepted.json()["state"] == "accepted"
    assert SeenAnnotation.objects.filter(annotation=number, person=reviewer).exists()
    release = amir.post("releases/", {"name": "first"})
    assert (release.status_code, release.json()["number"]) == (201, 1)
    instances = amir.get("releases/1/instances/").json()["results"]
    lines = b"".join(amir.get("releases/1/instances/?format=jsonl").streaming_content).decode().splitlines()
    assert [each["question"] for each in instances] == [json.loads(line)["question"] for line in lines]
    assert amir.get("annotations/")["Content-Type"] == "application/x-ndjson"


def test_a_draft_from_an_old_version_is_refused_with_what_is_there(annotator):
    TagFactory()
    anna, draft = Notebook(annotator), claim(annotator)
    path = f"annotations/{draft.pk}/draft/"
    assert anna.put(path, {"content": {}}).status_code == 428
    assert anna.put(path, {"content": {}}, If_Match='"x"').status_code == 412
    first = anna.put(path, {"content": {"valid_comment": "one"}}, If_Match='"0"')
    late = anna.put(path, {"content": {"valid_comment": "two"}}, If_Match='"0"')
    assert (late.status_code, late["ETag"], late["Content-Type"]) == (412, first["ETag"], PROBLEM)
    assert late.json()["content"]["valid_comment"] == "one"
    assert anna.get(f"annotations/{draft.pk}/")["ETag"] == first["ETag"]
    assert DraftSave.objects.filter(annotation=draft, version=None).count() == 1


def test_a_request_sent_again_acts_once(annotator):
    for _ in range(2):
        TagFactory()
    anna, draft = Notebook(annotator), claim(annotator)
    path = f"annotations/{draft.pk}/comments/"
    key = {"Idempotency_Key": "a key"}
    first, again = (anna.post(path, {"text": "Which bridge?"}, **key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json() == anna.get(path).json()[0]
    assert draft.comments.count() == 1
    assert anna.post(path, {"text": "Another"}, **key).status_code == 422
    assert anna.post(path, {"text": " "}, Idempotency_Key="b").status_code == 400
    assert anna.post(path, {"text": " "}, Idempotency_Key="b")["Content-Type"] == PROBLEM
    KeptAnswer.objects.filter(key="a key").update(status=None)
    assert anna.post(path, {"text": "Which bridge?"}, **key).status_code == 409
    assert anna.post(path, {"text": "x"}, Idempotency_Key="x" * 101).status_code == 400


def test_a_token_without_the_scope_only_reads(annotator):
    TagFactory()
    draft = claim(annotator)
    reader = program(annotator)
    assert reader.get(f"/api/v1/annotations/{draft.pk}/").status_code == 200
    refused = reader.post(f"/api/v1/annotations/{draft.pk}/hand-back/", "{}", content_type="application/json")
    assert refused.status_code == 403
    assert "scope" in refused.json()["detail"]


def test_skipping_asking_and_answering(annotator, reviewer):
    TagFactory(), TagFactory()
    anna, rita = Notebook(annotator), Notebook(reviewer)
    first = anna.post("assignments/next/").json()["id"]
    asked = anna.post(f"annotations/{first}/ask/", {"text": "Which year?"})
    assert asked.status_code == 201
    (question,) = rita.get("questions/").json()["results"]
    assert question["text"] == "Which year?"
    assert question == asked.json()
    plain = anna.post(f"annotations/{first}/comments/", {"text": "A thought", "reply_to": question["id"]}).json()
    assert rita.post(f"comments/{plain['id']}/answer/", {"text": "1912"}).status_code == 409
    answered = rita.post(f"comments/{question['id']}/answer/", {"text": "1912"})
    assert (answered.status_code, answered.json()["reply_to"]) == (201, question["id"])
    said = anna.get(f"annotations/{first}/comments/").json()
    assert [each["text"] for each in said] == ["Which year?", "A thought", "1912"]
    assert anna.post(f"annotations/{first}/skip/", {"reason": "no idea"}).status_code == 204
    second = anna.post("assignments/next/").json()["id"]
    assert second != first
    assert [each["id"] for each in anna.get("assignments/").json()["results"]] == [second]


@pytest.mark.parametrize(
    "body",
    [
        b"[]", b"null", b"{",
        b'{"content": {"valid_comment": "a\\u0000"}}', b'{"content": {"valid_comment": "\\ud800"}}',
        b'{"content": NaN}', b'{"content": {}, "content": {}}', b'{"content": []}', b'{"content": {"confidence": 9}}',
        b'{"content": {"x": 1}}', b'{"contents": {}}', b'{"content":' + b'{"a":' * 20_000, b"\xff", b"",
        b'{"content": {"confidence": 1e999}}', b'{"content": {"Contradict type I": {}}}',
    ],
)  # fmt: skip
def test_what_cannot_be_stored_is_refused_whole(body, annotator):
    TagFactory()
    anna, draft = Notebook(annotator), claim(annotator)
    answer = anna.client.put(
        f"/api/v1/annotations/{draft.pk}/draft/", body, content_type="application/json", headers={"If-Match": '"0"'}
    )
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM), answer.content
    assert not DraftSave.objects.exists()


def test_a_reviewer_who_annotates_the_tag_reads_nothing_of_the_other(other_annotator, reviewer):
    tag = TagFactory(annotations_needed=2)
    reviewer.groups.add(*other_annotator.groups.all())
    reviewer = User.objects.get(pk=reviewer.pk)
    claim(reviewer)
    submit(claim(other_annotator))
    theirs = Annotation.objects.get(tag=tag, annotator=other_annotator)
    assert theirs.state == AnnotationState.SUBMITTED
    rita = Notebook(reviewer)
    assert rita.get("reviews/").json()["results"] == []
    assert rita.get(f"reviews/{theirs.pk}/").status_code == 404
    assert rita.get(f"annotations/{theirs.pk}/comments/").status_code == 404


def test_what_the_desk_filled_in_is_submitted_once_the_program_says_that_it_was_looked_at(annotator):
    TagFactory()
    anna, draft = Notebook(annotator), claim(annotator)
    save(draft, complete_content(), unseen=["question1"])
    address = f"annotations/{draft.pk}/submit/"
    refused = anna.post(address, {"content": complete_content()}, If_Match='"1"')
    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == ["/content/question1"]
    body = {"content": complete_content(), "seen": ["question1"]}
    assert anna.post(address, body, If_Match=refused["ETag"]).status_code == 200
