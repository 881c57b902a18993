"""Annotations that belong to nobody go to Label Studio, which gives them to whoever imports the file, and come back
as nobody's: nothing changes."""

import json
import uuid
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.rows import content_of
from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.assignments.assignment import flag_tag, open_annotation, skip_tag
from annotation.desk.drafts.drafts import save_draft
from annotation.label_studio.results import items_of
from annotation.models import Annotation, AnnotationState, Assignment
from core.models import Role, User
from core.refusals import Refusal
from tests.annotation.label_studio.test_label_studio import bring, forget_everything, printed, rows_written, text
from tests.annotation.releases.test_import_annotations import HINT, brought_in, record, result
from tests.conftest import make_person
from tests.factories import AnnotationFactory, TagFactory

pytestmark = pytest.mark.django_db
NOTHING = "Nothing changed: all 3 tasks are already here."
INVALID = {"wikitag_label_valid": "Invalid"}
RECORDS = [
    record(),
    record(title="Odd bridge", annotationResult=result(question2=HINT, taxonomy=None, shade="grey", colour=1)),
    record(title="No bridge", annotationResult=INVALID),
]


@pytest.fixture
def lead(db) -> User:
    """The person who imports our file into Label Studio; annotates here, too."""
    return make_person("lead", Role.ANNOTATOR)


@pytest.fixture
def imported(lead) -> None:
    brought_in(RECORDS)


def sent(**options: Any) -> list[dict[str, Any]]:
    return json.loads(printed("export_label_studio", **options))


def back(tasks: list[dict[str, Any]], form: str = "JSON") -> list[dict[str, Any]]:
    """As Label Studio exports what it was given: every annotation is a person's, and keys have another order."""
    for number, task in enumerate(tasks, 1):
        task["id"] = number
        for each in [*task["annotations"], *task["drafts"]]:
            each["result"] = [*reversed(each["result"])]
        for each in task["annotations"]:
            each.setdefault("completed_by", {"email": "lead@example.org"})
        for each in task["drafts"]:
            each.setdefault("user", "lead@example.org")
    return tasks if form == "JSON" else [row for task in tasks for row in rows_of(task)]


def rows_of(task: dict[str, Any]) -> list[dict[str, Any]]:
    """The task in JSON_MIN: one row for each annotation, of which texts have no list where there is one."""
    rows = []
    for number, each in enumerate(task["annotations"], 1):
        answers = {one["from_name"]: [one["value"]] for one in each["result"]}
        for name, (value,) in answers.items():
            (simple,) = value.values()
            answers[name] = simple[0] if set(value) & {"text", "choices"} else [value]
        row = {"id": task["id"], "annotation_id": number, "annotator": each["completed_by"]["email"], **answers}
        rows.append(task["data"] | row)
    return rows or [task["data"] | {"id": task["id"]}]


def invalid(person: str) -> dict[str, Any]:
    return {"result": items_of(INVALID), "completed_by": {"email": person}, "was_cancelled": False}


@pytest.mark.parametrize("form", ["JSON", "JSON_MIN"])
@pytest.mark.parametrize("who", ["an annotator", "a number", "a stranger"])
def test_imported_records_come_back_as_nobodys(imported, form, who, lead):
    before, tasks = rows_written(), back(sent(), form)
    text_of = json.dumps(tasks)
    if who == "a number":
        text_of = text_of.replace('{"email": "lead@example.org"}', "7").replace('"lead@example.org"', "7")
    elif who == "a stranger":
        text_of = text_of.replace("lead@", "stranger@")
    for _ in range(2):
        assert bring(json.loads(text_of)) == [NOTHING]
    assert rows_written() == before
    forget_everything()
    assert bring(json.loads(text_of))[0] == "3 tasks: 3 new tags, 3 new annotations."
    assert {(each.annotator, each.state) for each in Annotation.objects.all()} == {(None, "submitted")}
    assert json.loads(Annotation.objects.get(tag__article__title="Odd bridge").imported_record) == RECORDS[1]
    assert bring(json.loads(text_of)) == [NOTHING]


@pytest.mark.parametrize("form", ["JSON", "JSON_MIN"])
def test_one_that_was_changed_there_is_its_writers(imported, form, lead):
    before, tasks = rows_written(), sent()
    (question,) = [one for one in tasks[0]["annotations"][0]["result"] if one["from_name"] == "question1"]
    question["value"] = {"text": ["When was it closed?"]}
    tasks = back(tasks, form)
    assert bring(tasks) == [
        "3 tasks: 0 new tags, 1 new annotation.",
        "2 tasks were already here and will not change.",
    ]
    theirs = Annotation.objects.get(annotator=lead)
    assert (theirs.tag.article.title, theirs.state) == ("Old bridge", AnnotationState.SUBMITTED)
    assert Annotation.objects.filter(annotator=None).accepted().count() == 3
    written = rows_written()
    assert written > before
    for again in (tasks, back(sent(), form)):
        assert bring(again)[0].startswith("Nothing changed")
    assert rows_written() == written


