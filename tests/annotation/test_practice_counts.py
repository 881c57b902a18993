"""Practice is not work: no page, export, report, list or API answer changes by it, but its own pages and the log."""

import re

import pytest
from django.test import Client

from annotation.content.fields import empty_content
from annotation.models import PracticeTag
from annotation.practice.attempts import begin_attempt, compare_attempt, finish_attempt, save_attempt
from core.models import Delivery, Role, User
from core.navigation import kept
from tests.core.addresses import LISTED, address, let_in
from tests.core.world import actors, rows, world  # noqa: F401
from tests.walking import DRAWN

# Where practice is shown, and the log of who did what.
ITS_OWN = ("practice", "api:practice", "activity", "api:events", "api:activity")
# How long ago something was.
AGO = re.compile(rb"<time[^>]*>[^<]*</time>|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.0-9]*")


def shown(client: Client, name: str, rows: dict) -> bytes:
    kept._kept.clear()
    answer = client.get(address(name, rows))
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return AGO.sub(b"", DRAWN.sub(b"", body))


def doors(role: str) -> list[str]:
    names = [name for name in LISTED if let_in(name, role)]
    return [name for name in names if not name.startswith((*ITS_OWN, "account_logout"))]


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
    before = {name: shown(client, name, rows) for name in doors(role)}
    practise(User.objects.get(username="ansel"))
    after = {name: shown(client, name, rows) for name in before}
    changed = [name for name in before if before[name] != after[name]]
    # What differs from one moment to the next does so again.
    assert [name for name in changed if shown(client, name, rows) == after[name]] == []
    assert len(changed) < 0.1 * len(before)
    assert Delivery.objects.filter(event__contains="practice").count() == 0
