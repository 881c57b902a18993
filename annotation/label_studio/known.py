"""The existing tags of imported tasks, with the existing work on them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.models import User

from ..content.fields import Content
from ..content.paper_record import RESULT
from ..content.rows import content_of
from ..desk.visibility import with_blindness
from ..models import Annotation, AnnotationState, Assignment, Skip, Tag
from ..releases.files.imported_rows import identity_of
from .tasks import Task


@dataclass(slots=True)
class Here:
    """An existing annotation: the record that it was imported as, "" if none, and its content, unless that is one of
    the file's records. For one earlier in the file, a digest of its content.
    """

    record: str = ""
    content: Content | None = None
    digest: bytes = b""


@dataclass(slots=True)
class TagHere:
    """A tag, with its key once it is in the database."""

    pk: int | None = None
    is_new: bool = True
    is_blind: bool = False
    is_accepted: bool = False
    priority: int = 0
    by_person: dict[int, Here] = field(default_factory=dict)
    nobodys: list[Here] = field(default_factory=list)
    skipped: set[int] = field(default_factory=set)
    # Of its assignments: who has one, the free ones, and all numbers.
    holders: set[int] = field(default_factory=set)
    free: list[int] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    # The people whose work is in the file, and whether it is done.
    taken: list[tuple[int | None, bool]] = field(default_factory=list)


class KnownTags:
    """The known tags: `look_up` reads existing data for some tasks; `planned` are the tags that the file changes."""

    def __init__(self, reader: User | None):
        self.reader = reader
        self.planned: dict[bytes, TagHere] = {}
        self.alike: dict[tuple[str, ...], list[TagHere]] = {}

    def find(self, ref: bytes, identity: tuple[str, ...], occurrence: int) -> TagHere:
        """The tag, or a new one."""
        if ref in self.planned:
            return self.planned[ref]
        alike = self.alike.get(identity, [])
        return alike[occurrence] if occurrence < len(alike) else TagHere()

    def look_up(self, tasks: Sequence[Task]) -> None:
        found = Tag.objects.filter(
            article__title__in={task.record["title"] for task in tasks}, check_tag=None
        ).order_by("pk")
        names = ("pk", "is_blind", "priority", "article__title", "article__url", "raw", "paragraph")
        self.alike, tags = {}, {}
        wanted = {identity_of(task.record) for task in tasks}
        for pk, is_blind, priority, *identity in with_blindness(found, self.reader).values_list(*names):
            if tuple(identity) in wanted:
                tags[pk] = TagHere(pk, is_new=False, is_blind=is_blind, priority=priority)
                self.alike.setdefault(tuple(identity), []).append(tags[pk])
        if tags:
            self.read_work(tags, tasks)

    def read_work(self, tags: dict[int, TagHere], tasks: Sequence[Task]) -> None:
        coming = {json.dumps(task.record | {RESULT: work.result}) for task in tasks for work in task.works}
        others: list[int] = []
        heres: dict[int, Here] = {}
        rows = Annotation.objects.filter(tag__in=tags).values_list(
            "pk", "tag", "annotator", "state", "imported_record"
        )
        for pk, tag, annotator, state, record in rows:
            heres[pk] = here = Here(record)
            tags[tag].is_accepted |= state == AnnotationState.ACCEPTED
            if annotator is None:
                tags[tag].nobodys.append(here)
            else:
                tags[tag].by_person[annotator] = here
            if record not in coming:
                others.append(pk)
        for annotation in Annotation.objects.filter(pk__in=others).with_parts():
            heres[annotation.pk].content = content_of(annotation)
        for tag, person in Skip.objects.filter(tag__in=tags).values_list("tag", "annotator"):
            tags[tag].skipped.add(person)
        self.read_assignments(tags)

    def read_assignments(self, tags: dict[int, TagHere]) -> None:
        rows = Assignment.objects.filter(tag__in=tags).order_by("number")
        for pk, tag, number, annotator, done_at in rows.values_list("pk", "tag", "number", "annotator", "done_at"):
            tags[tag].numbers.add(number)
            if annotator is not None:
                tags[tag].holders.add(annotator)
            elif done_at is None:
                tags[tag].free.append(pk)
