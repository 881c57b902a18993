"""An annotator's world is the same, byte for byte, whether one of their tags is a check or not."""

import json
import re
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.desk.decisions import accept_annotation, return_annotation
from annotation.models import Annotation, Assignment, CheckTag, Tag
from annotation.practice import checks
from core.models import Role, User
from tests.annotation.desk_helpers import claim, complete_content, submit
from tests.conftest import make_person, signed_in
from tests.factories import TagFactory

pytestmark = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="numbers start anew after a rollback on SQLite only"
)
# Parts that differ from one answer to the next anyway.
CHANCE = re.compile(
    rb'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|csrf[^<>]*?[A-Za-z0-9]{64}|"?[A-Za-z0-9]{64}"'
    rb"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+00:00)?|<time[^>]*>[^<]*</time>|\d+ seconds? ago"
    rb"|now|just now|\d\d:\d\d(:\d\d)?"
)
# Admins who annotate get no checks: the list of tags would show them the same text twice.
ROLES = [(), (Role.REVIEWER,), (Role.ADJUDICATOR,), (Role.REVIEWER, Role.ADJUDICATOR)]
OPERATION = "00000000-0000-4000-8000-{:012d}"


def seen_by(client: Client, annotations: list[int]) -> list[bytes]:
    """All that the person is shown: pages, the API, their own data, the palette."""
    addresses = ["/", reverse("desk"), reverse("my_work"), reverse("comments"), reverse("practice")]
    addresses += ["/api/v1/assignments/", "/account/data/", "/find/?q=Bridge", reverse("guideline")]
    for pk in annotations:
        addresses += [reverse("desk_annotation", args=[pk]), f"/api/v1/annotations/{pk}/"]
        addresses += [reverse("desk_evidence", args=[pk, kind]) for kind in ("article", "history", "talk", "further")]
        addresses += [reverse("tag", args=[Annotation.objects.get(pk=pk).tag_id])]
        addresses += [reverse("reviews_annotation", args=[pk])]
    answers = []
    for address in addresses:
        answer = client.get(address)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        answers.append(f"{address} {answer.status_code} ".encode() + CHANCE.sub(b"", body))
    return answers


def work_through(person: User, reviewer: User, tag: int) -> tuple[list[bytes], list[int]]:
    """Everything that happens to the person until their annotation of this tag was returned, submitted again and
    accepted, as answers and as numbers of queries.
    """
    client, answers, queries, pks = signed_in(person), [], [], []
    for number in range(20):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            answers.append(client.post(reverse("desk_next")).url.encode())
        queries.append(len(asked))
        own = Annotation.objects.filter(annotator=person).latest("pk")
        pks.append(own.pk)
        answers += seen_by(client, pks[-2:])
        sent = {"operation": str(UUID(OPERATION.format(number))), "tab": "a", "content": complete_content()}
        with CaptureQueriesContext(connection) as asked:
            answer = client.post(
                reverse("desk_submit", args=[own.pk]),
                json.dumps(sent | {"guideline": "1"}),
                content_type="application/json",
                headers={"If-Match": str(own.version)},
            )
        queries.append(len(asked))
        answers.append(answer.content)
        if own.tag_id == tag:
            break
    answers += seen_by(client, pks[-1:])
    own.refresh_from_db()
    return_annotation(annotation=own, reviewer=reviewer, message="Which bridge?")
    answers += seen_by(client, pks[-1:])
    submit(own)
    own.refresh_from_db()
    accept_annotation(annotation=own, reviewer=reviewer)
    answers += seen_by(client, pks[-1:])
    return answers, queries


@pytest.mark.parametrize("roles", ROLES, ids=lambda roles: "-".join(roles) or "annotator alone")
def test_a_check_looks_like_any_other_tag(roles, admin, other_annotator, reviewer, monkeypatch):
    TagFactory(article__title="Known Bridge")
    known = claim(other_annotator)
    submit(known)
    known.refresh_from_db()
    accept_annotation(annotation=known, reviewer=reviewer)
    for number in range(6):
        TagFactory(article__title=f"Waiting Bridge {number}")
    person = make_person("both", Role.ANNOTATOR, *roles)

    def world(with_check: bool) -> tuple[list[bytes], list[int]]:
        with transaction.atomic():
            with monkeypatch.context() as patch:
                if not with_check:  # the same tags at the same positions, and nobody says that one is a check
                    patch.setattr(checks.CheckTag.objects, "create", lambda **values: CheckTag(**values))
                    patch.setattr(checks.Event, "record", lambda *arguments, **values: None)
                checks.mix_in_checks(sources=[known.pk], percent=20, seed="3", admin=admin)
            assert CheckTag.objects.count() == with_check
            position = Tag.objects.filter(article=known.tag.article).exclude(pk=known.tag_id).get()
            assert Assignment.objects.get(tag=position).annotator_id is None
            found = work_through(person, reviewer, position.pk)
            transaction.set_rollback(True)
        return found

    plain, checked = world(False), world(True)
    assert len(plain[0]) > 60
    for without, with_one in zip(plain[0], checked[0], strict=True):
        assert with_one == without
    assert checked[1] == plain[1], "as many queries, so that the time tells nothing either"
