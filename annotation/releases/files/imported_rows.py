"""The rows of imported tags and annotations, prepared to be inserted."""

import json
from collections.abc import Iterable, Iterator

from django.utils import timezone

from core.engine.writing.inserts import Insert, keys_for
from core.files.records import digest_of
from core.models import Event

from ... import taxonomy
from ...content.fields import Content, questions_of
from ...content.paper_record import Record, family_of
from ...content.rows import passage_values
from ...models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Article,
    ContradictionType,
    Passage,
    Question,
    Tag,
)

# The fields that identify records of tags; equal ones are told apart by their order.
IDENTITY = ("title", "url", "tag", "paragraph_A")


def text_of(record: Record, key: str) -> str:
    return record.get(key) or ""


def identity_of(record: Record) -> tuple[str, ...]:
    return tuple(text_of(record, key) for key in IDENTITY)


class Articles:
    """The articles of imported records, which have neither wiki nor revision: found, or created."""

    def __init__(self) -> None:
        # By title and address.
        self.keys: dict[bytes, int] = {}

    def of(self, record: Record) -> int:
        """The key of a record's article, whose `rows` were requested before."""
        return self.keys[_digest(record)]

    def rows(self, records: Iterable[Record]) -> Iterator[Insert]:
        """The articles of these records that are new."""
        wanted = sorted({(record["title"], text_of(record, "url")) for record in records})
        unknown = {digest: one for one in wanted if (digest := digest_of(one)) not in self.keys}
        present = Article.objects.filter(revision_id=None, title__in={title for title, _ in unknown.values()})
        for title, url, pk in present.values_list("title", "url", "pk"):
            self.keys[digest_of((title, url))] = pk
        missing = {digest: one for digest, one in unknown.items() if digest not in self.keys}
        keys, now = keys_for({Article: len(missing)})[Article], timezone.now()
        for (digest, (title, url)), key in zip(missing.items(), keys, strict=True):
            self.keys[digest] = key
            yield Insert.of(Article, id=key, title=title, url=url, fetched_at=now)


def _digest(record: Record) -> bytes:
    return digest_of((record["title"], text_of(record, "url")))


def tag_row(key: int, record: Record, *, article: int, occurrence: int, is_task: bool) -> Insert:
    """The tag of a record; `is_task` if the record has no annotation, and is stored with the tag."""
    return Insert.of(
        Tag,
        id=key,
        article_id=article,
        last_seen_in_id=article,
        raw=text_of(record, "tag"),
        family=family_of(text_of(record, "tag")),
        date=text_of(record, "tagDate"),
        reason=text_of(record, "tagReason"),
        paragraph=text_of(record, "paragraph_A"),
        paragraph_clean=text_of(record, "paragraph_A_clean"),
        occurrence=occurrence,
        found_at=timezone.now(),
        imported_record=json.dumps(record) if is_task else "",
    )


def content_rows(annotation: int, content: Content) -> Iterator[Insert]:
    """The rows of passages, types and questions of an annotation with this key."""
    for position in (1, 2):
        yield Insert.of(Passage, annotation_id=annotation, position=position, **passage_values(content, position))
    chosen = [(dimension.code, code) for dimension in taxonomy.DIMENSIONS for code in content[dimension.key]]
    for position, (dimension, code) in enumerate(chosen):
        values = {"position": position, "dimension": dimension, "code": code}
        yield Insert.of(ContradictionType, annotation_id=annotation, **values)
    for position, (text, answer_1, answer_2) in enumerate(questions_of(content), start=1):
        if text or answer_1 or answer_2:
            yield Insert.of(
                Question, annotation_id=annotation, position=position, text=text, answer_1=answer_1, answer_2=answer_2
            )


def imported_event(annotation: int, state: AnnotationState, admin: int | None) -> Insert:
    return Insert.of(
        Event,
        at=timezone.now(),
        actor_id=admin,
        action=AnnotationAction.IMPORTED.value,
        subject_kind=Annotation._meta.model_name,
        subject_id=annotation,
        after={"state": state},
    )
