"""Annotations and releases in their published form: records, instances, and the text that a release's hash is
computed from."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ..content.instances import canonical, instances_of
from ..content.paper_record import RESULT, Record, merged_result, result_of_content
from ..content.rows import content_of
from ..models import Annotation, Release, ReleasedInstance, Tag

CHUNK = 200


def record_of(annotation: Annotation, *, as_imported: bool = False) -> Record:
    """The published record of an annotation as it stands now.

    What was imported and has not been changed here since comes out as it came; only the hint texts of the labelling
    form ("add the answer based on Passage 1") are left out, unless `as_imported`.
    """
    content, tag = content_of(annotation), annotation.tag
    if annotation.imported_record:
        record = json.loads(annotation.imported_record)
        result = merged_result(record[RESULT], content, keep_hints=as_imported)
    elif tag.imported_record:
        record, result = json.loads(tag.imported_record), result_of_content(content)
    else:
        record, result = _tag_record(tag), result_of_content(content)
    return {**record, RESULT: result}


def _tag_record(tag: Tag) -> Record:
    return {
        "title": tag.article.title,
        "url": tag.article.url,
        "paragraph_A": tag.paragraph,
        "paragraph_A_clean": tag.paragraph_clean,
        "tag": tag.raw,
        "tagDate": tag.date,
        "tagReason": tag.reason,
    }


def instance_values(annotation: Annotation) -> list[dict[str, Any]]:
    """The instances that the annotation yields as it stands now."""
    article = annotation.tag.article
    return instances_of(content_of(annotation), title=article.title, url=article.url)


def accepted_annotations() -> Iterator[Annotation]:
    """All accepted annotations with their parts, in the order of their tags."""
    return Annotation.objects.accepted().with_parts().order_by("tag_id").iterator(chunk_size=CHUNK)


def released_records(release: Release) -> Iterator[Record]:
    contents = release.records.order_by("position").values_list("content", flat=True)
    return (json.loads(content) for content in contents.iterator(chunk_size=CHUNK))


def released_instances(release: Release) -> Iterator[ReleasedInstance]:
    rows = release.released_instances.select_related("instance").order_by("number")
    return rows.iterator(chunk_size=CHUNK)


INSTANCE_FIELDS = (
    "question",
    "passage_1",
    "passage_2",
    "answer_1",
    "answer_2",
    "same_passage",
    "semantic_types",
    "modalities",
    "origin",
    "reasoning_type",
    "article_title",
    "url",
)


def frozen_values(released: ReleasedInstance) -> dict[str, Any]:
    """The content of a released instance, as `instances_of` returned it when it was frozen."""
    return {name: getattr(released.instance, name) for name in INSTANCE_FIELDS}


def canonical_lines(records: Iterable[Record], instances: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[str]:
    """One line per record, then one line per instance with its number, each in its canonical spelling.

    A release's content hash is computed from this text.
    """
    for record in records:
        yield canonical({"record": record}) + "\n"
    for number, values in instances:
        yield canonical({"instance": {"question_ID": number, **values}}) + "\n"


def released_lines(release: Release) -> Iterator[str]:
    instances = ((released.number, frozen_values(released)) for released in released_instances(release))
    return canonical_lines(released_records(release), instances)
