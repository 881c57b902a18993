"""Imports published records as rows: the whole file or nothing."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO

from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.engine.writing.inserts import Insert, keys_for
from core.engine.writing.pieces import in_pieces
from core.files.imports import FileImport
from core.files.problems import PROBLEMS_SHOWN, Clash, with_title
from core.files.records import digest_of
from core.files.skipping import Skipped
from core.languages import say, say_count
from core.models import Batch, Project, User
from core.refusals import Refusal
from core.words import plural
from core.writing.batches import Writing, before_clearing

from ...content.fields import MAX_QUESTIONS, Content, empty_content
from ...content.instances import instances_of
from ...content.paper_record import RESULT, Record, check_record, content_of_result, without_hints
from ...content.rows import columns_of
from ...desk.visibility import ANNOTATES_IT, with_blindness
from ...models import Annotation, AnnotationState, Assignment, Tag
from ..canonical import accepted_annotations
from .imported_rows import Articles, content_rows, identity_of, imported_event, tag_row


@dataclass(slots=True)
class _New:
    """A record with no row yet, or only a tag that nobody has worked on."""

    record: Record
    occurrence: int
    # The content of the form without empty fields; None if there is no annotation.
    content: Content | None
    tag: int | None


def import_records(
    stream: BinaryIO,
    *,
    admin: User | None = None,
    check_only: bool = False,
    skipped: Skipped | None = None,
    revision: str = "",
) -> "AnnotationImport":
    """Read the paper's JSON into articles, tags and accepted annotations; returns the new ones.

    An existing record changes nothing. With `check_only` nothing is written. Raises Refusal, having written nothing,
    if the file is not valid, if a tag has a different annotation here (people must decide which of the two counts),
    or if the admin annotates a tag: the import's result would reveal the other annotations. With `skipped`, such
    records go there, and the others are imported. `revision` is kept with the file's name and SHA-256 for the
    datasheets of releases.
    """
    how = {"check_only": check_only, "skipped": skipped, "revision": revision}
    return AnnotationImport(actor=admin, **how).bring_in(stream)


class AnnotationImport(FileImport):
    what = "annotations"

    def __init__(self, **values: Any):
        super().__init__(**values)
        self.tasks = self.instances = 0
        # The first records with a part that the form has no field for: kept and exported again, but not turned into
        # an instance.
        self.beyond_ten: list[str] = []
        self.seen: Counter[bytes] = Counter()
        # Tags by title, address, text and paragraph, in order, and what there is of work on them.
        self.known: dict[tuple[str, ...], list[int]] = {}
        self.work = _Work([])
        # Tags whose annotations are hidden from who brings the file.
        self.blind: set[int] = set()
        self.articles = Articles()
        # The tags that waited for an annotator.
        self.waiting: list[int] = []
        # How many tags are new, and the keys of these and of their annotations.
        self.new_tags = 0
        self.keys: dict[Any, Iterator[int]] = {}

    def lines(self) -> Iterator[str]:
        total = self.new + self.there
        if not total:
            yield say("The file holds no records.")
            return
        if self.there == total:
            yield say("Nothing changed: all {total:,} records are already here.", total=total)
            return
        yield say(
            "{records}: {annotations} with {instances}.",
            records=plural(total, "record"),
            annotations=plural(self.annotations, "new annotation"),
            instances=plural(self.instances, "instance"),
        )
        if self.tasks:
            yield say_count(
                self.tasks,
                "{count:,} record without an annotation: its tag waits for annotators.",
                "{count:,} records without an annotation: their tags wait for annotators.",
            )
        if self.there:
            yield say_count(
                self.there,
                "{count:,} was already here and will not change.",
                "{count:,} were already here and will not change.",
            )
        if self.beyond_ten:
            yield say(
                "More than ten questions, of which ten become instances and all are exported again: {records}.",
                records=", ".join(self.beyond_ten),
            )

    @property
    def annotations(self) -> int:
        return self.new - self.tasks

    # --- Planned ------------------------------------------------------------------------------------------------

    def name(self, where: int, record: Any) -> str:
        title = record.get("title") if isinstance(record, dict) else None
        return with_title(say("Record"), where, title)

    def check(self, record: Any) -> None:
        check_record(record)

    def look_up(self, records: Sequence[Record]) -> None:
        found = Tag.objects.filter(
            article__title__in={record["title"] for record in records}, check_tag=None
        ).order_by("pk")
        tags = with_blindness(found, self.actor)
        self.known, self.blind = {}, set()
        names = ("pk", "is_blind", "article__title", "article__url", "raw", "paragraph")
        for pk, is_blind, *identity in tags.values_list(*names):
            self.known.setdefault(tuple(identity), []).append(pk)
            if is_blind:
                self.blind.add(pk)
        here = [pk for alike in self.known.values() for pk in alike]
        self.work = _Work(here)

    def plan(self, where: int, record: Record) -> Iterator[_New]:
        identity = identity_of(record)
        digest = digest_of(identity)
        occurrence, alike = self.seen[digest], self.known.get(identity, [])
        self.seen[digest] += 1
        tag = alike[occurrence] if occurrence < len(alike) else None
        if tag is not None and self.is_here(tag, record):
            self.there += 1
        else:
            self.new_tags += tag is None
            yield _New(record, occurrence, self.counted(where, record), tag)

    def is_here(self, tag: int, record: Record) -> bool:
        """Return whether this record is already here; False if its tag is here but nobody has worked on it.

        Raises Clash if the tag has other work, or is annotated by the person importing the file.
        """
        if record.get(RESULT) is None:
            return True
        if tag in self.blind:
            raise Clash(say("{annotates_it}: another admin has to import this record", annotates_it=ANNOTATES_IT))
        if any(imported and json.loads(imported) == record for imported in self.work.annotations.get(tag, [])):
            return True
        differing: list[str] = []
        if accepted := self.work.accepted.get(tag):
            present, coming = accepted.record(), without_hints(record)
            if present == coming:
                return True
            differing = _differing(present, coming)
        if tag not in self.work.annotations and tag not in self.work.taken:
            return False
        what = say(" and differs in {fields}", fields=", ".join(differing[:8])) if differing else ""
        raise Clash(say("the annotation of this tag is already here or being made{what}", what=what))

    def counted(self, where: int, record: Record) -> Content | None:
        self.new += 1
        result = record.get(RESULT)
        if result is None:
            self.tasks += 1
            return None
        content = content_of_result(result)
        self.instances += len(instances_of(content, title="", url=""))
        if result.get(f"question{MAX_QUESTIONS + 1}") and len(self.beyond_ten) < PROBLEMS_SHOWN:
            self.beyond_ten.append(self.name(where, record))
        return {name: value for name, value in content.items() if value}

    # --- Written ------------------------------------------------------------------------------------------------

    def rows(self, planned: list[_New]) -> Iterator[Insert]:
        self.keys = self.keys or keys_for({Tag: self.new_tags, Annotation: self.annotations})
        self.waiting += [one.tag for one in planned if one.tag]
        yield from self.tag_rows([one for one in planned if one.tag is None])
        annotated = [one for one in planned if one.content is not None]
        yield from _annotation_rows(zip(annotated, self.keys[Annotation], strict=False), self.actor)

    def tag_rows(self, new: list[_New]) -> Iterator[Insert]:
        """The missing tags of records, and their articles; the records have their tags' keys afterwards."""
        yield from self.articles.rows([one.record for one in new])
        needed, now = Project.get().annotations_per_tag, timezone.now()
        for one in new:
            one.tag = next(self.keys[Tag])
            values = {"article": self.articles.of(one.record), "occurrence": one.occurrence}
            yield tag_row(one.tag, one.record, is_task=one.content is None, **values)
            yield from _assignments(one, needed, now)

    def write_more(self, writing: Writing) -> None:
        writing.write(self.waiting, _take_from_the_queue)


