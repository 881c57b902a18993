"""Imports published records as rows: the whole file or nothing."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from django.conf import settings
from django.db.models import Model, Prefetch
from django.utils import timezone

from core.files.records import PROBLEMS_SHOWN, Problems, read_parts, read_records
from core.models import Batch, Event, Project, User
from core.refusals import Refusal
from core.writing.batches import before_clearing, last_batch, written_together
from core.writing.inserts import give_keys
from core.writing.pieces import in_pieces

from .. import taxonomy
from ..content.fields import MAX_QUESTIONS, Content
from ..content.instances import instances_of
from ..content.paper_record import (
    RESULT,
    Record,
    ShapeError,
    check_record,
    content_of_result,
    family_of,
    without_hints,
)
from ..models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Article,
    Assignment,
    ContradictionType,
    Passage,
    Question,
    Tag,
)
from .canonical import record_of

CHUNK = 200
Identity = tuple[str, str, str, str]


@dataclass(slots=True)
class ImportResult:
    """What an import did, or would do."""

    new: int = 0
    tasks: int = 0
    unchanged: int = 0
    instances: int = 0
    # Records with a part that the form has no field for: kept and exported again, but not turned into an instance.
    beyond_ten: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.new + self.tasks + self.unchanged

    def lines(self) -> Iterator[str]:
        """The result as lines of text."""
        if not self.total:
            yield "The file holds no records."
            return
        if self.unchanged == self.total:
            yield f"Nothing changed: all {self.total:,} records are here already."
            return
        yield f"{self.total:,} records: {self.new:,} new annotations with {self.instances:,} instances."
        if self.tasks:
            yield f"{self.tasks:,} without an annotation: their tags wait for annotators."
        if self.unchanged:
            yield f"{self.unchanged:,} were here already and stay as they are."
        if self.beyond_ten:
            shown = ", ".join(self.beyond_ten[:PROBLEMS_SHOWN])
            yield f"More than ten questions, of which ten become instances and all are exported again: {shown}."


@dataclass(slots=True)
class _New:
    """A record with no row yet, or only a tag that nobody has worked on."""

    number: int
    record: Record
    occurrence: int
    tag: Tag | None = None


def import_records(stream: BinaryIO, *, admin: User | None = None, check_only: bool = False) -> ImportResult:
    """Read the paper's JSON into articles, tags and accepted annotations; returns what was new.

    A record that is already here changes nothing. With `check_only` nothing is written. Raises Refusal, having
    written nothing, if the file is not valid, or if a tag has a different annotation here: which of the two counts is
    for people to decide.
    """
    _check_all(stream)
    planned_after = last_batch()
    result = ImportResult()
    for one in _new_of(stream, result):
        _count(one, result)
    if check_only or not (result.new or result.tasks):
        return result
    with written_together("annotations", planned_after=planned_after, actor=admin) as writing:
        waiting: list[int] = []
        # Planned a second time, so that a large file is never in memory as a whole: the result is the same, or a
        # refusal.
        writing.create(_rows(_new_of(stream, ImportResult()), waiting, admin))
        writing.write(waiting, _take_from_the_queue)
        writing.finish()
    return result


def _check_all(stream: BinaryIO) -> None:
    problems = Problems()
    for number, record in enumerate(_records(stream), start=1):
        try:
            check_record(record)
        except ShapeError as error:
            problems.add(_name(number, record), error)
    problems.refuse()


def _name(number: int, record: Any) -> str:
    title = record.get("title") if isinstance(record, dict) else None
    if not isinstance(title, str) or not title.strip():
        return f"Record {number}"
    return f"Record {number} (“{ascii(title[:80])[1:-1] if not title.isprintable() else title[:80]}”)"


def _records(stream: BinaryIO) -> Iterator[Any]:
    """All records of the file, read once more from its beginning."""
    stream.seek(0)
    return read_records(read_parts(stream, most=settings.ANNOTATIONS_MAX_BYTES))


def _new_of(stream: BinaryIO, result: ImportResult) -> Iterator[_New]:
    """The records to be written; the others are counted. Reads only."""
    seen: Counter[Identity] = Counter()
    numbered = enumerate(_records(stream), start=1)
    while chunk := list(islice(numbered, CHUNK)):
        yield from _new_of_chunk(chunk, seen, result)


def _count(one: _New, result: ImportResult) -> None:
    answered = one.record.get(RESULT)
    if answered is None:
        result.tasks += 1
        return
    result.new += 1
    result.instances += len(instances_of(content_of_result(answered), title="", url=""))
    if answered.get(f"question{MAX_QUESTIONS + 1}"):
        result.beyond_ten.append(_name(one.number, one.record))


def _new_of_chunk(chunk: list[tuple[int, Record]], seen: Counter[Identity], result: ImportResult) -> list[_New]:
    known: dict[Identity, list[Tag]] = {}
    titles = {record["title"] for _, record in chunk}
    tags = Tag.objects.filter(article__title__in=titles).select_related("article").order_by("pk")
    for tag in tags.prefetch_related(Prefetch("annotations", Annotation.objects.with_parts()), "assignments"):
        known.setdefault((tag.article.title, tag.article.url, tag.raw, tag.paragraph), []).append(tag)
    new = []
    for number, record in chunk:
        identity: Identity = tuple(_text(record, key) for key in ("title", "url", "tag", "paragraph_A"))  # type: ignore[assignment]
        occurrence, alike = seen[identity], known.get(identity, [])
        seen[identity] += 1
        if occurrence >= len(alike):
            new.append(_New(number, record, occurrence))
        elif _is_here(alike[occurrence], record, number):
            result.unchanged += 1
        else:
            new.append(_New(number, record, occurrence, tag=alike[occurrence]))
    return new


def _rows(new: Iterable[_New], waiting: list[int], admin: User | None) -> Iterator[Model]:
    """All rows that the records are stored as. The primary keys of existing tags without work are added to
    `waiting`."""
    source = iter(new)
    while chunk := list(islice(source, CHUNK)):
        waiting += [one.tag.pk for one in chunk if one.tag]
        yield from _tag_rows([one for one in chunk if one.tag is None])
        yield from _annotation_rows([one for one in chunk if one.record.get(RESULT) is not None], admin)


def _take_from_the_queue(tags: list[int]) -> None:
    """The imported annotation is all that these tags need: take them out of the queue."""
    assignments = Assignment.objects.filter(tag__in=tags)
    if assignments.filter(annotator__isnull=False).exists():
        raise Refusal("Work on a tag of the file began at this moment. Nothing was written: check the file again.")
    assignments.update(done_at=timezone.now())


def _offer_again(batch: Batch) -> None:
    """The import is abandoned: free the assignments of the tags that it found without work."""
    done = Assignment.objects.filter(tag__annotations__batch=batch, annotator=None, done_at__isnull=False)

    def free(piece: list[int]) -> None:
        Assignment.objects.filter(pk__in=piece).update(done_at=None)

    in_pieces(list(done.values_list("pk", flat=True)), free)


before_clearing.append(_offer_again)


def _text(record: Record, key: str) -> str:
    return record.get(key) or ""


def _is_here(tag: Tag, record: Record, number: int) -> bool:
    """Whether this record is already here; False if its tag is here but nobody has worked on it.

    Raises Refusal if the tag has other work.
    """
    if record.get(RESULT) is None:
        return True
    annotations = tag.annotations.all()
    differing: list[str] = []
    for annotation in annotations:
        if annotation.imported_record and json.loads(annotation.imported_record) == record:
            return True
        if annotation.state == AnnotationState.ACCEPTED:
            present, coming = record_of(annotation), without_hints(record)
            if present == coming:
                return True
            differing = _differing(present, coming)
    if not annotations and not any(assignment.annotator_id for assignment in tag.assignments.all()):
        return False
    what = f" and differs in {', '.join(differing[:8])}" if differing else ""
    raise Refusal(
        f"{_name(number, record)}: the annotation of this tag is here or being made{what}. Nothing was written. "
        "Take the record out of the file, or let people correct the annotation here."
    )


def _differing(one: Record, other: Record) -> list[str]:
    flat_one, flat_other = one | one.get(RESULT, {}), other | other.get(RESULT, {})
    keys = [key for key in flat_one | flat_other if key != RESULT]
    return [key for key in keys if flat_one.get(key) != flat_other.get(key)]


def _tag_rows(new: list[_New]) -> Iterator[Model]:
    articles = _articles(new)
    missing = [article for article in articles.values() if article.pk is None]
    needed = Project.get().annotations_per_tag
    for one in new:
        record = one.record
        is_task = record.get(RESULT) is None
        one.tag = Tag(
            raw=_text(record, "tag"),
            family=family_of(_text(record, "tag")),
            date=_text(record, "tagDate"),
            reason=_text(record, "tagReason"),
            paragraph=_text(record, "paragraph_A"),
            paragraph_clean=_text(record, "paragraph_A_clean"),
            occurrence=one.occurrence,
            imported_record=json.dumps(record) if is_task else "",
        )
    tags = [one.tag for one in new if one.tag]
    give_keys([*missing, *tags])
    yield from missing
    for one, tag in zip(new, tags, strict=True):
        tag.article = tag.last_seen_in = articles[one.record["title"], _text(one.record, "url")]
        yield tag
        yield from _assignments(tag, needed)


def _assignments(tag: Tag, needed: int) -> list[Assignment]:
    """A tag's new assignments: free ones if annotators should work on it, one that is done if the annotation came
    with it."""
    if tag.imported_record:
        return [Assignment.of(tag, number) for number in range(1, needed + 1)]
    return [Assignment.of(tag, 1, done_at=timezone.now())]


def _articles(new: Iterable[_New]) -> dict[tuple[str, str], Article]:
    """The articles of these records, saved or not; imported articles have neither wiki nor revision."""
    wanted = dict.fromkeys((one.record["title"], _text(one.record, "url")) for one in new)
    present = Article.objects.filter(revision_id=None, title__in={title for title, _ in wanted})
    articles = {(article.title, article.url): article for article in present.defer("wikitext")}
    return {(title, url): articles.get((title, url)) or Article(title=title, url=url) for title, url in wanted}


def _annotation_rows(new: list[_New], admin: User | None) -> Iterator[Model]:
    now = timezone.now()
    made: list[tuple[Annotation, Content]] = []
    for one in new:
        content = content_of_result(one.record[RESULT])
        annotation = Annotation(
            tag=one.tag,
            state=AnnotationState.ACCEPTED,
            validity=content["wikitag_label_valid"],
            valid_comment=content["valid_comment"],
            same_passage=content["wikitag_label_samepassage"],
            contradict_comment=content["contradict_comment"],
            question_comment=content["question_comment"],
            confidence=int(content["confidence"]) if content["confidence"] else None,
            saved_at=now,
            submitted_at=now,
            reviewed_by=admin,
            reviewed_at=now,
            imported_record=json.dumps(one.record),
        )
        made.append((annotation, content))
    give_keys(annotation for annotation, _ in made)
    for annotation, content in made:
        yield annotation
        yield from _passages(annotation, content)
        yield from _types(annotation, content)
        yield from _questions(annotation, content)
        yield Event.of(AnnotationAction.IMPORTED, annotation, actor=admin, after={"state": AnnotationState.ACCEPTED})


def _passages(annotation: Annotation, content: Content) -> Iterator[Passage]:
    for position, letter in enumerate("AB", start=1):
        yield Passage(
            annotation=annotation,
            position=position,
            article_title=content[f"paragraph{letter}_article"],
            text=content[f"paragraph{letter}_information"],
            standalone_text=content[f"paragraph{letter}_information_standalone"],
            statement=content[f"relevantInfo_comment_{letter}"],
            span=content[f"relevantInfo_comment_{letter}_Span"],
        )


def _types(annotation: Annotation, content: Content) -> Iterator[ContradictionType]:
    position = 0
    for dimension in taxonomy.DIMENSIONS:
        for code in content[dimension.key]:
            yield ContradictionType(annotation=annotation, position=position, dimension=dimension.code, code=code)
            position += 1


def _questions(annotation: Annotation, content: Content) -> Iterator[Question]:
    for position in range(1, MAX_QUESTIONS + 1):
        text, answer_1, answer_2 = (content[f"question{position}{part}"] for part in ("", "_answer1", "_answer2"))
        if text or answer_1 or answer_2:
            yield Question(annotation=annotation, position=position, text=text, answer_1=answer_1, answer_2=answer_2)
