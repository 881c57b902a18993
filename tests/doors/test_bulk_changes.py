"""Several rows changed at once, by page and by program: all of them, or none."""

import pytest
from django.utils import timezone

from annotation.models import Assignment, BulkChange, Tag
from core.accounts.people import invite, make_password_link
from core.models import Invitation, Role, User
from judging.models import Run, RunKind, RunState
from tests.conftest import make_person
from tests.factories import TagFactory


def latest_change() -> int:
    return BulkChange.objects.values_list("pk", flat=True)[0]


def change(client, what: str, rows, action: str, **more):
    sent = {"ids": [row.pk for row in rows], "action": action} | more
    return client.post(f"/api/v1/{what}/change/", sent, content_type="application/json")


def make_runs(*states: RunState) -> list[Run]:
    return [Run.objects.create(kind=RunKind.ANSWER, state=state, started_at=timezone.now()) for state in states]


def test_programs_pause_several_runs_or_none(amir):
    running = make_runs(RunState.RUNNING, RunState.RUNNING)
    assert change(amir, "runs", running, "pause").json() == {"changed": 2}
    assert set(Run.objects.values_list("state", flat=True)) == {RunState.PAUSED}
    mixed = make_runs(RunState.RUNNING, RunState.CANCELLED)
    refused = change(amir, "runs", mixed, "pause")
    assert refused.status_code == 409
    assert f"Run {mixed[1].pk}" in refused.json()["detail"]
    assert Run.objects.get(pk=mixed[0].pk).state == RunState.RUNNING


def test_programs_change_several_tags_or_none(amir, annotator):
    tags = TagFactory.create_batch(2)
    assert change(amir, "tags", tags, "priority", number=5).json() == {"changed": 2, "change": latest_change()}
    assert set(Tag.objects.values_list("priority", flat=True)) == {5}
    assert change(amir, "tags", tags, "assign", annotator=annotator.pk).json() == {
        "changed": 2,
        "change": latest_change(),
    }
    assert Assignment.objects.filter(annotator=annotator).count() == 2
    refused = change(amir, "tags", [*TagFactory.create_batch(1), tags[0]], "unflag")
    assert refused.status_code == 409
    assert "None of these tags was changed" in refused.json()["detail"]


def test_programs_close_several_accounts_or_none(amir, admin):
    people = [make_person(name, Role.REVIEWER) for name in ("ray", "rob")]
    assert change(amir, "people", people, "close").json() == {"changed": 2}
    assert not User.objects.filter(username__in=["ray", "rob"], is_active=True).exists()
    assert change(amir, "people", [people[0], admin], "close").status_code == 409
    assert change(amir, "people", people, "nothing").status_code == 400


@pytest.mark.parametrize("ids", [[], [2**40], ["x"], list(range(1, 202))])
def test_what_is_not_there_or_too_much_is_refused(ids, amir):
    sent = {"ids": ids, "action": "pause"}
    answer = amir.post("/api/v1/runs/change/", sent, content_type="application/json")
    assert answer.status_code in (400, 404)


@pytest.fixture
def links(admin, reviewer) -> list[Invitation]:
    to_join, _ = invite(admin=admin, roles=[Role.REVIEWER], email="bo@example.org")
    noted, _ = invite(admin=admin, roles=[Role.ANNOTATOR], note="Bea")
    for_a_password, _ = make_password_link(person=reviewer, admin=admin)
    return [to_join, noted, for_a_password]


def tick(client, links: list[Invitation], action: str):
    sent = {"invitation": [each.pk for each in links], "action": action, "sure": "1"}
    return client.post("/invitations/change/", sent)


def test_ticked_links_are_withdrawn(amir, links):
    assert tick(amir, links, "withdraw").status_code == 302
    assert not Invitation.objects.open().exists()


def test_ticked_links_get_new_ones_that_are_shown_once(amir, links):
    shown = tick(amir, links, "renew").content.decode()
    assert shown.count("/join/") == 3
    new = Invitation.objects.open()
    assert {(each.email, each.note, each.person) for each in new} == {
        (each.email, each.note, each.person) for each in links
    }
    assert {group.name for each in new.exclude(email="", note="") for group in each.roles.all()} >= {Role.REVIEWER}
    assert not new.filter(pk__in=[each.pk for each in links]).exists()


def test_one_link_that_was_withdrawn_keeps_the_others_as_they_are(amir, links):
    tick(amir, links[:1], "withdraw")
    for action in ("withdraw", "renew"):
        assert tick(amir, links, action).status_code == 409
    assert set(Invitation.objects.open()) == set(links[1:])
    assert change(amir, "invitations", links, "withdraw").status_code == 409
    assert change(amir, "invitations", links[1:], "renew").status_code == 400
    assert change(amir, "invitations", links[1:], "withdraw").json() == {"changed": 2}


def test_actions_that_cannot_be_undone_ask_first(amir, links, annotator):
    run = Run.objects.create(kind=RunKind.ANSWER, state=RunState.PAUSED, started_at=timezone.now())
    posted = {
        "/invitations/change/": {"invitation": [links[0].pk], "action": "withdraw"},
        "/people/change/": {"person": [annotator.pk], "action": "close"},
        "/judging/runs/change/": {"run": [run.pk], "action": "cancel"},
    }
    for address, sent in posted.items():
        asked = amir.post(address, sent)
        assert asked.status_code == 200, address
        assert "can't be undone" in asked.content.decode().replace("&#x27;", "'")
    links[0].refresh_from_db()
    annotator.refresh_from_db()
    run.refresh_from_db()
    assert (links[0].withdrawn_at, annotator.is_active, run.state) == (None, True, RunState.PAUSED)
    for address, sent in posted.items():
        assert amir.post(address, {**sent, "sure": "1"}).status_code == 302, address
    annotator.refresh_from_db()
    run.refresh_from_db()
    assert (annotator.is_active, run.state) == (False, RunState.CANCELLED)
