"""Label Studio's tasks and annotations, in and out: whose they are, what they become, and what is refused."""

import io
import json
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.content.parts import Choice
from annotation.content.rows import content_of
from annotation.desk.assignments.assigning import assign_tag
from annotation.desk.assignments.assignment import claim_next_tag, open_annotation, skip_tag
from annotation.desk.decisions import accept_annotation, return_annotation
from annotation.desk.drafts.drafts import save_draft
from annotation.desk.drafts.time import medians_of_submitted, note_time
from annotation.label_studio.imports import import_tasks
from annotation.models import (
    Annotation,
    Article,
    Assignment,
    DraftSave,
    SeenAnnotation,
    Skip,
    StepTime,
    Tag,
    Validity,
)
from annotation.reviewing.merging import contributions_to
from annotation.tasks import clear_dead_batches
from annotation.taxonomy import DIMENSIONS
from core.models import Batch, Event
from core.refusals import Refusal
from tests.annotation.merging_helpers import annotated_by, merge
from tests.annotation.releases.test_import_annotations import HINT, record
from tests.factories import AnnotationFactory, TagFactory
from tests.interleaving.pieces import Killed

pytestmark = pytest.mark.django_db
DATA = {key: value for key, value in record().items() if key != "annotationResult"}


def item(name: str, kind: str, value: Any) -> dict[str, Any]:
    return {"id": "x", "from_name": name, "to_name": "paragraph_A", "type": kind, "value": {kind: value}}


def text(name: str, *texts: str) -> dict[str, Any]:
    return item(name, "textarea", None) | {"value": {"text": list(texts)}}


ITEMS = [
    text("question1_answer1", "from 1903"),
    item("confidence", "rating", 4),
    item("taxonomy", "taxonomy", [["Contradict type IV", "Explicit"]]),
    text("question1", "When was the bridge open?"),
    text("question2_answer1", HINT),
    item("wikitag_label_valid", "choices", ["Valid"]),
    text("paragraphA_information", "It opened in 1903."),
]


def annotation(person: Any = "anna@example.org", **changes: Any) -> dict[str, Any]:
    by = {"email": person} if isinstance(person, str) else person
    values = {"completed_by": by, "result": ITEMS, "was_cancelled": False, "ground_truth": False, "lead_time": 61.6}
    times = {"created_at": "2025-05-01T08:00:00Z", "updated_at": "2025-05-01T09:00:00Z"}
    return values | times | changes


def task(*annotations: dict[str, Any], title: str = "Old bridge", **changes: Any) -> dict[str, Any]:
    return {"id": 1, "data": DATA | {"title": title}, "annotations": list(annotations)} | changes


def bring(tasks: Any, **options: Any) -> list[str]:
    return list(import_tasks(io.BytesIO(json.dumps(tasks).encode()), **options).lines())


def printed(*arguments: str, **options: Any) -> str:
    output = io.StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


def rows_written() -> int:
    models = (Article, Tag, Annotation, Assignment, DraftSave, Skip, StepTime, Event)
    return sum(getattr(model, "everything", model.objects).count() for model in models)


def forget_everything() -> None:
    Annotation.objects.update(draft=None)
    for model in (Annotation, Tag, Article):
        model.objects.all().delete()


@pytest.fixture
def exported(tmp_path) -> Path:
    """The file that `export_label_studio` writes."""
    return tmp_path / "tasks.json"


def test_the_configuration_is_that_of_the_paper():
    view = ElementTree.fromstring(printed("label_studio_config"))
    names = [control.get("name") for control in view if control.get("toName")]
    assert {"wikitag_label_valid", "taxonomy", "question10_answer2", "confidence"} <= set(names)
    assert len(names) == len(set(names))
    taxonomy = view.find("Taxonomy")
    assert taxonomy is not None
    options = {top.get("value"): [option.get("value") for option in top] for top in taxonomy}
    assert options == {each.key: [option.published for option in each.options] for each in DIMENSIONS}
    shown = {element.get("value") for element in view if element.tag == "Text"}
    assert {f"${key}" for key in DATA} == shown


