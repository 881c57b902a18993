"""A release is numbered, hashed, and stays what it was."""

import csv
import hashlib
import io
import json
import threading

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from annotation.content.instances import Conflict
from annotation.models import (
    Annotation,
    AnnotationState,
    Instance,
    Release,
    ReleasedInstance,
    ReleasedRecord,
    Validity,
)
from annotation.releases import freezing
from annotation.releases.files.imports import import_records
from annotation.releases.files.writing import content_hash_of
from annotation.releases.freezing import changes_between, create_release, snapshot_now, snapshot_of
from core.models import Event
from core.refusals import Refusal
from tests.annotation.releases.test_import_annotations import record, result
from tests.conftest import make_person
from tests.factories import AnnotationFactory
from tests.untriggered import without_triggers


def printed(*arguments, **options) -> str:
    output = io.StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


def ids_of(number: int) -> dict[str, str]:
    """Question to question_ID, as the CSV of the release has them."""
    rows = csv.DictReader(io.StringIO(printed("export_release", format="csv", release=number)))
    return {row["question"]: row["question_ID"] for row in rows}


@pytest.mark.django_db
def test_a_release_stays_as_it_was_when_the_annotation_is_edited(admin):
    annotation = AnnotationFactory()
    release = create_release(name="First", notes="  all of it ", admin=admin)
    assert (release.number, release.notes, release.created_by) == (1, "all of it", admin)
    before = {kind: printed("export_release", format=kind, release=1) for kind in ("json", "csv", "jsonl")}
    annotation.questions.update(text="Something else?")
    annotation.passages.update(text="Rewritten.")
    Annotation.objects.update(validity=Validity.INVALID)
    after = {kind: printed("export_release", format=kind, release=1) for kind in ("json", "csv", "jsonl")}
    assert after == before
    assert "is what was frozen" in printed("verify_release", "1")


@pytest.mark.django_db
def test_anyone_can_compute_the_content_hash_from_the_files(admin):
    AnnotationFactory.create_batch(3)
    release = create_release(name="First", admin=admin)
    lines = printed("export_release", format="jsonl", release=1)
    assert hashlib.sha256(lines.encode()).hexdigest() == release.content_hash
    records = [json.loads(line)["record"] for line in lines.splitlines() if line.startswith('{"record"')]
    assert records == json.loads(printed("export_release", format="json", release=1))
    assert [json.loads(line)["instance"]["question_ID"] for line in lines.splitlines()[3:]] == [1, 2, 3]


@pytest.mark.django_db
def test_a_question_that_did_not_change_keeps_its_number_and_its_row(admin):
    one, two, three = (AnnotationFactory() for _ in range(3))
    create_release(name="First", admin=admin)
    first = ids_of(1)
    assert sorted(first.values()) == ["1", "2", "3"]
    two.questions.update(answer_1="from 1904")
    Annotation.objects.filter(pk=three.pk).update(state=AnnotationState.EXCLUDED, review_message="ambiguous")
    four = AnnotationFactory()
    create_release(name="Second", admin=admin)
    text = {annotation: annotation.questions.get().text for annotation in (one, two, three, four)}
    assert ids_of(2) == {text[one]: first[text[one]], text[two]: "4", text[four]: "5"}
    assert Instance.objects.count() == 5
    # A question that comes back in its old words is the old instance again.
    two.questions.update(answer_1="from 1903")
    Annotation.objects.filter(pk=three.pk).update(state=AnnotationState.ACCEPTED)
    create_release(name="Third", admin=admin)
    assert ids_of(3) == first | {text[four]: "5"}
    assert Instance.objects.count() == 5


@pytest.mark.django_db
def test_the_changelog_tells_what_is_new_gone_and_changed(admin):
    kept, changed, removed = (AnnotationFactory() for _ in range(3))
    first = create_release(name="First", admin=admin)
    Annotation.objects.filter(pk=changed.pk).update(contradict_comment="Clearer now.")
    Annotation.objects.filter(pk=removed.pk).update(state=AnnotationState.EXCLUDED, review_message="ambiguous")
    added = AnnotationFactory()
    changes = changes_between(snapshot_of(first), snapshot_now())
    second = create_release(name="Second", admin=admin)
    assert changes_between(snapshot_of(first), snapshot_of(second)) == changes
    assert changes.tags_added == [added.tag.article.title]
    assert changes.tags_removed == [removed.tag.article.title]
    assert changes.tags_changed == [changed.tag.article.title]
    # A comment is in the record, but no part of the instance.
    assert (changes.instances_added, changes.instances_removed, changes.instances_kept) == (1, 1, 2)
    assert changes.tags_kept == 1
    assert kept.tag.article.title not in [*changes.tags_added, *changes.tags_changed]


