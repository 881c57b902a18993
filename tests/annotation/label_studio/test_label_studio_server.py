"""The real Label Studio: it takes our configuration and tasks, shows them, and what it exports comes back equal."""

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from django.core.management import call_command
from playwright.sync_api import sync_playwright

from annotation.content.rows import content_of
from annotation.label_studio.imports import import_tasks
from annotation.models import Annotation, Assignment, Skip, Tag
from core.models import Role, User
from tests.annotation.label_studio.test_label_studio import (
    DATA,
    annotation,
    forget_everything,
    printed,
    rows_written,
    task,
    text,
)
from tests.annotation.label_studio.test_label_studio_nobody import NOTHING, RECORDS
from tests.annotation.label_studio_server import ADMIN, PASSWORD, LabelStudio
from tests.annotation.releases.test_import_annotations import brought_in
from tests.browser.chromium import find_chromium
from tests.conftest import make_person
from tests.environments import for_tests

pytestmark = [pytest.mark.django_db, pytest.mark.third_party]
CHROMIUM = find_chromium()
DRAFT = {"user": "anna@example.org", "result": annotation()["result"], "lead_time": 3.0}


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[LabelStudio]:
    with LabelStudio(for_tests("label_studio"), tmp_path_factory.mktemp("label_studio")) as server:
        for person in ("anna", "ansel"):
            server.make_person(f"{person}@example.org")
        yield server


@pytest.fixture
def people(annotator, other_annotator) -> list[User]:
    return [annotator, other_annotator, make_person(ADMIN.partition("@")[0], Role.ANNOTATOR)]


def bring(tasks: Any, server: LabelStudio, **options: Any) -> str:
    users = io.BytesIO(json.dumps(server.users()).encode())
    return next(iter(import_tasks(io.BytesIO(json.dumps(tasks).encode()), users=users, **options).lines()))


def written() -> list[Any]:
    """The content of people's work, whatever its keys are."""
    rows = Annotation.objects.with_parts().order_by("tag__article__title", "annotator__email")
    return [(each.tag.raw, str(each.annotator), each.state, content_of(each), each.kept_aside) for each in rows]


def sent_here(tmp_path: Path, server: LabelStudio) -> int:
    """A project with the configuration and all tasks that are here; returns its number."""
    tasks = tmp_path / "tasks.json"
    call_command("export_label_studio", output=tasks)
    project = server.make_project(printed("label_studio_config"))
    said = server.import_tasks(project, tasks.read_text())
    assert said["task_count"] == Tag.objects.count()
    return project


def test_peoples_work_goes_there_and_comes_back(server, people, tmp_path):
    skipped = annotation("ansel@example.org", was_cancelled=True, result=[])
    unknown = {"id": "b", "from_name": "boxes", "to_name": "x", "type": "labels", "value": {"labels": ["x"]}}
    with_unknown = annotation("ansel@example.org", result=[unknown, *annotation()["result"]])
    tasks = [
        task(annotation(ground_truth=True), with_unknown, id=1),
        task(skipped, title="B", id=2, drafts=[DRAFT]),
        task(title="C", id=3),
    ]
    bring(tasks, server, accept_ground_truth=True)
    before = written()
    assert [(person, state) for _, person, state, *_ in before] == [
        ("anna", "draft"),
        ("anna", "accepted"),
        ("ansel", "submitted"),
    ]
    project = sent_here(tmp_path, server)
    back = server.export(project, "JSON")
    assert [[each["ground_truth"] for each in one["annotations"]] for one in back] == [[True, False], [False], []]

    forget_everything()
    said = bring(back, server, accept_ground_truth=True)
    assert said == "3 tasks: 3 new tags, 2 new annotations, 1 of them accepted, 1 draft, 1 skip."
    assert written() == before
    assert Skip.objects.get().annotator == people[1]
    assert Assignment.objects.filter(tag__article__title="C").unfinished().count() == 1
    assert bring(back, server) == "Nothing changed: all 3 tasks are already here."

    forget_everything()
    bring(server.export(project, "JSON_MIN"), server)
    contents = [(person, content) for _, person, state, content, _ in before if state != "draft"]
    assert [(person, content) for _, person, _, content, _ in written()] == contents


