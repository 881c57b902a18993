"""Exports tags as Label Studio's tasks, with people's work on them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Sum

from core.engine.writing.pieces import few_at_a_time, in_chunks
from core.models import User
from core.models.names import name_key

from ..content.paper_record import BY_PROGRAM, FOUND_BY, RESULT, TAG_KEYS, Record, merged_result, result_of_content
from ..content.rows import content_of
from ..desk.visibility import is_blind_to, known_to, note_seen
from ..models import Annotation, AnnotationState, Assignment, Skip, StepTime, Tag
from ..models.articles import TagQuerySet
from ..releases.files.imported_rows import text_of
from .nobodys import NOBODY, Marking, key_of
from .results import Item, beyond, items_of, result_of
from .tasks import BEYOND, Kind

CHUNK = 200


def task_chunks(
    reader: User | None = None, *, without_people: bool = False, waiting_only: bool = False
) -> Iterator[str]:
    """A JSON list of all tags still in their articles, as tasks with the annotations, drafts and skips that `reader`
    may know of; None may know of all. With `without_people`, it names no people. With `waiting_only`, it has only
    tags that wait for an annotator.
    """
    tags = waiting_tags(reader) if waiting_only else Tag.objects.present()
    tags = tags.select_related("article").defer("article__wikitext").order_by("pk")
    opening = "["
    for some in in_chunks(few_at_a_time(tags), CHUNK):
        for task in _tasks(some, reader, without_people):
            yield f"{opening}\n{json.dumps(task)}"
            opening = ","
    yield "[]\n" if opening == "[" else "\n]\n"


def waiting_tags(reader: User | None) -> TagQuerySet:
    """Tags that the queue can hand out, with a free assignment. Those that `reader` is blind to are left out, as a
    free assignment would reveal others' work.
    """
    tags = Tag.objects.offered().filter(Exists(Assignment.objects.free().filter(tag=OuterRef("pk"))))
    return tags if reader is None else tags.exclude(is_blind_to("pk", reader))


def _tasks(tags: Sequence[Tag], reader: User | None, without_people: bool) -> Iterator[dict[str, object]]:
    of_these = Annotation.objects.without_checks().filter(known_to(reader), tag__in=tags).with_parts().order_by("pk")
    annotations: dict[int, list[Annotation]] = defaultdict(list)
    for each in of_these:
        if not each.is_new:
            annotations[each.tag_id].append(each)
    if reader is not None:
        note_seen([each.pk for some in annotations.values() for each in some], reader=reader)
    skips: dict[int, list[Skip]] = defaultdict(list)
    for skip in Skip.objects.filter(known_to(reader), tag__in=tags).select_related("annotator").order_by("pk"):
        skips[skip.tag_id].append(skip)
    times = dict(
        StepTime.objects.filter(annotation__tag__in=tags)
        .values_list("annotation")
        .annotate(sum=Sum("seconds"))
        .order_by()
    )
    for tag in tags:
        yield _Task(tag, annotations[tag.pk], skips[tag.pk], times, without_people).as_value()


class _Task:
    def __init__(
        self, tag: Tag, annotations: list[Annotation], skips: list[Skip], times: dict[int, int], without_people: bool
    ):
        self.tag, self.annotations, self.skips = tag, annotations, skips
        self.times, self.without_people = times, without_people
        # Data of the works beyond the form, by `key_of`, and their owners.
        self.more: dict[str, dict[str, object]] = {}
        self.marking = Marking()

    def as_value(self) -> dict[str, object]:
        skipped = {skip.annotator_id for skip in self.skips}
        done = [each for each in self.annotations if not each.is_writable]
        drafts = [each for each in self.annotations if each.is_writable and each.annotator_id not in skipped]
        by_person = {each.annotator_id: each for each in self.annotations if each.is_writable}
        annotations = [self.annotation(each) for each in done]
        annotations += [self.skip(skip, by_person.get(skip.annotator_id)) for skip in self.skips]
        value = {"data": {}, "annotations": annotations, "drafts": [self.draft(each) for each in drafts]}
        return value | {"data": self.data()}

    def annotation(self, annotation: Annotation) -> dict[str, object]:
        """The annotation, marked as not ground truth: Label Studio would otherwise assume that it is."""
        values, address = self.work(Kind.ANNOTATION, annotation.annotator, annotation)
        is_accepted = annotation.state == AnnotationState.ACCEPTED
        return values | {"was_cancelled": False, "ground_truth": is_accepted} | _completed_by(address)

    def skip(self, skip: Skip, annotation: Annotation | None) -> dict[str, object]:
        values, address = self.work(Kind.SKIPPED, skip.annotator, annotation)
        return values | {"was_cancelled": True, "ground_truth": False} | _completed_by(address)

    def draft(self, annotation: Annotation) -> dict[str, object]:
        values, address = self.work(Kind.DRAFT, annotation.annotator, annotation)
        return values | ({"user": address} if address else {})

    def work(self, kind: Kind, person: User | None, annotation: Annotation | None) -> tuple[dict[str, object], str]:
        """A person's work, and their address; NOBODY if the file is to have none."""
        address = person.email if person and not self.without_people else NOBODY
        result = _result(annotation) if annotation else {}
        items = items_of(result)
        shown, _ = result_of(items)
        key = key_of(kind, shown)
        self.marking.add(key, name_key(address))
        if more := beyond(result, shown):
            self.more[key] = more
        return {"result": items, "lead_time": 0.0} | (self.saved(items, annotation) if annotation else {}), address

    def saved(self, items: list[Item], annotation: Annotation) -> dict[str, object]:
        return {
            "result": [*items, *annotation.kept_aside],
            "lead_time": float(self.times.get(annotation.pk, 0)),
            "created_at": annotation.created_at.isoformat(),
            "updated_at": (annotation.submitted_at or annotation.saved_at).isoformat(),
        }

    def data(self) -> Record:
        """The fields that the labelling configuration shows, and any other data of an imported record."""
        record = self.record()
        data = {**record, **{key: text_of(record, key) for key in TAG_KEYS}}
        more = {"record": beyond(record, data), "works": self.more, "nobodys": self.marking.marks()}
        if found := {name: values for name, values in more.items() if values}:
            data[BEYOND] = found
        return data

    def record(self) -> Record:
        imported = [each.imported_record for each in self.annotations if each.imported_record]
        for text in [*imported, self.tag.imported_record]:
            if text:
                return {key: value for key, value in json.loads(text).items() if key != RESULT}
        article, tag = self.tag.article, self.tag
        texts = (article.title, article.url, tag.paragraph, tag.paragraph_clean, tag.raw, tag.date, tag.reason)
        record = dict(zip(TAG_KEYS, texts, strict=True))
        return record | {FOUND_BY: BY_PROGRAM} if tag.is_found_by_program else record


def _result(annotation: Annotation) -> Record:
    """The annotation's `annotationResult`, with the hints of an imported one."""
    content = content_of(annotation)
    if not annotation.imported_record:
        return result_of_content(content)
    return merged_result(json.loads(annotation.imported_record)[RESULT], content, keep_hints=True)


def _completed_by(address: str) -> dict[str, object]:
    return {"completed_by": {"email": address}} if address else {}