def _take_from_the_queue(tags: list[int]) -> None:
    """Take these tags out of the queue: the imported annotation is all that they need."""
    assignments = Assignment.objects.filter(tag__in=tags)
    if assignments.filter(annotator__isnull=False).exists():
        raise Refusal(
            say(
                "An annotator began work on a tag of the file at the same moment. Nothing was written: check "
                "the file again."
            )
        )
    assignments.update(done_at=timezone.now())


def _offer_again(batch: Batch) -> None:
    """Undo an abandoned import: free the assignments of tags that had no work before."""
    done = Assignment.objects.filter(tag__annotations__batch=batch, annotator=None, done_at__isnull=False)
    # A tag that was annotated before needed no work.
    done = done.exclude(Exists(Annotation.objects.filter(tag=OuterRef("tag"))))

    def free(piece: list[int]) -> None:
        Assignment.objects.filter(pk__in=piece).update(done_at=None)

    in_pieces(list(done.values_list("pk", flat=True)), free)


before_clearing.append(_offer_again)


class _Work:
    """The existing work on some tags."""

    def __init__(self, tags: list[int]):
        # The records that their annotations were imported as, "" if they were made here.
        self.annotations: dict[int, list[str]] = {}
        for tag, imported in Annotation.objects.filter(tag__in=tags).values_list("tag", "imported_record"):
            self.annotations.setdefault(tag, []).append(imported)
        self.accepted = {each.tag: each for each in accepted_annotations(tags)}
        taken = Assignment.objects.filter(tag__in=tags, annotator__isnull=False)
        self.taken = set(taken.values_list("tag", flat=True))


def _differing(one: Record, other: Record) -> list[str]:
    flat_one, flat_other = one | one.get(RESULT, {}), other | other.get(RESULT, {})
    keys = [key for key in flat_one | flat_other if key != RESULT]
    return [key for key in keys if flat_one.get(key) != flat_other.get(key)]


def _assignments(one: _New, needed: int, now: datetime) -> Iterator[Insert]:
    """A new tag's assignments: free ones for annotators, or a finished one if the annotation was imported with it."""
    if one.content is None:
        for number in range(1, needed + 1):
            yield Insert.of(Assignment, tag_id=one.tag, number=number)
    else:
        yield Insert.of(Assignment, tag_id=one.tag, number=1, done_at=now)


def _annotation_rows(new: Iterable[tuple[_New, int]], admin: User | None) -> Iterator[Insert]:
    """The rows of annotations, each with its key."""
    now, admin_id = timezone.now(), admin.pk if admin else None
    for one, key in new:
        content = empty_content() | (one.content or {})
        yield Insert.of(
            Annotation,
            id=key,
            tag_id=one.tag,
            state=AnnotationState.ACCEPTED.value,
            created_at=now,
            saved_at=now,
            submitted_at=now,
            reviewed_by_id=admin_id,
            reviewed_at=now,
            imported_record=json.dumps(one.record),
            **columns_of(content),
        )
        yield from content_rows(key, content)
        yield imported_event(key, AnnotationState.ACCEPTED, admin_id)
