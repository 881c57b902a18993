"""The tables of a release's own rows: its instances, and their annotations."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ... import taxonomy
from ...content.fields import FIELDS, Content, questions_of
from ...content.instances import CSV_COLUMNS, csv_row
from ...content.paper_record import RESULT, TAG_KEYS, Record, content_of_result
from ...models import Release
from ..canonical import CHUNK, released_instances
from .tables import Column, Kind, Table

_CODES = {
    "semantic_types": ("codes of the semantic types (I)", Kind.TEXTS),
    "modalities": ("codes of the modalities (II)", Kind.TEXTS),
    "origin": ("code of the origin (III)", Kind.TEXT),
    "reasoning_type": ("code of the reasoning type (IV)", Kind.TEXT),
}


def _instance_rows(release: Release) -> Iterator[dict[str, Any]]:
    for released in released_instances(release):
        values = released.instance.content
        codes = {name: values[name] for name in _CODES}
        yield {**csv_row(released.number, values), **codes, "instance": released.instance.key}


INSTANCES = Table(
    "instances",
    "The benchmark: a question with two passages that give different answers.",
    (
        *(
            Column(name, words, Kind.WHOLE_NUMBER if name == "question_ID" else Kind.TEXT)
            for name, words in CSV_COLUMNS.items()
        ),
        *(Column(name, words, kind) for name, (words, kind) in _CODES.items()),
        Column("instance", "SHA-256 of the instance's content; the same in every release that has it"),
    ),
    _instance_rows,
    lambda release: release.released_instances.count(),
)

_TAG_WORDS = {
    "title": "the article with the tag",
    "url": "its address",
    "paragraph_A": "the paragraph with the tag",
    "paragraph_A_clean": "the paragraph without it",
    "tag": "the text between the braces",
    "tagDate": "the tag's date",
    "tagReason": "its reason",
}
# The form's fields with one value each; questions and dimensions have columns of their own.
_FIELDS = {
    name: field.label
    for name, field in FIELDS.items()
    if not field.multiple and name != "origin_confirmed" and not re.match(r"question\d", name)
}
# The keys of the paper's documentation, without the blanks of its file.
_TYPE_COLUMNS = {dimension.key.replace(" ", "_"): dimension for dimension in taxonomy.DIMENSIONS}
_QUESTION_WORDS = {
    "questions": "the questions",
    "answers1": "for each, the answer by passage 1",
    "answers2": "for each, the answer by passage 2",
}


def _annotation_rows(release: Release) -> Iterator[dict[str, Any]]:
    contents = release.records.order_by("position").values_list("content", flat=True)
    for text in contents.iterator(chunk_size=CHUNK):
        record: Record = json.loads(text)
        content = content_of_result(record[RESULT])
        yield {
            **{key: record.get(key) or "" for key in TAG_KEYS},
            **{name: content[name] for name in _FIELDS},
            **_types(content),
            **_questions(content),
            "record": text,
        }


def _types(content: Content) -> dict[str, list[str]]:
    return {
        name: [dimension.option(code).published for code in content[dimension.key]]
        for name, dimension in _TYPE_COLUMNS.items()
    }


def _questions(content: Content) -> dict[str, list[str]]:
    asked = questions_of(content)
    return {name: [each[number] for each in asked] for number, name in enumerate(_QUESTION_WORDS)}


ANNOTATIONS = Table(
    "annotations",
    "People's annotations of each contradiction tag, also of invalid tags.",
    (
        *(Column(name, words) for name, words in _TAG_WORDS.items()),
        *(Column(name, words) for name, words in _FIELDS.items()),
        *(
            Column(name, f"the chosen options of dimension {dimension.name}", Kind.TEXTS)
            for name, dimension in _TYPE_COLUMNS.items()
        ),
        *(Column(name, words, Kind.TEXTS) for name, words in _QUESTION_WORDS.items()),
        Column("record", "the whole record in the paper's form, as JSON; it may have keys that no column has"),
    ),
    _annotation_rows,
    lambda release: release.records.count(),
)