def test_annotations_are_peoples_work_that_waits_for_review(annotator, other_annotator):
    other = annotation("Ansel@example.org", result=[text("valid_comment", "No."), text("valid_comment", "Never.")])
    said = bring([task(annotation(), other, predictions=[7, {"result": []}]), task(title="New bridge", id=2)])
    assert said == ["2 tasks: 2 new tags, 2 new annotations.", "2 predictions were left out."]
    first, second = Annotation.objects.order_by("pk")
    assert (first.annotator, first.state, second.annotator) == (annotator, "submitted", other_annotator)
    assert first.submitted_at.isoformat() == "2025-05-01T09:00:00+00:00"
    content = content_of(first)
    assert (content["question1"], content["question1_answer1"]) == ("When was the bridge open?", "from 1903")
    assert (content["Contradict type IV"], content["confidence"]) == (["EXP"], "4")
    assert content["question2_answer1"] == ""
    assert content_of(second)["valid_comment"] == "No.\nNever."
    assert StepTime.objects.get(annotation=first).seconds == 62
    assert medians_of_submitted(None)[annotator.pk].whole == 62
    assert [event.after for event in Event.objects.about(first)] == [{"state": "submitted"}]
    done = Assignment.objects.filter(done_at__isnull=False).order_by("number")
    assert [assignment.annotator for assignment in done] == [annotator, other_annotator]
    assert Assignment.objects.unfinished().get().tag.article.title == "New bridge"


def test_drafts_and_skips_stay_with_their_people(annotator, other_annotator):
    skipped = annotation("ansel@example.org", was_cancelled=True, result=[text("valid_comment", "Unsure.")])
    draft = {"user": "anna@example.org", "result": ITEMS, "lead_time": 3}
    of_an_annotation = {"user": "anna@example.org", "result": [], "annotation": 9}
    said = bring([task(skipped, drafts=[draft, 17, of_an_annotation])])
    assert said[0] == "1 task: 1 new tag, 0 new annotations, 1 draft, 1 skip."
    assert said[1].startswith("2 drafts were left out")
    mine = claim_next_tag(annotator=annotator)
    assert mine is not None
    assert content_of(mine)["question1"] == "When was the bridge open?"
    saved = save_draft(
        annotation=mine,
        annotator=annotator,
        content=content_of(mine) | {"question1": "When?"},
        base_version=mine.version,
        operation=uuid.uuid4(),
    )
    assert saved.is_saved
    assert claim_next_tag(annotator=other_annotator) is None
    theirs = Annotation.objects.get(annotator=other_annotator)
    assert (theirs.state, content_of(theirs)["valid_comment"]) == ("draft", "Unsure.")


def test_ground_truth_counts_as_accepted_only_if_one_says_so(annotator, other_annotator, admin):
    tasks = [task(annotation(ground_truth=True), annotation("ansel@example.org", ground_truth=True))]
    assert bring(tasks, accept_ground_truth=True, admin=admin)[0] == (
        "1 task: 1 new tag, 2 new annotations, 1 of them accepted."
    )
    assert [each.state for each in Annotation.objects.order_by("pk")] == ["accepted", "submitted"]
    assert Annotation.objects.accepted().get().reviewed_by == admin
    assert not Assignment.objects.unfinished().exists()
    # The file told the admin what it says.
    assert SeenAnnotation.objects.filter(person=admin).count() == 2
    forget_everything()
    bring(tasks)
    assert {each.state for each in Annotation.objects.all()} == {"submitted"}


