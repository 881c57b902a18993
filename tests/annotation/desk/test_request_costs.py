"""Queries of the desk's doors: each statement, in its order.

Who is signed in and what the settings are costs every page the same; those tables are left out here.
"""

import json
import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.desk.decisions import reopen_annotation
from annotation.models import Annotation, StepTime
from tests.annotation.desk_helpers import claim, complete_content, save, submit
from tests.factories import TagFactory

STATEMENT = re.compile(r'\s*(SELECT|INSERT|UPDATE|DELETE)\b.*?(?:FROM|INTO|UPDATE)\s"?annotation_(\w+)', re.DOTALL)
SUBQUERY = re.compile(r"\([^()]*\)")
KINDS = ["article", "history", "talk"]
UPDATE = re.compile(r'\s*UPDATE "annotation_(\w+)"')


def statements(queries: CaptureQueriesContext) -> list[str]:
    """Verb and table of each statement about annotating."""
    found = []
    for query in queries:
        sql = query["sql"]
        while (without := SUBQUERY.sub("", sql)) != sql:
            sql = without
        if update := UPDATE.match(sql):
            found.append(f"UPDATE {update[1]}")
        elif other := STATEMENT.match(sql):
            found.append(f"{other[1]} {other[2]}")
    return found


@pytest.fixture
def draft(annotator) -> Annotation:
    TagFactory()
    draft = claim(annotator)
    save(draft, complete_content(valid_comment="begun"))
    return draft


@pytest.fixture
def ask(annotator, sign_in, draft):
    client = sign_in(annotator)

    def ask(door: str, body: dict, annotation: Annotation = draft) -> list[str]:
        address = reverse(f"desk_{door}", args=[annotation.pk])
        version = Annotation.objects.get(pk=annotation.pk).version
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(
                address, json.dumps(body), content_type="application/json", headers={"If-Match": f'"{version}"'}
            )
        assert answer.status_code == 200, answer.content
        return statements(queries)

    return ask


def form(**changes) -> dict:
    return {"content": complete_content(**changes), "operation": str(uuid4()), "tab": "t"}


SAVE = ["INSERT draftsave", "UPDATE annotation", "UPDATE assignment"]


def test_a_save_is_three_statements_after_one(ask):
    assert ask("save", form(valid_comment="a second save")) == ["SELECT annotation", *SAVE]


def test_the_first_save_is_like_the_others(annotator, draft, ask):
    submit(draft)
    TagFactory()
    assert ask("save", form(), claim(annotator)) == ["SELECT annotation", *SAVE]


def test_a_save_that_changes_nothing_only_keeps_the_tag(ask):
    assert ask("save", form(valid_comment="begun")) == ["SELECT annotation", "UPDATE assignment"]


def test_every_tenth_save_forgets_the_oldest(draft, ask):
    for number in range(18):
        save(draft, complete_content(valid_comment=str(number)))
    assert ask("save", form(valid_comment="the twentieth")) == ["SELECT annotation", *SAVE, "DELETE draftsave"]


def test_submitting_writes_each_table_once(ask):
    rows = ["INSERT passage", "INSERT contradictiontype", "INSERT question"]
    submitted = ask("submit", form(question2="A second?", question2_answer1="1", question2_answer2="2"))
    assert submitted[:7] == ["SELECT annotation", *SAVE, *rows]


def test_submitting_what_is_saved_already_adds_no_save(ask):
    submitted = ask("submit", form(valid_comment="begun"))
    assert submitted[:3] == ["SELECT annotation", "UPDATE annotation", "UPDATE assignment"]


def test_submitting_again_deletes_what_is_no_longer_said(annotator, draft, ask):
    submit(draft)
    reopen_annotation(annotation=draft, annotator=annotator)
    submitted = ask("submit", form())
    assert "DELETE contradictiontype" in submitted
    assert "DELETE question" in submitted


def test_renewing_is_one_update(ask):
    assert ask("renew", {}) == ["SELECT annotation", "UPDATE assignment"]


@pytest.mark.parametrize("seconds", [{"1": 5}, {"1": 5, "2": 7, "6": 1}])
def test_noting_time_is_one_statement(ask, seconds):
    assert ask("time", {"page": "p", "seconds": seconds}) == ["SELECT annotation", "INSERT steptime"]
    assert StepTime.objects.count() == len(seconds)


LOOKS = ["desk", "desk_annotation", "my_work", *KINDS]


@pytest.mark.parametrize("door", LOOKS)
def test_looking_writes_nothing_not_even_the_first_time(annotator, sign_in, draft, door):
    client = sign_in(annotator)
    arguments = [draft.pk] if door == "desk_annotation" else [draft.pk, door] if door in KINDS else []
    address = reverse("desk_evidence" if door in KINDS else door, args=arguments)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code in (200, 302)
    # No transaction either: on SQLite each takes the lock of all who write.
    assert [sql for query in queries if not (sql := query["sql"]).lstrip().startswith("SELECT")] == []
