"""The exact number of statements that each door sends: those of signing in included, transactions not."""

import json
import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.evidence import ask_for_evidence
from annotation.guideline import versions
from annotation.models import Annotation, EvidenceRequest, RequestState, Tag
from core.models import Project
from tests.annotation.desk_helpers import claim, complete_content, save
from tests.factories import TagFactory

STATEMENT = re.compile(r"\s*(?:\d+ times: )?(SELECT|INSERT|UPDATE|DELETE|WITH)\b")


class Door:
    """A person at the desk; counts the statements of each request."""

    def __init__(self, client):
        self.client = client

    def ask(
        self, name: str, annotation: Annotation | None = None, body: dict | None = None, status: int = 200
    ) -> int:
        address = reverse(name, args=[annotation.pk] if annotation else [])
        version = Annotation.objects.get(pk=annotation.pk).version if annotation else 0
        with CaptureQueriesContext(connection) as queries:
            if body is None:
                answer = self.client.get(address)
            else:
                headers = {"If-Match": f'"{version}"'}
                answer = self.client.post(address, json.dumps(body), content_type="application/json", headers=headers)
        assert answer.status_code == status, answer.content
        return sum(bool(STATEMENT.match(query["sql"])) for query in queries)


@pytest.fixture
def door(annotator, sign_in) -> Door:
    Project.get()
    for tag in [TagFactory() for _ in range(3)]:
        ask_for_evidence(tag=Tag.objects.select_related("article__wiki").get(pk=tag.pk))
    EvidenceRequest.objects.update(state=RequestState.MISSING, reason="Not in this test.")
    return Door(sign_in(annotator))


def form(**changes) -> dict:
    return {"content": complete_content(**changes), "operation": str(uuid4()), "tab": "t"}


# The next tag, the claim, its entry in the log and the annotation. PostgreSQL locks the person's row, but inserts
# both rows in one statement.
CLAIM = 4


def test_the_next_tag(door):
    assert door.ask("desk_next", body={}, status=302) == 2 + CLAIM


@pytest.fixture
def guideline_unread():
    """As in a process that has not read the guideline yet; it keeps a version that was read."""
    versions._kept.cache_clear()


def test_the_desk_as_it_is_first_opened(annotator, door, guideline_unread):
    assert door.ask("desk_annotation", claim(annotator)) == 9


def test_the_desk_with_a_draft(annotator, door, guideline_unread):
    draft = claim(annotator)
    save(draft, complete_content())
    assert door.ask("desk_annotation", draft) == 9


def test_a_save(annotator, door):
    draft = claim(annotator)
    save(draft, complete_content())
    assert door.ask("desk_save", draft, form(valid_comment="more")) == 6


def test_renewing_and_time(annotator, door):
    draft = claim(annotator)
    assert door.ask("desk_renew", draft, {}) == 4
    assert door.ask("desk_time", draft, {"page": "p", "seconds": {"1": 5}}) == 4


def test_submitting_with_the_next_tag(annotator, door):
    draft = claim(annotator)
    save(draft, complete_content())
    assert door.ask("desk_submit", draft, form(valid_comment="more")) == 10 + CLAIM
