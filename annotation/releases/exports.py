"""The files of annotations and releases: JSON, CSV, JSON Lines.

Everything is made one record at a time, so that a page or command can stream it without holding the whole.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q

from core.files.spreadsheets import csv_chunks

from ..content.instances import CSV_COLUMNS, csv_row
from ..content.paper_record import Record, without_hints
from ..models import Annotation, Release, Tag
from .canonical import (
    CHUNK,
    accepted_annotations,
    frozen_values,
    instance_values,
    record_of,
    released_instances,
    released_lines,
    released_records,
)
from .work_export import work_lines


def current_records(*, as_imported: bool = False) -> Iterator[Record]:
    """The records of all accepted annotations as they stand now, and of the tasks that were imported without one."""
    accepted = Annotation.objects.accepted()
    tags = (
        Tag.objects.filter(Exists(accepted.filter(tag=OuterRef("pk"))) | ~Q(imported_record=""))
        .prefetch_related(Prefetch("annotations", accepted.with_parts(), to_attr="accepted"))
        .order_by("pk")
    )
    for tag in tags.iterator(chunk_size=CHUNK):
        if tag.accepted:
            yield record_of(tag.accepted[0], as_imported=as_imported)
        else:
            task = json.loads(tag.imported_record)
            yield task if as_imported else without_hints(task)


def current_rows() -> Iterator[dict[str, Any]]:
    """The benchmark rows of all accepted annotations, numbered in order. Permanent numbers come with a release."""
    number = 0
    for annotation in accepted_annotations():
        for values in instance_values(annotation):
            number += 1
            yield csv_row(number, values)


def released_rows(release: Release) -> Iterator[dict[str, Any]]:
    return (csv_row(released.number, frozen_values(released)) for released in released_instances(release))


def json_chunks(records: Iterable[Record]) -> Iterator[str]:
    """A JSON list, formatted like the released file: indented by four blanks, ASCII, no newline at the end."""
    opening = "["
    for record in records:
        text = json.dumps(record, indent=4, ensure_ascii=True)
        yield opening + "\n    " + text.replace("\n", "\n    ")
        opening = ","
    yield "[]" if opening == "[" else "\n]"


RELEASE_FORMATS: dict[str, Callable[[Release], Iterator[str]]] = {
    "json": lambda release: json_chunks(released_records(release)),
    "csv": lambda release: csv_chunks(CSV_COLUMNS, released_rows(release)),
    "jsonl": released_lines,
}

CURRENT_FORMATS: dict[str, Callable[[], Iterator[str]]] = {
    "json": lambda: json_chunks(current_records()),
    "csv": lambda: csv_chunks(CSV_COLUMNS, current_rows()),
    # How they were made: active time, where passages come from, suggestions taken.
    "work": work_lines,
}
