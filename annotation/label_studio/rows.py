"""The rows of imported tasks: tags, people's annotations, drafts, skips, times, and assignments."""

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.engine.writing.inserts import Insert, insert, keys_for
from core.engine.writing.pieces import in_pieces
from core.engine.writing.updates import update_each
from core.languages import say
from core.models import Batch, Project, User
from core.refusals import Refusal
from core.writing.batches import Writing, before_clearing

from ..content.fields import Content
from ..content.paper_record import RESULT, Record, content_of_result
from ..content.rows import columns_of
from ..desk.assignments.assignment import FREE
from ..desk.drafts.time import NO_STEP
from ..models import Annotation, AnnotationState, Assignment, DraftSave, SeenAnnotation, Skip, StepTime, Tag
from ..releases.files.imported_rows import Articles, content_rows, imported_event, tag_row
from .known import TagHere
from .tasks import Kind, Work

PAGE = "Label Studio"
SKIP_REASON = "Skipped in Label Studio."


@dataclass(slots=True)
class NewWork:
    """New work: its content, its person here, and the state of its annotation."""

    work: Work
    person: int | None
    state: AnnotationState

    @property
    def has_annotation(self) -> bool:
        """Return whether it is more than a skip without text."""
        return self.work.kind != Kind.SKIPPED or bool(self.work.result)


@dataclass(slots=True)
class New:
    """The additions of a task; `is_new_tag` if its tag has to be created."""

    ref: bytes
    record: Record
    occurrence: int
    is_new_tag: bool
    works: list[NewWork]


class DraftOf(NamedTuple):
    """An annotation's key and that of its draft."""

    pk: int
    draft_id: int


class Fill(NamedTuple):
    """A free assignment, and its new owner: nobody, if the annotation belongs to nobody."""

    pk: int
    person: int | None
    is_done: bool


class Rows:
    def __init__(self, admin: User | None):
        self.admin = admin.pk if admin else None
        self.articles = Articles()
        self.drafts: list[DraftOf] = []
        self.fills: list[Fill] = []
        # Written with the step that shows the rest: no batch would delete them.
        self.skips: list[Insert] = []

    def of(self, planned: list[New], tags: Mapping[bytes, TagHere]) -> Iterator[Insert]:
        """The rows of these tasks; new tags have their keys afterwards."""
        made = [new for new in planned if new.is_new_tag]
        works = [(new, each) for new in planned for each in new.works]
        annotated = sum(each.has_annotation for _, each in works)
        drafts = sum(each.has_annotation and each.state == AnnotationState.DRAFT for _, each in works)
        keys = keys_for({Tag: len(made), Annotation: annotated, DraftSave: drafts})
        yield from self.articles.rows([new.record for new in made])
        for new in made:
            tags[new.ref].pk = next(keys[Tag])
            yield self.tag_row(new, tags[new.ref])
        for new, each in works:
            tag = tags[new.ref].pk or 0
            if each.work.kind == Kind.SKIPPED:
                at = _not_later_than_now(each.work.saved)
                self.skips.append(Insert.of(Skip, tag_id=tag, annotator_id=each.person, reason=SKIP_REASON, at=at))
            if each.has_annotation:
                draft = next(keys[DraftSave]) if each.state == AnnotationState.DRAFT else None
                yield from self.annotation_rows(next(keys[Annotation]), draft, tag, new.record, each)

    def tag_row(self, new: New, tag: TagHere) -> Insert:
        is_task = all(each.state != AnnotationState.ACCEPTED for each in new.works)
        article = self.articles.of(new.record)
        return tag_row(tag.pk or 0, new.record, article=article, occurrence=new.occurrence, is_task=is_task)

    def annotation_rows(
        self, key: int, draft: int | None, tag: int, record: Record, new: NewWork
    ) -> Iterator[Insert]:
        work, content = new.work, content_of_result(new.work.result)
        saved = _not_later_than_now(work.saved)
        begun = min(_not_later_than_now(work.begun), saved)
        columns = columns_of(content) if draft is None else {"version": 1}
        yield Insert.of(
            Annotation,
            id=key,
            tag_id=tag,
            annotator_id=new.person,
            state=new.state.value,
            created_at=begun,
            saved_at=saved,
            submitted_at=None if draft else saved,
            imported_record=json.dumps(record | {RESULT: work.result}),
            kept_aside=work.aside,
            **columns,
            **self.reviewed(new.state),
        )
        if draft is None:
            yield from content_rows(key, content)
        else:
            yield _draft_row(draft, key, content, saved)
            self.drafts.append(DraftOf(key, draft))
        if work.seconds:
            counted = {"page": PAGE, "step": NO_STEP, "seconds": work.seconds, "last_at": saved}
            yield Insert.of(StepTime, annotation_id=key, **counted)
        if self.admin is not None and self.admin != new.person:
            yield Insert.of(SeenAnnotation, annotation_id=key, person_id=self.admin, at=timezone.now())
        yield imported_event(key, new.state, self.admin)

    def reviewed(self, state: AnnotationState) -> dict[str, object]:
        if state != AnnotationState.ACCEPTED:
            return {}
        return {"reviewed_by_id": self.admin, "reviewed_at": timezone.now()}

    # --- When all tags have their keys --------------------------------------------------------------------------

    def write_more(self, writing: Writing, tags: Mapping[bytes, TagHere]) -> None:
        writing.write(self.drafts, lambda piece: update_each(Annotation, ["draft_id"], piece))
        needed = Project.get().annotations_per_tag
        writing.create(row for tag in tags.values() for row in self.assignments(tag, needed))
        writing.write(self.fills, _fill)

    def at_last(self) -> None:
        insert(self.skips)

    def assignments(self, tag: TagHere, needed: int) -> Iterator[Insert]:
        """The assignments that the tag gets besides its free ones. An accepted annotation needs no more."""
        free, now = list(tag.free), timezone.now()
        unused = (number for number in range(1, len(tag.numbers) + len(tag.taken) + needed + 1))
        numbers = (number for number in unused if number not in tag.numbers)
        for person, is_done in tag.taken:
            if free:
                self.fills.append(Fill(free.pop(0), person, is_done))
            else:
                yield _assignment(tag, next(numbers), person, now if is_done else None, now)
        if tag.is_accepted:
            self.fills += [Fill(pk, None, True) for pk in free]
        elif tag.is_new:
            for _ in range(needed - len(tag.taken)):
                yield _assignment(tag, next(numbers), None, None, now)


