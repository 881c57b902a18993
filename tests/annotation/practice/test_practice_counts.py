"""Practice is not work: no page, export, report, list or API answer changes by it, but its own pages and the log."""

import re
from functools import partial

import pytest
from django.http import HttpResponse
from django.test import Client

from annotation.content.fields import empty_content
from annotation.models import PracticeTag
from annotation.practice.attempts import begin_attempt, compare_attempt, finish_attempt, save_attempt
from core.engine import counted as kept
from core.models import Delivery, Role, User
from tests.core.addresses import LISTED, let_in
from tests.core.asking import address
from tests.doors.walking import Door, told_by

# Where practice is shown, and the log of who did what.
ITS_OWN = ("practice", "api:practice", "activity", "api:events", "api:activity", "account_data", "person_data", "now")
# How long ago something was.
AGO = re.compile(rb"<time[^>]*>[^<]*</time>|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.0-9]*")


def doors(role: str, rows: dict) -> dict[str, Door]:
    names = [
        name
        for name in LISTED
        if let_in(name, role) and not name.startswith((*ITS_OWN, "account_logout", "ready", "sample_"))
    ]
    return {f"GET {where}": partial(opened, where) for where in (address(name, rows) for name in names)}


def opened(where: str, client: Client) -> HttpResponse:
    kept._kept.clear()
    return client.get(where)


def body(name: str, shown: tuple) -> bytes:
    return AGO.sub(b"", shown[2])


def practise(person: User) -> None:
    """All that can be done: finished, half-way, begun."""
    done, half, begun = PracticeTag.objects.filter(annotation=None)
    content = empty_content() | done.reference
    attempt = begin_attempt(practice_tag=done, person=person)
    assert not finish_attempt(attempt=attempt, person=person, content=content, base_version=0).problems
    attempt = begin_attempt(practice_tag=half, person=person)
    save_attempt(attempt=attempt, person=person, content=half.reference, base_version=0)
    compare_attempt(attempt=attempt, person=person, step=1)
    begin_attempt(practice_tag=begun, person=person)


@pytest.mark.parametrize("role", [Role.ADMIN, Role.ANNOTATOR])
def test_no_page_export_or_report_changes_by_practice(role, actors, rows, sign_in):
    client = sign_in(actors[role])
    client.get("/account/")  # makes the session's own rows
    ansel = User.objects.get(username="ansel")
    acts = {"practises": lambda: practise(ansel)}
    assert told_by(doors(role, rows), acts, client.cookies, compared=body) == {}
    practise(ansel)
    assert Delivery.objects.filter(event__contains="practice").count() == 0
