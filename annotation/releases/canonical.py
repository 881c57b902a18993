"""Annotations and releases in their published form: records, instances, and the text from which a release's hash is
computed.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.engine.writing.pieces import few_at_a_time, in_chunks
from core.files.writing import json_lines
from core.models import User

from ..content.fields import Content
from ..content.instances import SAME_PASSAGE, InstanceValues, canonical, instances_of
from ..content.paper_record import BY_PROGRAM, FOUND_BY, RESULT, Record, merged_result, result_of_content
from ..content.rows import OWN_COLUMNS, RowsOf
from ..desk.visibility import known_to
from ..models import Annotation, AnnotationState, Listed, Release, ReleasedInstance

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted annotation with all parts of its record and its instances."""

    pk: int
    tag: int
    # The record that it was imported as, or else its tag's, as JSON text.
    imported: str
    task: str
    tag_record: Record
    content: Content
    # The keys of its questions, by position.
    questions: dict[int, int]

    def record(self, *, as_imported: bool = False) -> Record:
        """Its published record in its current state.

        Imported values that have not been changed here are kept as they are; only the hint texts of the labelling
        form ("add the answer based on Passage 1") are left out, unless `as_imported`.
        """
        if self.imported:
            record = json.loads(self.imported)
            result = merged_result(record[RESULT], self.content, keep_hints=as_imported)
        else:
            record = json.loads(self.task) if self.task else self.tag_record
            result = result_of_content(self.content)
        return {**record, RESULT: result}

    def instances(self) -> list[InstanceValues]:
        """Its instances in its current state."""
        return instances_of(self.content, title=self.tag_record["title"], url=self.tag_record["url"])


# The published fields of a tag, and their locations.
_OF_TAG = {
    "title": "article__title",
    "url": "article__url",
    "paragraph_A": "paragraph",
    "paragraph_A_clean": "paragraph_clean",
    "tag": "raw",
    "tagDate": "date",
    "tagReason": "reason",
}


def accepted_annotations(tags: Collection[int] | None = None, *, reader: User | None = None) -> Iterator[Accepted]:
    """All accepted annotations, or those of these tags, in the order of their tags, as far as `reader` may know of
    them; None may know of all. They have no draft."""
    # Of some tags all are read: SQLite would look through all accepted ones to find theirs.
    of_these = Annotation.objects.accepted() if tags is None else Annotation.objects.filter(tag__in=tags)
    of_these = of_these.without_checks().filter(known_to(reader))
    names = (
        "pk",
        "tag_id",
        "imported_record",
        "tag__imported_record",
        "tag__candidate",
        *(f"tag__{name}" for name in _OF_TAG.values()),
    )
    found = of_these.order_by("tag_id").values_list(*names, *OWN_COLUMNS, "state")
    rows = (values for *values, state in few_at_a_time(found) if state == AnnotationState.ACCEPTED)
    for chunk in in_chunks(rows, CHUNK):
        rows_of = RowsOf([pk for pk, *_ in chunk])
        for pk, tag, imported, task, candidate, *values in chunk:
            columns = dict(zip(OWN_COLUMNS, values[len(_OF_TAG) :], strict=True))
            content = rows_of.content(pk, columns)
            tag_record = dict(zip(_OF_TAG, values[: len(_OF_TAG)], strict=True))
            if candidate is not None:
                tag_record[FOUND_BY] = BY_PROGRAM
            yield Accepted(pk, tag, imported, task, tag_record, content, rows_of.question_keys[pk])


def released_records(release: Release) -> Iterator[Record]:
    contents = release.records.order_by("position").values_list("content", flat=True)
    return (json.loads(content) for content in contents.iterator(chunk_size=CHUNK))


def released_instances(release: Release) -> Iterator[ReleasedInstance]:
    rows = release.released_instances.select_related("instance").order_by("number")
    return rows.iterator(chunk_size=CHUNK)


def listed(content: Mapping[str, Any]) -> Listed:
    """The list entry of an instance: its category is the reasoning type, its group the conflict of its tag."""
    subcategory = SAME_PASSAGE if content["same_passage"] else ""
    return Listed(content["question"], conflict_of(content), content["reasoning_type"], subcategory)


def conflict_of(content: Mapping[str, Any]) -> str:
    """A text that is the same for all questions about one conflict: a digest of its article and its two passages, as
    questions of one tag share them; empty if they are not known.
    """
    about = [content[name] for name in ("article_title", "url", "passage_1", "passage_2")]
    return hashlib.sha256(canonical(about).encode()).hexdigest()[:32] if any(about) else ""


def canonical_lines(records: Iterable[Record], instances: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[str]:
    """One line per record, then one line per instance with its number, each in its canonical spelling.

    A release's content hash is computed from this text.
    """
    for record in records:
        yield canonical({"record": record}) + "\n"
    for number, values in instances:
        yield canonical({"instance": {"question_ID": number, **values}}) + "\n"


def released_lines(release: Release) -> Iterator[str]:
    """The text of a release of annotations."""
    instances = ((each.number, each.instance.content) for each in released_instances(release))
    return canonical_lines(released_records(release), instances)


def content_lines(release: Release) -> Iterator[str]:
    """The text of a release with imported items."""
    return (content_line(each.number, each.instance.content) for each in released_instances(release))


def item_lines(release: Release) -> Iterator[str]:
    """The content of each item of a release as one line of JSON, in the order of the release."""
    return json_lines(each.instance.content for each in released_instances(release))


def content_line(number: int, content: Mapping[str, Any]) -> str:
    """The canonical line of an instance of a benchmark that keeps its own content. No field of the content can be
    mistaken for its number.
    """
    return canonical({"instance": {"number": number, "content": content}}) + "\n"
