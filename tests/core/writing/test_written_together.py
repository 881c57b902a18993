"""Imports and releases are written in pieces: others write meanwhile, nobody sees half of it, and half is cleared."""

import io
import json
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import (
    Annotation,
    Assignment,
    Instance,
    Passage,
    Release,
    ReleasedInstance,
    ReleasedRecord,
    Tag,
)
from annotation.releases.files.imports import import_records
from annotation.releases.files.writing import content_hash_of
from annotation.releases.freezing import create_release
from annotation.tasks import clear_dead_batches
from core.engine.writing import statistics
from core.engine.writing.inserts import Insert, give_keys, insert
from core.models import Batch, Event, User
from core.refusals import Refusal
from tests.annotation.releases.test_import_annotations import record
from tests.interleaving.pieces import PIECE, Killed

MANY = 35


def records(*, tasks: bool = False) -> list[dict]:
    without = {"annotationResult": None} if tasks else {}
    return [record(title=f"Bridge {number}", **without) for number in range(MANY)]


def bring_in(found: list[dict], **values):
    return import_records(io.BytesIO(json.dumps(found).encode()), **values)


def lapse() -> None:
    Batch.objects.filter(is_open=True).update(alive_until=timezone.now() - timedelta(seconds=1))


def there() -> list[int]:
    return [model.objects.count() for model in (Tag, Annotation, Assignment, Release, ReleasedRecord)]


def really_there() -> list[int]:
    models = (Tag, Annotation, Assignment, Release, ReleasedRecord, ReleasedInstance)
    return [*(model.everything.count() for model in models), Passage.objects.count()]


@pytest.mark.parametrize("tasks", [False, True])
def test_others_write_while_annotations_come_in_and_see_none_of_them(pauses, sign_in, admin, tasks):
    client = sign_in(admin)
    seen = []

    def look() -> None:
        page = client.get(reverse("tags")).content.decode()
        seen.append((there(), "Bridge 1" in page, Event.objects.filter(action="imported").exists()))

    pauses.count = Tag.everything.count
    pauses.look = look
    result = bring_in(records(tasks=tasks))
    assert (result.annotations, result.tasks) == ((0, MANY) if tasks else (MANY, 0))
    assert max(pauses.grew_by()) <= PIECE
    assert len(seen) > MANY / PIECE
    assert seen == [([0] * 5, False, False)] * len(seen)
    assert there()[:3] == [MANY, 0 if tasks else MANY, MANY]
    assert "Bridge 1" in client.get(reverse("tags")).content.decode()
    assert bring_in(records(tasks=tasks)).there == MANY


def test_an_import_that_was_killed_leaves_nothing_and_can_be_done_again(pauses):
    pauses.kill_at = 12
    with pytest.raises(Killed):
        bring_in(records())
    pauses.kill_at = None
    assert there() == [0] * 5
    assert 0 < really_there()[1] < MANY
    with pytest.raises(Refusal, match="in progress"):
        bring_in(records())  # its process may be alive
    lapse()
    clear_dead_batches()
    assert really_there() == [0] * 7
    assert bring_in(records()).new == MANY
    assert there()[:2] == [MANY, MANY]


def test_tags_that_waited_for_an_annotator_wait_again_where_the_import_is_killed(pauses):
    bring_in(records(tasks=True))
    waiting = set(Assignment.objects.free().values_list("tag", "number"))
    pauses.counts.clear()

    def kill_in_the_midst() -> None:
        if Assignment.objects.free().count() < MANY:
            pauses.kill_at = len(pauses.counts)

    pauses.look = kill_in_the_midst
    with pytest.raises(Killed):
        bring_in(records())
    assert Assignment.objects.free().count() == MANY - PIECE
    pauses.kill_at, pauses.look = None, lambda: None
    lapse()
    clear_dead_batches()
    assert set(Assignment.objects.free().values_list("tag", "number")) == waiting
    assert (Annotation.everything.count(), Tag.objects.count()) == (0, MANY)
    assert bring_in(records()).new == MANY
    assert Assignment.objects.free().count() == 0


def test_others_write_while_a_release_is_made_and_see_none_of_it(pauses, sign_in, admin):
    bring_in(records())
    client = sign_in(admin)
    seen = []
    pauses.counts.clear()
    pauses.count = lambda: (
        sum(m.everything.count() for m in (ReleasedRecord, ReleasedInstance)) + Instance.everything.count()
    )
    pauses.look = lambda: seen.append(
        (there()[3:], "Spans" in client.get(reverse("releases")).content.decode(), latest_is_there())
    )
    release = create_release(name="Spans", admin=admin)
    assert max(pauses.grew_by()) <= PIECE
    assert set(map(repr, seen)) == {repr(([0, 0], False, False))}
    assert (Release.objects.get(), release.records.count()) == (release, MANY)
    assert content_hash_of(release) == release.content_hash
    assert release.released_instances.count() == Instance.objects.count()