def test_a_row_of_json_min_is_one_persons_work(annotator, other_annotator):
    values = {
        "question1": "When?",
        "valid_comment": [{"text": ["a", "b"]}],
        "wikitag_label_valid": "Valid",
        "taxonomy": [{"taxonomy": [["Contradict type IV", "Explicit"]]}],
        "confidence": [{"rating": 4}],
        "boxes": [{"rectanglelabels": ["x"]}],
        "source": "dump",
    }
    fixed = {"created_at": "2025-05-01T08:00:00Z", "updated_at": "2025-05-01T09:00:00Z", "lead_time": 4.0}
    rows = [
        DATA | values | fixed | {"id": 5, "annotator": 3, "annotation_id": 8},
        DATA | {"title": "New bridge", "id": 6} | fixed | {"annotator": None, "annotation_id": None},
        DATA | fixed | {"question1": "Who?", "id": 5, "annotator": 4, "annotation_id": 9},
        DATA | fixed | {"question1": "Who else?", "id": 7, "annotator": 4, "annotation_id": 10},
    ]
    users = [{"id": 3, "email": "Anna@example.org"}, {"id": 4, "email": "ansel@example.org"}]
    with pytest.raises(Refusal, match="not annotators here: number 3, number 4"):
        bring(rows)
    said = bring(rows, users=io.BytesIO(json.dumps(users).encode()))
    assert said[0] == "4 tasks: 3 new tags, 3 new annotations."
    assert said[1] == "Results of controls that the form does not have are kept aside: boxes (1)."
    first = Annotation.objects.get(annotator=annotator)
    content = content_of(first)
    assert (content["question1"], content["valid_comment"], content["confidence"]) == ("When?", "a\nb", "4")
    assert first.kept_aside == [{"from_name": "boxes", "value": {"rectanglelabels": ["x"]}}]
    assert json.loads(first.imported_record)["source"] == "dump"
    # Two tasks alike in all but their number are two tags.
    assert sorted(tag.annotations.count() for tag in Tag.objects.all()) == [0, 1, 2]


@pytest.mark.parametrize("without_people", [False, True])
def test_imported_annotations_become_one_and_stay_what_they_were(
    annotator, other_annotator, reviewer, exported, without_people
):
    """Known writers or not; what the form does not have stays with the originals."""
    annotated_by(annotator, other_annotator)
    call_command("export_label_studio", output=exported)
    (whole,) = json.loads(exported.read_text())
    whole["annotations"][1]["result"].append(text("shade", "grey"))
    forget_everything()
    bring([whole], without_people=without_people)
    rows = Annotation.objects.filter(merged_by=None).order_by("pk")
    as_imported = list(rows.values("state", "version", "imported_record", "kept_aside"))
    merged = merge(list(rows), reviewer, but={"confidence": Choice(taken=1)})
    names = ["import", "import"] if without_people else ["anna", "ansel"]
    people = {each.field: each.people for each in contributions_to(merged)}
    assert (people["paragraphA_information"], people["confidence"]) == (names, names[1:])
    assert (merged.confidence, merged.imported_record, merged.kept_aside) == (3, "", [])
    assert list(rows.values("state", "version", "imported_record", "kept_aside")) == as_imported
    assert any("shade" in json.dumps(each["kept_aside"]) for each in as_imported)
    assert "already" in bring([whole], without_people=without_people)[0]
    call_command("export_label_studio", output=exported)
    (again,) = json.loads(exported.read_text())
    assert "shade" in json.dumps(again["annotations"])