def _draft_row(key: int, annotation: int, content: Content, at: datetime) -> Insert:
    values = {"base_version": 0, "version": 1, "content": content, "saved_at": at}
    return Insert.of(DraftSave, id=key, annotation_id=annotation, operation=uuid.uuid4(), **values)


def _assignment(tag: TagHere, number: int, person: int | None, done: datetime | None, now: datetime) -> Insert:
    claimed = {"annotator_id": person, "claimed_at": now} if person else {}
    return Insert.of(Assignment, tag_id=tag.pk, priority=tag.priority, number=number, done_at=done, **claimed)


def _fill(fills: list[Fill]) -> None:
    """Give these assignments to their people, if they are still free. Call it in a transaction."""
    now = timezone.now()
    by_values: dict[tuple[int | None, bool], list[int]] = {}
    for each in fills:
        by_values.setdefault((each.person, each.is_done), []).append(each.pk)
    for (person, is_done), keys in by_values.items():
        values = {"annotator_id": person, "claimed_at": now if person else None, "done_at": now if is_done else None}
        free = Assignment.objects.filter(pk__in=keys, annotator=None, done_at=None)
        if free.update(**values) != len(keys):
            raise Refusal(
                say(
                    "An annotator began work on a tag of the file at the same moment. Nothing was written: check the "
                    "file again."
                )
            )


def _hand_back(batch: Batch) -> None:
    """Undo an abandoned import: free the assignments that it gave to people."""
    theirs = Annotation.everything.filter(batch=batch, tag=OuterRef("tag"), annotator=OuterRef("annotator"))
    given = Assignment.everything.filter(Exists(theirs)).exclude(batch=batch)

    def free(piece: list[int]) -> None:
        Assignment.objects.filter(pk__in=piece).update(done_at=None, **FREE)

    in_pieces(list(given.values_list("pk", flat=True)), free)


before_clearing.append(_hand_back)


def _not_later_than_now(at: datetime | None) -> datetime:
    now = timezone.now()
    return min(at, now) if at else now
