"""A database that takes no writes, or a full disk, is a 503 that says what was saved; never a 500."""

import errno
import json
from contextlib import contextmanager
from uuid import uuid4

import pytest
from django.db import DataError, IntegrityError, OperationalError, connection
from django.db import InternalError as DatabaseInternalError
from django.urls import reverse

from annotation.desk.assignments.assignment import claim_next_tag
from core import waking
from core.health import tasks
from core.models import Project, User
from core.web.outages import AWAY, FULL, READ_ONLY, outage_of
from tests.factories import TagFactory

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def read_only():
    """The database refuses every write of this connection, as a read-only replica or file does."""
    switch = (
        ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off")
        if connection.vendor == "postgresql"
        else ("PRAGMA query_only = ON", "PRAGMA query_only = OFF")
    )
    with connection.cursor() as cursor:
        cursor.execute(switch[0])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(switch[1])


def test_what_is_sent_to_a_read_only_database_is_refused_with_503_that_says_nothing_was_saved(amir):
    with read_only():
        response = amir.post("/account/name/", {"first_name": "Ada", "last_name": "L"})
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    page = response.content.decode()
    assert "The database cannot be written to" in page
    assert "Nothing was saved" in page
    assert "kept in your browser" in page
    assert not User.objects.filter(first_name="Ada").exists()


def test_pages_of_a_read_only_database_can_be_read(amir, anna, rita, ada):
    TagFactory()
    Project.get()  # made on its first use
    with read_only():
        for path in (
            "/",
            "/overview/",
            "/people/",
            "/activity/",
            "/annotation/tags/",
            "/judging/runs/",
            "/settings/",
        ):
            assert amir.get(path).status_code == 200, path
        for client in (anna, rita, ada):
            assert client.get("/").status_code == 200


def test_a_draft_for_a_read_only_database_is_refused_so_that_the_browser_keeps_it(annotator, anna):
    TagFactory()
    annotation = claim_next_tag(annotator=annotator)
    where = reverse("desk_save", args=[annotation.pk])
    with read_only():
        sent = {"content": {}, "operation": str(uuid4())}
        headers = {"If-Match": f'"{annotation.version}"'}
        response = anna.post(where, json.dumps(sent), content_type="application/json", headers=headers)
    assert response.status_code == 503, response.content


def test_a_program_is_told_in_problem_details(amir):
    with read_only():
        response = amir.post(
            "/api/v1/people/change/",
            json.dumps({"what": "activate", "people": [1]}),
            content_type="application/json",
            headers={"Idempotency-Key": "a" * 32},
        )
    assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json"), response.content
    assert "Nothing was saved" in response.json()["detail"]


def test_readiness_fails_and_life_does_not(client):
    from core.health.ready import answers

    answers.forget()
    with read_only():
        assert client.get("/health/").status_code == 200
        response = client.get("/ready/")
    assert response.status_code == 503
    assert "database: failed" in response.content.decode()
    answers.forget()
    assert "database: ok" in client.get("/ready/").content.decode()


def test_a_full_disk_under_postgresql_is_told_apart():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite is tried on a full disk in test_full_disk.py")
    with pytest.raises(OperationalError) as raised, connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$")
    assert outage_of(raised.value) is FULL


def test_only_outages_are_taken_for_outages():
    assert outage_of(OperationalError("gone")) is AWAY
    assert outage_of(OSError(errno.ENOSPC, "full")) is FULL
    assert outage_of(OSError(errno.EROFS, "read-only")) is READ_ONLY
    for error in (OSError(errno.ENOENT, "no"), ValueError(), IntegrityError("a"), DataError("b"), None):
        assert outage_of(error) is None
    assert outage_of(DatabaseInternalError("cache lookup failed")) is None


def test_a_message_that_a_full_disk_refuses_fails_no_request(monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tasks.sign_work, "apply_async", full)
    waking.wake_now(tasks.sign_work)