def test_everything_goes_to_label_studio_and_comes_back(annotator, other_annotator, admin, reviewer, exported):
    accepted, submitted, returned, drafted, skipped, waiting = (TagFactory(annotations_needed=2) for _ in range(6))
    unknown = {"from_name": "boxes", "type": "labels", "value": {"labels": ["x"]}}
    for tag, person in [(accepted, annotator), (accepted, other_annotator), (submitted, annotator)]:
        AnnotationFactory(tag=tag, annotator=person, state="submitted", kept_aside=[unknown])
    Assignment.objects.filter(tag=accepted).update(done_at=timezone.now())
    AnnotationFactory(tag=returned, annotator=annotator, state="submitted")
    Annotation.objects.update(created_at="2025-05-01T08:00:00Z")
    accept_annotation(annotation=Annotation.objects.filter(tag=accepted).first(), reviewer=reviewer)
    return_annotation(annotation=Annotation.objects.get(tag=returned), reviewer=reviewer, message="Look again.")
    assign_tag(tag=drafted, annotator=annotator, admin=admin)
    draft = open_annotation(tag=drafted, annotator=annotator)
    words = content_of(draft) | {"question1": "=1+1 <b>"}
    save_draft(annotation=draft, annotator=annotator, content=words, base_version=0, operation=uuid.uuid4())
    Annotation.objects.filter(pk=draft.pk).update(created_at="2025-05-01T08:00:00Z")
    draft.refresh_from_db()
    note_time(annotation=draft, annotator=annotator, page="p", seconds={1: 7, 5: 20})
    skip_tag(annotation=open_annotation(tag=skipped, annotator=annotator), annotator=annotator, reason="Hard.")
    call_command("export_label_studio", output=exported)
    before = json.loads(exported.read_text())
    assert [len(each["annotations"]) for each in before] == [2, 1, 0, 0, 1, 0]
    assert [each["ground_truth"] for each in before[0]["annotations"]] == [True, False]
    assert before[3]["drafts"][0]["lead_time"] == 27.0

    there = rows_written()
    assert printed("import_label_studio", str(exported)) == "Nothing changed: all 6 tasks are already here.\n"
    assert rows_written() == there
    forget_everything()
    said = printed("import_label_studio", str(exported), "--accept-ground-truth")
    assert said.startswith("6 tasks: 6 new tags, 3 new annotations, 1 of them accepted, 2 drafts, 1 skip.\n")
    call_command("export_label_studio", output=exported)
    for one, two in zip(json.loads(exported.read_text()), before, strict=True):
        assert one == two
    assert printed("import_label_studio", str(exported)) == "Nothing changed: all 6 tasks are already here.\n"
    assert waiting.article.title in {tag.article.title for tag in Tag.objects.filter(annotations=None)}


@pytest.mark.released
def test_an_invalid_tag_comes_back_without_the_articles_that_the_desk_filled_in(annotator, exported):
    AnnotationFactory(annotator=annotator, state="submitted", validity=Validity.INVALID, valid_comment="Two years.")
    call_command("export_label_studio", output=exported)
    assert bring(json.loads(exported.read_text()))[0].startswith("Nothing changed")
    assert Annotation.objects.get().state == "submitted"


def test_an_export_says_where_it_is(exported):
    told = io.StringIO()
    call_command("export_label_studio", output=exported, stderr=told)
    assert told.getvalue() == f"The export is in {exported}.\n"


def test_the_released_sample_goes_there_and_back_to_the_byte(released_data, exported):
    path = released_data / "wikicontradict_sample.json"
    call_command("import_annotations", str(path))
    call_command("export_label_studio", output=exported)
    assert printed("import_label_studio", str(exported)) == "Nothing changed: all 65 tasks are already here.\n"
    forget_everything()
    said = printed("import_label_studio", str(exported), "--accept-ground-truth", "--without-people")
    assert said == "65 tasks: 65 new tags, 65 new annotations, 65 of them accepted.\n"
    assert json.loads(printed("export_annotations", as_imported=True)) == json.loads(path.read_text())


def test_a_harvested_tag_takes_the_work_into_its_free_assignments(annotator, other_annotator, admin):
    tag = TagFactory(annotations_needed=3, priority=5)
    data = {"title": tag.article.title, "url": tag.article.url, "tag": tag.raw, "paragraph_A": tag.paragraph}
    assign_tag(tag=tag, annotator=other_annotator, admin=admin)
    bring([task(annotation(), data=data)])
    assert Annotation.objects.get(annotator=annotator).tag == tag
    rows = [(each.annotator, each.done_at is not None) for each in tag.assignments.order_by("number")]
    assert rows == [(other_annotator, False), (annotator, True), (None, False)]
    with pytest.raises(Refusal, match=r"by ansel@example\.org is already here or being made"):
        bring([task(annotation("ansel@example.org"), data=data)])