@pytest.mark.django_db
def test_nothing_accepted_makes_no_release(admin):
    AnnotationFactory(state="submitted")
    with pytest.raises(Refusal, match="no accepted annotation"):
        create_release(name="First", admin=admin)


@pytest.mark.django_db
def test_the_same_again_makes_no_release(admin):
    AnnotationFactory()
    create_release(name="First", admin=admin)
    with pytest.raises(Refusal, match="Nothing changed since release 1"):
        create_release(name="Second", admin=admin)
    assert Release.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "  ", "x" * 101])
def test_a_release_needs_a_name(name, admin):
    AnnotationFactory()
    with pytest.raises(Refusal, match="name"):
        create_release(name=name, admin=admin)


@pytest.mark.django_db
def test_invalid_tags_are_released_without_instances(admin):
    AnnotationFactory(validity=Validity.INVALID, valid_comment="Not one.")
    release = create_release(name="First", admin=admin)
    assert (release.records.count(), release.instances.count()) == (1, 0)


@pytest.mark.django_db
def test_questions_alike_in_everything_are_instances_of_their_own(admin):
    twice = result(
        question2="When was the bridge open?", question2_answer1="from 1903", question2_answer2="until 1899"
    )
    import_records(io.BytesIO(json.dumps([record(annotationResult=twice), record(annotationResult=twice)]).encode()))
    release = create_release(name="First", admin=admin)
    assert release.instances.count() == 4
    assert content_hash_of(release) == release.content_hash
    with pytest.raises(Refusal, match="Nothing changed"):
        create_release(name="Second", admin=admin)


@pytest.mark.django_db
def test_an_instance_knows_the_question_it_came_from(admin):
    annotation = AnnotationFactory()
    create_release(name="First", admin=admin)
    instance = Instance.objects.get()
    assert instance.tag == annotation.tag
    assert instance.question_id == annotation.questions.get().pk
    conflict = Conflict.of(instance)
    assert (conflict.reasoning_type, conflict.semantic_types, conflict.origin) == ("IMP", ["DATE"], "SAME")


@pytest.mark.django_db
def test_a_release_keeps_how_it_was_made_and_is_in_the_log(admin, annotator, reviewer):
    AnnotationFactory(annotator=annotator, reviewed_by=reviewer)
    AnnotationFactory(annotator=annotator, tag=AnnotationFactory(state="submitted").tag)
    release = create_release(name="First", admin=admin)
    event = Event.objects.about(release).get()
    assert event.actor == admin
    assert event.after == {"number": 1, "content_hash": release.content_hash}
    release.refresh_from_db()
    counted = {"annotators": 1, "reviewers": 1, "imported": 0, "annotated_twice": 1, "merged": 0}
    assert counted.items() <= release.how_made.items()
    assert release.how_made["sources"] == []
    assert release.how_made["making"]["left_out"] == {"submitted": 1}


@pytest.mark.django_db
def test_what_was_tampered_with_is_found(admin):
    AnnotationFactory.create_batch(2)
    create_release(name="First", admin=admin)
    with without_triggers("annotation_releasedinstance"):
        ReleasedInstance.objects.filter(number=2).delete()
    with pytest.raises(CommandError, match="differs from what was frozen"):
        call_command("verify_release", "1")


@pytest.mark.django_db
def test_a_number_is_given_once(admin):
    AnnotationFactory()
    create_release(name="First", admin=admin)
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.create(number=1, benchmark="wikicontradict", name="Other", content_hash="x")


@pytest.mark.django_db
def test_a_failure_half_way_leaves_nothing(admin, monkeypatch):
    AnnotationFactory()

    def fail(*args, **kwargs):
        assert ReleasedInstance.everything.exists()
        raise RuntimeError("power cut")

    monkeypatch.setattr(freezing.Event, "record", fail)
    with pytest.raises(RuntimeError):
        create_release(name="First", admin=admin)
    assert not Release.objects.exists()
    assert not ReleasedRecord.objects.exists()
    assert not Instance.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_admins_at_once_make_one_release_of_the_same_content():
    if connection.vendor == "sqlite":
        pytest.skip("threads share no SQLite database in memory; its write lock serialises releases")
    AnnotationFactory.create_batch(3)
    admins = [make_person(f"admin{number}", "admin") for number in range(2)]
    said: list[str] = []
    start = threading.Barrier(2)

    def release(person):
        start.wait()
        try:
            said.append(f"release {create_release(name=person.username, admin=person).number}")
        except Refusal as refusal:
            said.append(refusal.message)
        finally:
            connection.close()

    threads = [threading.Thread(target=release, args=(person,)) for person in admins]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Release.objects.count() == 1
    assert sorted(message.startswith("release 1") for message in said) == [False, True]
