"""Records readings of a release: reading counts as having seen its annotations, and is refused to people who must not
know them.

This app does not know who judges; the app above registers that when it starts.
"""

from collections.abc import Collection, Iterable
from typing import Protocol

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.engine.writing.pieces import in_chunks
from core.models import User

from ..desk.visibility import NOTED_AT_ONCE, note_seen
from ..models import Annotation, AnnotationState, Instance, Release, ReleasedRecord, SeenAnnotation


class Refuse(Protocol):
    def __call__(self, reader: User, release: Release, /) -> None:
        """Called before a person is shown instances of a release, of any benchmark.

        Raises:
            Refusal: if they must not read them now, with the reason.
        """


class Note(Protocol):
    def __call__(self, reader: User, groups: set[str], /) -> None:
        """Record that a person is shown instances of these groups (`Instance.group`). Called outside of transactions,
        each time: recording it again must change nothing.
        """


_refuse: list[Refuse] = []
# By the benchmark of the instances.
_note: dict[str, Note] = {}


def register(benchmark: str, *, refuse: Refuse, note: Note | None = None) -> None:
    """Register `refuse`, called before a person is shown instances of a release, and perhaps `note`, called when they
    are shown some of this benchmark.
    """
    if refuse not in _refuse:
        _refuse.append(refuse)
    if note:
        _note[benchmark] = note


def refuse_release(release: Release, *, reader: User) -> None:
    """Raises Refusal if this person must not read the instances of the release."""
    for refuse in _refuse:
        refuse(reader, release)


def note_release_read(release: Release, *, reader: User) -> None:
    """Record that this person reads the whole release. Raises Refusal if they must not. Written in pieces, so do not
    call it in a transaction.
    """
    refuse_release(release, reader=reader)
    annotations = ReleasedRecord.objects.filter(release=release).order_by().values_list("annotation", flat=True)
    for some in in_chunks(list(annotations), NOTED_AT_ONCE):
        note_seen(some, reader=reader)
    if release.benchmark in _note:
        groups = release.instances.order_by().values_list("group", flat=True).distinct()
        _note[release.benchmark](reader, set(groups))


def note_instances_read(instances: Iterable[Instance], *, reader: User) -> None:
    """Record that this person is shown these instances, and with them accepted or released text about their tags. One
    query if that is recorded already, and none for instances without a tag, unless a benchmark records its own
    readings.
    """
    shown = list(instances)
    for benchmark, note in _note.items():
        if groups := {each.group for each in shown if each.benchmark == benchmark}:
            note(reader, groups)
    tags = {each.tag_id for each in shown if each.tag_id is not None}
    if not tags:
        return
    new = _others_not_seen(tags, reader).values_list("pk", flat=True)
    SeenAnnotation.objects.bulk_create(
        [SeenAnnotation(annotation_id=pk, person=reader) for pk in new], ignore_conflicts=True
    )


def _others_not_seen(tags: Collection[int], reader: User) -> QuerySet[Annotation]:
    released = Exists(ReleasedRecord.objects.filter(annotation=OuterRef("pk")))
    seen = SeenAnnotation.objects.filter(annotation=OuterRef("pk"), person=reader)
    found = Annotation.objects.filter(tag__in=tags).exclude(annotator=reader)
    found = found.filter(Q(state=AnnotationState.ACCEPTED) | released, ~Exists(seen))
    return found.order_by()