@pytest.mark.parametrize("form", ["JSON", "JSON_MIN"])
def test_people_who_wrote_the_same_keep_their_own(imported, form, lead, annotator):
    """Of a tag that is not valid there is little to say, so two works are easily equal."""
    data = {key: value for key, value in RECORDS[2].items() if key != "annotationResult"}
    people = ["anna@example.org", "lead@example.org"]
    bring([{"data": data, "annotations": [invalid(person) for person in people]}])
    before, tasks = rows_written(), back(sent(), form)
    for _ in range(2):
        assert bring(tasks)[0].startswith("Nothing changed")
        tasks.reverse()
    assert rows_written() == before
    forget_everything()
    bring(tasks)
    of_it = Annotation.objects.filter(tag__article__title="No bridge").values_list("annotator__username", flat=True)
    assert sorted(map(str, of_it)) == ["None", "anna", "lead"]


@pytest.mark.parametrize("form", ["JSON", "JSON_MIN"])
def test_what_travels_beside_nobodys_annotation_is_not_put_into_others(form, annotator, lead):
    """A flat type, a hint and an unknown key: the form shows none of them."""
    flat = result(taxonomy=None, question2=HINT, confidence="9", **{"Contradict type I": "Date/time"}) | {
        "shade": None
    }
    brought_in([record(annotationResult=flat)])
    data = {key: value for key, value in record().items() if key != "annotationResult"}
    bring([{"data": data, "annotations": [invalid("anna@example.org")]}])
    before, tasks = rows_written(), back(sent(), form)
    assert bring(tasks)[0].startswith("Nothing changed")
    assert rows_written() == before
    contents = [content_of(each) for each in Annotation.objects.order_by("annotator")]
    forget_everything()
    bring(tasks)
    assert [content_of(each) for each in Annotation.objects.order_by("annotator")] == contents
    records = map(json.loads, Annotation.objects.values_list("imported_record", flat=True))
    assert flat in [each["annotationResult"] for each in records]


def test_a_new_annotation_there_is_its_writers_even_if_it_says_the_same(imported, annotator):
    tasks = back(sent())
    tasks[2]["annotations"].append(invalid("anna@example.org"))
    assert bring(tasks)[0] == "3 tasks: 0 new tags, 1 new annotation."
    assert Annotation.objects.get(annotator=annotator).tag.article.title == "No bridge"


def test_a_draft_begun_there_beside_nobodys_annotation_is_its_writers(imported, lead):
    tasks = back(sent())
    tasks[0]["drafts"] = [{"user": "lead@example.org", "result": [text("question1", "Why?")]}]
    assert bring(tasks)[0] == "3 tasks: 0 new tags, 0 new annotations, 1 draft."
    assert Annotation.objects.get(annotator=lead).state == AnnotationState.DRAFT


def test_works_that_went_without_people_are_known_again(annotator, other_annotator, lead, admin):
    """Drafts and skips, too: without a person they would be nobody's, so they are left out."""
    done, drafted, skipped = TagFactory(annotations_needed=2), TagFactory(), TagFactory()
    for person in (annotator, other_annotator):
        AnnotationFactory(tag=done, annotator=person, state="submitted")
    for tag in (drafted, skipped):
        assign_tag(tag=tag, annotator=annotator, admin=admin)
    draft = open_annotation(tag=drafted, annotator=annotator)
    words = content_of(draft) | {"question1": "Why?"}
    save_draft(annotation=draft, annotator=annotator, content=words, base_version=0, operation=uuid.uuid4())
    skip_tag(annotation=open_annotation(tag=skipped, annotator=annotator), annotator=annotator, reason="Hard.")
    before, tasks = rows_written(), back(sent(without_people=True))
    assert "anna@" not in json.dumps(tasks)
    assert bring(tasks) == [
        NOTHING,
        "1 draft was left out: without text or person, or of an annotation that was submitted.",
    ]
    assert bring(sent(), without_people=True)[0] == NOTHING
    assert rows_written() == before


def test_marks_that_are_none_are_refused(imported):
    tasks = back(sent())
    tasks[0]["data"]["beyond_the_form"]["nobodys"] = {"annotation 00": "lead"}
    with pytest.raises(Refusal, match=r"nothing was written.*“nobodys” must be an object with lists of texts"):
        bring(tasks)


def test_only_tags_that_wait_can_be_sent(imported, annotator, admin, sign_in):
    waiting, half, held, flagged, done = (TagFactory(annotations_needed=n) for n in (1, 2, 1, 1, 1))
    for tag in (half, held, flagged):
        assign_tag(tag=tag, annotator=annotator, admin=admin)
    flag_tag(tag=flagged, annotator=annotator, reason="Hard.")
    Assignment.objects.filter(tag=done).update(done_at=done.found_at)

    def titles(tasks: str) -> list[str]:
        return [each["data"]["title"] for each in json.loads(tasks)]

    assert len(titles(printed("export_label_studio"))) == 8
    wanted = [tag.article.title for tag in (waiting, half)]
    assert titles(printed("export_label_studio", "--waiting-only")) == wanted
    client = sign_in(admin)
    where = reverse("export_waiting_to_label_studio")
    assert f'href="{where}"' in client.get(reverse("import_label_studio")).content.decode()
    assert titles(client.get(where).getvalue()) == wanted
    # Whether another one holds it is hidden from those who annotate it.
    admin.groups.add(*annotator.groups.all())
    assign_tag(tag=half, annotator=admin, admin=admin)
    assert titles(client.get(where).getvalue()) == wanted[:1]
