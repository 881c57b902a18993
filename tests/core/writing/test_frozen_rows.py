"""The database refuses to change what is released or logged, whoever writes."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import TextField
from django.utils.timezone import now

from annotation.models import (
    Annotation,
    AnnotationAction,
    Evidence,
    EvidenceKind,
    EvidencePage,
    Instance,
    Release,
    ReleasedInstance,
    Rendering,
)
from annotation.releases.freezing import create_release
from core.models import Batch, Event
from core.sealing.sealing import seal_new_entries
from core.writing.batches import clear_dead_batches
from tests.factories import AnnotationFactory, TagFactory
from tests.factories.judging import make_instance, make_release


@pytest.mark.django_db
def test_a_released_instance_never_changes():
    instance = make_instance(question="When?")
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Instance.objects.filter(pk=instance.pk).update(question="Who?")
    assert Instance.objects.get(pk=instance.pk).question == "When?"


@pytest.mark.django_db
def test_a_logged_event_never_changes():
    event = Event.record(AnnotationAction.FLAGGED, TagFactory(), message="unclear")
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Event.objects.filter(pk=event.pk).update(message="")


@pytest.mark.django_db
def test_a_logged_event_is_never_deleted():
    event = Event.record(AnnotationAction.FLAGGED, TagFactory(), message="unclear")
    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic():
        Event.objects.filter(pk=event.pk).delete()
    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM core_event")
    assert Event.objects.filter(pk=event.pk).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("core_event", "id"),
        ("core_seal", "position"),
        ("core_seal", "event_id"),
        ("annotation_release", "id"),
        ("annotation_releasedinstance", "id"),
        ("annotation_instance", "id"),
    ],
)
def test_no_row_is_replaced(table, key):
    """SQLite's REPLACE deletes the row before, without running triggers of deletions."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has no REPLACE.")
    make_release(1)
    Event.record(AnnotationAction.FLAGGED, TagFactory())
    seal_new_entries()
    with connection.cursor() as cursor:
        before = cursor.execute(f"SELECT * FROM {table}").fetchall()
        names = [f'"{each[0]}"' for each in cursor.description]
        values = ["900 + position" if name == '"position"' and key == "event_id" else name for name in names]
        with pytest.raises(DatabaseError, match="never"), transaction.atomic():
            cursor.execute(
                f"REPLACE INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {table} LIMIT 1"
            )
        assert cursor.execute(f"SELECT * FROM {table}").fetchall() == before != []


@pytest.mark.django_db(transaction=True)
def test_the_log_is_never_emptied():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE.")
    Event.record(AnnotationAction.FLAGGED, TagFactory())
    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE core_event CASCADE")
    assert Event.objects.exists()


RELEASED = {
    "annotation_release": "releases are never deleted",
    "annotation_releasedrecord": "records of a release are never deleted",
    "annotation_releasedinstance": "instances never leave a release",
    "annotation_instance": "released instances are never deleted",
}


@pytest.mark.django_db
@pytest.mark.parametrize(("table", "refusal"), RELEASED.items())
def test_what_is_released_is_never_deleted(admin, table, refusal):
    AnnotationFactory()
    create_release(name="First", admin=admin)
    with connection.cursor() as cursor:
        with pytest.raises(DatabaseError, match=refusal), transaction.atomic():
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute(f"SELECT COUNT(*) FROM {table}")
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", RELEASED)
def test_no_table_of_releases_is_emptied(table):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE.")
    make_release(1)
    with pytest.raises(DatabaseError, match="never"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {table} CASCADE")


@pytest.mark.django_db
def test_instances_of_no_release_and_rows_of_an_import_that_died_are_deleted():
    instance, died = make_instance(), Batch.objects.create(what="a", alive_until=now())
    values = {"number": 1, "benchmark": "wikicontradict", "name": "First", "content_hash": 64 * "0"}
    release = Release.everything.create(batch=died, **values)
    ReleasedInstance.everything.create(batch=died, release=release, number=1, instance=instance)
    clear_dead_batches()
    assert not Release.everything.exists()
    assert instance.delete()[0] == 1


@pytest.mark.django_db
def test_events_of_an_import_that_died_are_cleared_and_those_of_a_finished_one_are_kept():
    tag, died = TagFactory(), Batch.objects.create(what="a", alive_until=now())
    event = Event.record(AnnotationAction.FLAGGED, tag)
    columns = {field.attname: getattr(event, field.attname) for field in Event._meta.concrete_fields}
    columns.pop("id")
    Event.everything.create(**columns | {"batch_id": died.pk})
    clear_dead_batches()
    assert not Event.everything.filter(batch=died).exists()
    finished = Batch.objects.create(what="b", alive_until=now(), is_open=False)
    kept = Event.everything.create(**columns | {"batch_id": finished.pk})
    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic():
        kept.delete()


@pytest.mark.django_db
def test_evidence_never_changes():
    made = {"kind": EvidenceKind.TALK, "rendering": Rendering.WIKITEXT, "title": "Talk:Bridge"}
    evidence = Evidence.objects.create(tag=TagFactory(), page=EvidencePage.of("<p>1903</p>"), **made)
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Evidence.objects.filter(pk=evidence.pk).update(marks=[[0, "x"]])
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        EvidencePage.objects.update(html="")


@pytest.mark.django_db(transaction=True)
def test_a_table_with_one_more_column_keeps_its_triggers():
    note = TextField(default="")
    note.set_attributes_from_name("note")
    for model in (Annotation, Event):
        for change in ("add_field", "remove_field"):
            with connection.schema_editor() as editor:
                getattr(editor, change)(model, note)
    annotation = AnnotationFactory()
    annotation.tag.priority = 7
    annotation.tag.save()
    annotation.refresh_from_db()
    assert annotation.priority == 7
    event = Event.record(AnnotationAction.FLAGGED, annotation.tag)
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        Event.objects.filter(pk=event.pk).update(message="unclear")