def test_what_was_written_here_since_is_not_overwritten(annotator):
    bring([task(annotation())])
    assert bring([task(annotation())]) == ["Nothing changed: all 1 task are already here."]
    changed = task(annotation(result=[text("question1", "Who built it?")]))
    there = rows_written()
    with pytest.raises(Refusal, match=r"Task 1 \(“Old bridge”\): .*anna@example.*differs in wikitag_label_valid"):
        bring([changed, task(annotation(), title="New bridge", id=2)])
    assert rows_written() == there


def test_strangers_are_named_and_kept_out(annotator, reviewer, tmp_path):
    tasks = [task(annotation()), task(annotation(), annotation("bo@x.org"), title="B", id=2)]
    tasks.append(task(annotation("rev@example.org"), title="C", id=3))
    with pytest.raises(Refusal, match=r"not annotators here: bo@x.org, rev@example.org\. Nothing was written"):
        bring(tasks)
    assert rows_written() == 0
    path, bad = tmp_path / "in.json", tmp_path / "bad.jsonl"
    path.write_text(json.dumps(tasks))
    said = printed("import_label_studio", str(path), "--skip-bad", str(bad))
    assert said.startswith("1 task: 1 new tag, 1 new annotation.\n")
    skipped = [json.loads(line) for line in bad.read_text().splitlines()]
    assert [each["record"] for each in skipped] == tasks[1:]
    assert [tag.article.title for tag in Tag.objects.all()] == ["Old bridge"]
    assert "Nothing changed" in printed("import_label_studio", str(path), "--skip-bad", str(bad))
    assert bring(tasks[1:], without_people=True)[0] == "2 tasks: 2 new tags, 3 new annotations."
    assert Annotation.objects.filter(annotator=None).count() == 3


def test_an_admin_who_annotates_a_tag_learns_nothing_of_it(admin, annotator, other_annotator):
    admin.groups.add(*annotator.groups.all())
    tag = TagFactory(annotations_needed=2)
    data = {"title": tag.article.title, "url": tag.article.url, "tag": tag.raw, "paragraph_A": tag.paragraph}
    assign_tag(tag=tag, annotator=admin, admin=admin)
    said = set()
    for there in (False, True):
        if there:
            bring([task(annotation(), data=data)])
        for coming in (annotation(), annotation(result=[]), annotation("ansel@example.org")):
            with pytest.raises(Refusal) as refused:
                bring([task(coming, data=data)], admin=admin)
            said.add(refused.value.message)
    assert len(said) == 1
    assert "you annotate this tag yourself" in said.pop()


def test_an_import_that_was_killed_leaves_nothing_and_can_be_repeated(pauses, annotator, other_annotator):
    tag = TagFactory(annotations_needed=1)
    data = {"title": tag.article.title, "url": tag.article.url, "tag": tag.raw, "paragraph_A": tag.paragraph}
    draft = {"user": "ansel@example.org", "result": ITEMS}
    tasks = [task(annotation(), data=data, id=0)]
    tasks += [task(annotation(), title=f"Bridge {n}", id=n, drafts=[draft]) for n in range(1, 20)]
    there = rows_written()
    pauses.kill_at = 12
    with pytest.raises(Killed):
        bring(tasks)
    assert (Annotation.objects.count(), Tag.objects.count(), Skip.objects.count()) == (0, 1, 0)
    pauses.kill_at = None
    Batch.objects.filter(is_open=True).update(alive_until=timezone.now() - timedelta(seconds=1))
    clear_dead_batches()
    assert rows_written() - Article.objects.count() == there - 1
    assert Assignment.objects.get().annotator is None
    assert bring(tasks)[0] == "20 tasks: 19 new tags, 20 new annotations, 19 drafts."