def latest_is_there() -> bool:
    from annotation.releases.freezing import latest_release
    from benchmarks.wikicontradict.items import CODE

    return latest_release(CODE) is not None


def test_a_release_that_was_killed_leaves_nothing_and_the_next_is_the_same(pauses, admin):
    bring_in(records())
    pauses.counts.clear()
    pauses.kill_at = 9
    with pytest.raises(Killed):
        create_release(name="Spans", admin=admin)
    pauses.kill_at = None
    assert there()[3:] == [0, 0]
    assert really_there()[3:6] > [0, 0, 0]
    lapse()
    release = create_release(name="Spans", admin=admin)
    assert release.number == 1
    assert list(release.released_instances.values_list("number", flat=True)) == list(
        range(1, release.released_instances.count() + 1)
    )
    assert content_hash_of(release) == release.content_hash
    assert ReleasedRecord.everything.count() == MANY


def test_a_check_writes_nothing(pauses):
    with CaptureQueriesContext(connection) as queries:
        assert bring_in(records(), check_only=True).new == MANY
    assert [each["sql"] for each in queries if not each["sql"].lstrip().upper().startswith("SELECT")] == []


def test_work_that_begins_while_the_import_is_written_is_not_taken_away(pauses, annotator):
    bring_in(records(tasks=True))
    pauses.counts.clear()
    claimed = Assignment.objects.order_by("-pk").first()

    def claim() -> None:
        if len(pauses.counts) == 3:
            now = timezone.now()
            Assignment.objects.filter(pk=claimed.pk).update(annotator=annotator, claimed_at=now)

    pauses.look = claim
    with pytest.raises(Refusal, match="An annotator began work on a tag of the file at the same moment"):
        bring_in(records())
    pauses.look = lambda: None
    assert (Annotation.everything.count(), Assignment.objects.filter(done_at=None).count()) == (0, MANY)
    claimed.refresh_from_db()
    assert claimed.annotator == annotator


@pytest.mark.django_db(transaction=True)
def test_keys_that_are_given_beforehand_are_nobody_elses():
    first, second = User(username="first"), User(username="second")
    give_keys([first, second])
    other = User.objects.create(username="other")
    for person in (first, second):
        person.save(force_insert=True)
    later = User.objects.create(username="later")
    assert len({first.pk, second.pk, other.pk, later.pk}) == 4
    assert User.objects.count() == 4


HARD_TEXTS = [
    "",
    "\\N",
    "\\.",
    "a\tb",
    "a\nb\r\n",
    "back\\slash\\n",
    "“é” 🙂 \u2028",
    "'\"; DROP TABLE",
    "%s %(x)s {}",
]


@pytest.mark.django_db
def test_rows_that_are_inserted_together_hold_what_they_were_given():
    now = timezone.now()
    insert(
        Insert.of(
            Event,
            at=now,
            action=text[:60],
            subject_kind="tag",
            subject_id=number,
            message=text,
            after={text: [text, None]},
        )
        for number, text in enumerate(HARD_TEXTS)
    )
    rows = Event.objects.order_by("subject_id").values_list("action", "message", "before", "after", "actor", "at")
    assert list(rows) == [(text, text, {}, {text: [text, None]}, None, now) for text in HARD_TEXTS]


@pytest.mark.django_db
def test_a_row_that_is_there_already_is_refused_or_left_out():
    def person(name: str) -> Insert:
        return Insert.of(User, username=name, password="", email="")

    insert([person("ada"), person("grace")])
    with pytest.raises(IntegrityError), transaction.atomic():
        insert([person("edith"), person("ada")])
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(person(name) for name in [*map(str, range(20)), "ada"])
    insert([person("edith"), person("ada")], ignore_conflicts=True)
    assert set(User.objects.filter(username__in=["ada", "grace", "edith"]).values_list("username", flat=True)) == {
        "ada",
        "grace",
        "edith",
    }


@pytest.mark.django_db
@pytest.mark.parametrize("many", [1, 1_000])
def test_after_a_large_import_postgresql_knows_how_many_rows_there_are(many, monkeypatch):
    monkeypatch.setattr(statistics, "MANY", many)
    with CaptureQueriesContext(connection) as asked:
        bring_in(records())
    looked = [query["sql"] for query in asked if query["sql"].startswith("ANALYZE")]
    assert len(looked) == (connection.vendor == "postgresql" and many == 1)
    if looked:
        with connection.cursor() as cursor:
            cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'annotation_annotation'")
            assert cursor.fetchone()[0] == MANY
