"""The page Now: counts of people, runs, queues and signs, and nothing that other pages hide."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.desk.assignments.assignment import claim_next_tag
from core.health.signs import give_sign
from core.models import Role, Sign, SignKind
from core.seeing.now import now_for, people_in_log
from judging.models import RunState
from judging.runs import now as runs_now
from tests.conftest import make_person
from tests.factories import TagFactory
from tests.factories.judging import make_model, make_release, make_run

pytestmark = pytest.mark.django_db


def test_it_counts_people_and_names_none(amir, admin):
    for number in range(2):
        TagFactory()
        claim_next_tag(annotator=make_person(f"Zuleika{number}", Role.ANNOTATOR))
    page = amir.get("/now/").content.decode()
    assert re.search(r"Annotating, with an open page</th>\s*<td class=\"number\">2<", page)
    assert "Zuleika" not in page
    assert people_in_log(admin, timezone.now()) >= 2
    assert people_in_log(admin, timezone.now() + timedelta(minutes=16)) == 0


def test_an_admin_who_annotates_a_tag_does_not_learn_of_the_others_on_it(db):
    both = make_person("Yara", Role.ANNOTATOR, Role.ADMIN)
    tag = TagFactory(annotations_needed=2)
    claim_next_tag(annotator=both)
    before = now_for(both)["steps"]
    claim_next_tag(annotator=make_person("Zuleika", Role.ANNOTATOR))
    assert tag.assignments.exclude(annotator=None).count() == 2
    assert now_for(both)["steps"] == before


def test_runs_have_calls_and_money_unless_their_outcomes_are_hidden(amir, monkeypatch):
    run = make_run(make_model(), instances=4, name="Bridges")
    assert run.state == RunState.RUNNING
    page = amir.get("/now/").content.decode()
    row = re.search(r"Bridges</th>(.*?)</tr>", page, re.DOTALL)[1]
    assert re.findall(r'"number">(.*?)</td>', row) == ["4", "0", "–"]
    monkeypatch.setattr(runs_now, "hides_outcomes", lambda run, reader: True)
    row = re.search(r"Bridges</th>(.*?)</tr>", amir.get("/now/").content.decode(), re.DOTALL)[1]
    assert re.findall(r'"number">(.*?)</td>', row) == ["4", *['<span class="muted">hidden</span>'] * 2]


def test_a_silent_part_says_so_and_one_that_never_ran_is_not_well(amir):
    give_sign(SignKind.WORKER, "here:1", active=2)
    give_sign(SignKind.CLOCK, "here:2")
    Sign.objects.filter(kind=SignKind.CLOCK).update(at=timezone.now() - timedelta(minutes=3))
    page = amir.get("/now/").content.decode()
    assert "here:1: 2 tasks in progress" in page
    assert page.count(">Silent<") == 2  # the clock, and its messages
    assert page.count(">Unknown<") == 2  # no backup, no check of sums


def test_a_refresh_is_the_part_alone_and_only_admins_see_it(amir, anna):
    part = amir.get("/now/", headers={"HX-Request": "true"}).content.decode()
    assert "<h1" not in part
    assert "<h2" in part
    assert anna.get("/now/").status_code == 403


def test_statements_do_not_grow_with_runs(amir):
    def statements() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert amir.get("/now/", headers={"HX-Request": "true"}).status_code == 200
        return len(caught)

    model, release = make_model(), make_release(2)
    for number in range(runs_now.MOST_RUNS + 1):
        make_run(model, release=release, name=f"Run {number}")
    full = statements()
    for number in range(5):
        make_run(model, release=release, name=f"More {number}")
    assert statements() == full <= 80


def test_queues_have_german_names_on_a_german_page(amir, admin):
    assert "Harvests</th>" in amir.get("/now/").text
    admin.language = "de"
    admin.save()
    page = amir.get("/now/").text
    assert all(f"{name}</th>" in page for name in ("Ernten", "Belege", "Aufrufe"))
    assert "Markierungen 0" in page
