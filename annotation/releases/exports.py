"""The files of annotations and releases: JSON, CSV, JSON Lines.

Everything is made one record at a time, so that a page or command can stream it without holding the whole.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from json.encoder import encode_basestring_ascii as _quoted
from operator import itemgetter
from typing import Any

from core.files.spreadsheets import csv_chunks
from core.models import User

from ..content.instances import CSV_COLUMNS, csv_row
from ..content.paper_record import Record, without_hints
from ..desk.visibility import as_shown
from ..models import Release, Tag
from .canonical import (
    CHUNK,
    accepted_annotations,
    released_instances,
    released_lines,
    released_records,
)
from .datasheet import datasheet, markdown
from .formats import FileFormat
from .work_export import work_lines


def current_records(reader: User | None = None, *, as_imported: bool = False) -> Iterator[Record]:
    """The records of all accepted annotations as they stand now, and of the tasks that were imported without one, as
    far as `reader` may know of them; None may know of all."""
    tasks = Tag.objects.exclude(imported_record="").order_by("pk").values_list("pk", "imported_record")
    known = as_shown(accepted_annotations(reader=reader), reader=reader)
    accepted = ((each.tag, 0, each.record(as_imported=as_imported)) for each in known)
    waiting = ((pk, 1, json.loads(task)) for pk, task in tasks.iterator(chunk_size=CHUNK))
    last = None
    for tag, is_task, record in merge(accepted, waiting, key=itemgetter(0, 1)):
        if tag != last:  # else the task has its annotation
            yield without_hints(record) if is_task and not as_imported else record
        last = tag


def current_rows(reader: User | None = None) -> Iterator[dict[str, Any]]:
    """The benchmark rows of all accepted annotations that `reader` may know of, numbered in order. Permanent numbers
    come with a release."""
    number = 0
    for annotation in as_shown(accepted_annotations(reader=reader), reader=reader):
        for values in annotation.instances():
            number += 1
            yield csv_row(number, values)


def released_rows(release: Release) -> Iterator[dict[str, Any]]:
    return (csv_row(released.number, released.instance.content) for released in released_instances(release))


def json_chunks(records: Iterable[Record]) -> Iterator[str]:
    """A JSON list, formatted like the released file: indented by four blanks, ASCII, no newline at the end."""
    opening = "["
    for record in records:
        yield f"{opening}\n    {_indented(record, '    ')}"
        opening = ","
    yield "[]" if opening == "[" else "\n]"


def _indented(value: Any, margin: str) -> str:
    """As `json.dumps(value, indent=4)` writes it behind this margin, in a third of the time."""
    inner = f"{margin}    "
    if isinstance(value, dict) and value:
        pairs = (f"{inner}{_quoted(key)}: {_indented(member, inner)}" for key, member in value.items())
        return "{\n" + ",\n".join(pairs) + f"\n{margin}}}"
    if isinstance(value, list) and value:
        members = (inner + _indented(member, inner) for member in value)
        return "[\n" + ",\n".join(members) + f"\n{margin}]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


RELEASE_FORMATS = {
    "json": FileFormat(
        "the records in the paper's form", ".json", lambda release: json_chunks(released_records(release))
    ),
    "csv": FileFormat(
        "the instances, one row a question", ".csv", lambda release: csv_chunks(CSV_COLUMNS, released_rows(release))
    ),
    "jsonl": FileFormat("records and instances, as the content hash is computed from them", ".jsonl", released_lines),
    "datasheet": FileFormat(
        "the datasheet, in Markdown", "-datasheet.md", lambda release: [markdown(datasheet(release))]
    ),
}

# Each as far as the reader may know of the annotations; without one, all of them.
CURRENT_FORMATS: dict[str, Callable[[User | None], Iterator[str]]] = {
    "json": lambda reader: json_chunks(current_records(reader)),
    "csv": lambda reader: csv_chunks(CSV_COLUMNS, current_rows(reader)),
    # How they were made: active time, where passages come from, suggestions taken.
    "work": work_lines,
}