BROKEN: dict[str, tuple[Any, str]] = {
    "no list": ({"tasks": []}, "must be a list"),
    "a text": (["x"], "Task 1: it must be an object"),
    "no title": ([task(annotation(), data={"tag": "x"})], "Task 1: the field “title” is missing"),
    "a number for a title": ([task(data={"title": 7})], "“title” must be a text"),
    "annotations by number": ([task(annotations=[1, 2])], "“annotations” must be a list of objects"),
    "results that are an object": ([task(annotation(result={}))], "“result” must be a list"),
    "a result that is a number": ([task(annotation(result=[7]))], "“result” must be a list of objects"),
    "a person that is a list": ([task(annotation([]))], "“completed_by” must be an email address"),
    "no number of seconds": ([task(annotation(lead_time="long"))], "“lead_time” must be a number"),
    "endless seconds": ([task(annotation(lead_time=2**63))], "“lead_time” must be a number"),
    "no time": ([task(annotation(created_at="yesterday"))], "“created_at” cannot be read"),
    "two choices": (
        [task(annotation(result=[item("wikitag_label_valid", "choices", ["Valid", "Invalid"])]))],
        "“wikitag_label_valid” holds more than one choice",
    ),
    "six stars": (
        [task(annotation(result=[item("confidence", "rating", 6)]))],
        "“confidence” must be a whole number",
    ),
    "a star that is a list": ([task(annotation(result=[item("confidence", "rating", [])]))], "“confidence” must be"),
    "a text of numbers": ([task(annotation(result=[text("question1", 7)]))], "“question1” must be a list of texts"),  # type: ignore[arg-type]
    "a path of numbers": ([task(annotation(result=[item("taxonomy", "taxonomy", [[1]])]))], "“taxonomy” must be"),
    "a NUL": ([task(annotation(result=[text("question1", "\0")]))], "not text (a NUL"),
    "half a character": ([task(annotation(result=[text("question1", "\ud83d")]))], "not text (a NUL"),
    "more than the form that is a text": (
        [task(data=DATA | {"beyond_the_form": "x"})],
        "must be an object of objects",
    ),
    "two by one person": ([task(annotation(), annotation())], "has two by anna@example.org"),
}


@pytest.mark.parametrize(("content", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_is_refused_as_a_whole(content, said, annotator, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps([*content, task(title="Sound")] if isinstance(content, list) else content))
    with pytest.raises(CommandError) as refusal:
        call_command("import_label_studio", str(path))
    assert said in str(refusal.value)
    assert "nothing was written" in str(refusal.value).lower()
    assert rows_written() == 0


def test_a_list_of_users_that_is_none_is_refused(tmp_path):
    path, users = tmp_path / "in.json", tmp_path / "users.json"
    path.write_text("[]")
    users.write_text('[{"email": "a@example.org"}]')
    with pytest.raises(CommandError, match="must be a list of objects with id and email"):
        call_command("import_label_studio", str(path), "--users", str(users))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_label_studio", str(path), "--users", str(tmp_path / "none"))


def test_a_check_writes_nothing(annotator, tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps([task(annotation())]))
    assert "1 task: 1 new tag, 1 new annotation." in printed("import_label_studio", str(path), "--dry-run")
    assert rows_written() == 0


def test_on_the_page_one_can_check_before_importing(admin, annotator, sign_in):
    client = sign_in(admin)

    def post(action: str, **given: Any) -> str:
        files = {
            "file": SimpleUploadedFile("tasks.json", json.dumps([task(annotation(2, ground_truth=True))]).encode())
        }
        answer = client.post(reverse("import_label_studio"), {**files, "action": action, **given})
        return answer.content.decode()

    users = json.dumps([{"id": 2, "email": annotator.email}]).encode()
    assert "These are not annotators here: number 2" in post("check")
    assert "1 new tag, 1 new annotation." in post("check", users=SimpleUploadedFile("users.json", users))
    assert rows_written() == 0
    said = post("import", users=SimpleUploadedFile("users.json", users), accept_ground_truth="on")
    assert "1 new tag, 1 new annotation, 1 of them accepted." in said
    assert Annotation.objects.get().reviewed_by == admin
    tasks = json.loads(client.get(reverse("export_label_studio")).getvalue())
    assert [len(each["annotations"]) for each in tasks] == [1]
    assert client.get(reverse("label_studio_config")).content.decode() == printed("label_studio_config")
