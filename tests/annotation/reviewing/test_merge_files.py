"""Merges as programs and files have them: the API, the exports, Label Studio's tasks and what comes back."""

import json

import pytest
from django.core.management import call_command

from annotation.content.parts import Choice
from annotation.desk.decisions import reconsider_annotation
from annotation.models import Annotation, Contribution, SeenAnnotation
from annotation.releases.files.work_export import work_lines
from tests.annotation.label_studio.test_label_studio import forget_everything, printed
from tests.annotation.merging_helpers import OTHERWISE, annotated_by, merge
from tests.annotation.tags.test_api_annotations import Notebook

pytestmark = pytest.mark.django_db
OWN = {"valid_comment": Choice(written=("Both years are sourced.",)), "confidence": Choice(taken=1)}


@pytest.fixture
def both(annotator, other_annotator) -> list[Annotation]:
    return annotated_by(annotator, other_annotator)


# --- The API -------------------------------------------------------------------------------------------------------


def test_a_program_compares_and_merges(both, reviewer):
    rita, address = Notebook(reviewer), f"reviews/{both[0].pk}/merge/"
    read = rita.get(address).json()
    assert [each["annotator"] for each in read["annotations"]] == ["anna", "ansel"]
    assert SeenAnnotation.objects.filter(person=reviewer).count() == 2
    differing = [part for part in read["parts"] if not part["agree"]]
    confidence = next(part for part in differing if part["name"] == "confidence")
    assert confidence["values"] == [["5"], ["3"]]
    choices = {part["name"]: {"take": both[0].pk} for part in differing}
    choices |= {"confidence": {"take": both[1].pk}, "question1": {"write": ["Was it open in 1900?", "No", "Yes"]}}
    body = {"seen_versions": {str(each["id"]): each["version"] for each in read["annotations"]}, "choices": choices}
    made = rita.post(address, body).json()
    assert (made["state"], made["annotator"], made["merged_by"]) == ("accepted", None, "rita")
    assert (made["content"]["confidence"], made["content"]["question1"]) == ("3", "Was it open in 1900?")
    fields = {each["field"]: each["annotations"] for each in made["contributions"]}
    assert (fields["confidence"], fields["question1"]) == ([both[1].pk], [])
    assert rita.get(f"reviews/{both[0].pk}/").json()["review_state"] == "merged"
    assert rita.get(f"reviews/{both[0].pk}/").json()["contributions"] == []
    assert rita.post(address, body).status_code == 409


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"choices": {}}, 400),
        ({"choices": {"confidence": {}}}, 400),
        ({"choices": {"confidence": {"take": 1, "write": ["3"]}}}, 400),
        ({"choices": {"confidence": {"take": 10**9}}}, 400),
        ({"choices": {"question1": {"write": [1, 2, 3]}}}, 400),
        ({"choices": {"confidence": {"write": [["3"]]}}}, 400),
        ({"choices": {"confidence": {"write": [{"a": None}]}}}, 400),
        ({"choices": {"Contradict type I": {"write": ["DATE"]}}}, 400),
        ({"choices": {"nonsense": {"take": 1}}}, 400),
        ({"seen_versions": {"x": 1}}, 400),
        ({"seen_versions": {}}, 409),
    ],
)
def test_a_program_that_errs_is_told_and_changes_nothing(both, reviewer, changes, status):
    versions = {str(each.pk): each.version for each in both}
    body = {"seen_versions": versions, "choices": {}} | changes
    response = Notebook(reviewer).post(f"reviews/{both[0].pk}/merge/", body)
    assert response.status_code == status, response.text
    assert Annotation.objects.count() == 2


def test_a_program_of_an_annotator_learns_nothing(both, annotator, reviewer):
    annotator.groups.add(*reviewer.groups.all())
    anna = Notebook(annotator)
    assert anna.get(f"reviews/{both[1].pk}/merge/").status_code == 404
    assert anna.get(f"reviews/{both[0].pk}/merge/").status_code == 403


# --- Files ---------------------------------------------------------------------------------------------------------


def test_the_export_of_the_work_says_what_each_field_was_made_of(both, reviewer):
    made = merge(both, reviewer, but=OWN)
    records = {each["annotation"]: each for each in map(json.loads, work_lines())}
    assert set(records) == {*(each.pk for each in both), made.pk}
    fields = {each["field"]: each["annotations"] for each in records[made.pk]["merged_from"]}
    assert (fields["confidence"], fields["valid_comment"]) == ([both[1].pk], [])
    assert fields["question1_answer1"] == [each.pk for each in both]
    assert records[both[0].pk]["merged_from"] == []


def test_the_paper_s_record_is_that_of_the_merge(both, reviewer, tmp_path):
    merge(both, reviewer, but=OWN)
    call_command("export_annotations", output=tmp_path / "now.json")
    (record,) = json.loads((tmp_path / "now.json").read_text())
    assert "Both years are sourced." in json.dumps(record)
    assert OWN["confidence"].taken == 1
    assert OTHERWISE["confidence"] in json.dumps(record["annotationResult"])


def test_label_studio_gets_all_three_and_the_merge_is_its_ground_truth(both, reviewer, tmp_path):
    merge(both, reviewer, but=OWN)
    path = tmp_path / "tasks.json"
    call_command("export_label_studio", output=path)
    (task,) = json.loads(path.read_text())
    assert [each["ground_truth"] for each in task["annotations"]] == [False, False, True]
    assert "completed_by" not in task["annotations"][2]
    assert printed("import_label_studio", str(path)).startswith("Nothing changed")
    Contribution.objects.all().delete()
    forget_everything()
    printed("import_label_studio", str(path), "--accept-ground-truth")
    back = Annotation.objects.accepted().get()
    assert (back.annotator, back.valid_comment) == (None, "Both years are sourced.")
    assert Annotation.objects.filter(state="submitted").count() == 2


def test_a_merge_that_was_reconsidered_waits_in_the_queue(both, reviewer):
    made = merge(both, reviewer, but=OWN)
    reconsider_annotation(annotation=made, reviewer=reviewer, reason="Too hasty.")
    listed = Notebook(reviewer).get("reviews/").json()["results"]
    assert {each["id"] for each in listed} == {made.pk, *(each.pk for each in both)}