@pytest.mark.released
@pytest.mark.parametrize("form", ["JSON", "JSON_MIN"])
def test_the_released_sample_comes_back_equal(form, server, people, released_data, tmp_path):
    path = released_data / "wikicontradict_sample.json"
    call_command("import_annotations", str(path))
    back = server.export(sent_here(tmp_path, server), form)
    there = rows_written()
    assert bring(back, server) == "Nothing changed: all 65 tasks are already here."
    assert rows_written() == there
    forget_everything()
    bring(back, server)
    assert {each.annotator for each in Annotation.objects.all()} == {None}
    records = [json.loads(text) for text in Annotation.objects.values_list("imported_record", flat=True)]
    assert (len(records), records) == (65, json.loads(path.read_text()))
    # Accepted, they are what is exported.
    Annotation.objects.update(state="accepted")
    exported = json.loads(printed("export_annotations", as_imported=True))
    assert exported == records


@pytest.mark.parametrize("form", ["JSON", "JSON_MIN"])
def test_imported_records_come_back_as_nobodys_unless_they_were_changed_there(form, server, people, tmp_path):
    brought_in(RECORDS)
    there, project = rows_written(), sent_here(tmp_path, server)
    for options in ({}, {"without_people": True}):
        assert bring(server.export(project, form), server, **options) == NOTHING
    assert rows_written() == there
    whole = next(one for one in server.export(project, "JSON") if one["data"]["title"] == "No bridge")
    (theirs,) = whole["annotations"]
    changed = {"result": [*theirs["result"], text("valid_comment", "Both are true.")]}
    server.call("PATCH", f"annotations/{theirs['id']}", json=changed)
    back = server.export(project, form)
    assert bring(back, server) == "3 tasks: 0 new tags, 1 new annotation."
    new = Annotation.objects.get(annotator=people[2])
    assert (new.state, content_of(new)["valid_comment"]) == ("submitted", "Both are true.")
    assert bring(back, server) == NOTHING


def test_it_refuses_an_address_that_it_does_not_know(server, people, tmp_path):
    other = make_person("olga", Role.ANNOTATOR)
    bring([task(annotation(other.email))], server)
    with pytest.raises(requests.HTTPError, match=r"Unknown annotator's email olga@example\.org"):
        sent_here(tmp_path, server)
    tasks = tmp_path / "tasks.json"
    call_command("export_label_studio", "--without-people", output=tasks)
    assert "olga" not in tasks.read_text()
    project = server.make_project(printed("label_studio_config"))
    assert server.import_tasks(project, tasks.read_text())["annotation_count"] == 1
    # Olga's it is, though Label Studio says that it is the lead's.
    there = rows_written()
    assert bring(server.export(project, "JSON"), server) == "Nothing changed: all 1 task are already here."
    assert rows_written() == there


def test_its_interface_shows_what_we_send(server, people, tmp_path):
    """In a real browser: the form with the annotation in it, and no word of an error."""
    if CHROMIUM is None and os.environ.get("CI") != "true":
        pytest.skip("there is no Chromium here")
    bring([task(annotation(), data=DATA)], server)
    project = sent_here(tmp_path, server)
    number = server.export(project, "JSON")[0]["id"]
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{server.base_url}/user/login/")
        page.fill("input[name=email]", ADMIN)
        page.fill("input[name=password]", PASSWORD)
        page.click("button[type=submit]")
        page.goto(f"{server.base_url}/projects/{project}/data?task={number}")
        for words in ("Question 1, answer by passage 1", "When was the bridge open?"):
            page.get_by_text(words).first.wait_for(timeout=120_000)
        shown = page.inner_text("body")
        page.screenshot(path=tmp_path / "label_studio.png", full_page=True)
        browser.close()
    assert "It opened in 1903." in shown
    assert "Question 1, answer by passage 1" in shown
    assert "from 1903" in shown
    assert "error" not in shown.lower()
