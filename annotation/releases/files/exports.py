"""The files of annotations and releases: JSON, CSV, JSON Lines.

Everything is made one record at a time, so that a page or command can stream it without holding the whole.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge
from json.encoder import encode_basestring_ascii as _quoted
from operator import itemgetter

from core.engine.writing.pieces import few_at_a_time
from core.files.spreadsheets import csv_chunks
from core.languages import say
from core.models import User
from core.refusals import Refusal

from ...content.instances import CSV_COLUMNS, csv_row
from ...content.paper_record import Record, without_hints
from ...desk.visibility import annotations_for, as_shown
from ...models import AnnotationState, Release, Tag
from ..canonical import accepted_annotations, released_instances, released_lines, released_records
from ..datasheets.datasheet import datasheet, markdown
from .formats import FileFormat
from .work_export import work_lines


def current_records(
    reader: User | None = None, tags: Collection[int] | None = None, *, as_imported: bool = False
) -> Iterator[Record]:
    """The records of all accepted annotations in their current state, and of the tasks imported without one, or of
    those of some tags, as far as `reader` may know of them; None may know of all.
    """
    of_these = Tag.objects.all() if tags is None else Tag.objects.filter(pk__in=tags)
    tasks = of_these.exclude(imported_record="").order_by("pk").values_list("pk", "imported_record")
    known = as_shown(accepted_annotations(tags, reader=reader), reader=reader)
    accepted = ((each.tag, 0, each.record(as_imported=as_imported)) for each in known)
    waiting = ((pk, 1, json.loads(task)) for pk, task in few_at_a_time(tasks))
    last = None
    for tag, is_task, record in merge(accepted, waiting, key=itemgetter(0, 1)):
        if tag != last:  # else the task has its annotation
            yield without_hints(record) if is_task and not as_imported else record
        last = tag


def current_rows(reader: User | None = None, tags: Collection[int] | None = None) -> Iterator[dict[str, object]]:
    """The benchmark rows of all accepted annotations, or of those of some tags, that `reader` may know of, numbered
    in order. Permanent numbers come with a release."""
    number = 0
    for annotation in as_shown(accepted_annotations(tags, reader=reader), reader=reader):
        for values in annotation.instances():
            number += 1
            yield csv_row(number, values)


def tags_of_accepted(annotations: Collection[int], reader: User) -> list[int]:
    """The tags of these accepted annotations. Raises Refusal (404) for one that `reader` may not know of or that is
    not accepted."""
    known = annotations_for(reader).filter(state=AnnotationState.ACCEPTED, pk__in=annotations)
    there = dict(known.values_list("pk", "tag_id"))
    for pk in annotations:
        if pk not in there:
            raise Refusal(say("There is no accepted annotation {pk}. Nothing was exported.", pk=pk), status=404)
    return sorted(set(there.values()))


def released_rows(release: Release) -> Iterator[dict[str, object]]:
    return (csv_row(released.number, released.instance.content) for released in released_instances(release))


def json_chunks(records: Iterable[Record]) -> Iterator[str]:
    """A JSON list, formatted like the released file: indented by four blanks, ASCII, no newline at the end."""
    opening = "["
    for record in records:
        yield f"{opening}\n    {_indented(record, '    ')}"
        opening = ","
    yield "[]" if opening == "[" else "\n]"


def _indented(value: object, margin: str) -> str:
    """The text of `json.dumps(value, indent=4)` after this margin, in a third of the time."""
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
        say("the records in the paper's form"), ".json", lambda release: json_chunks(released_records(release))
    ),
    "csv": FileFormat(
        say("the instances, one row per question"),
        ".csv",
        lambda release: csv_chunks(tuple(CSV_COLUMNS), released_rows(release)),
    ),
    "jsonl": FileFormat(
        say("records and instances, as the content hash is computed from them"), ".jsonl", released_lines
    ),
    "datasheet": FileFormat(
        say("the datasheet, in Markdown"), "-datasheet.md", lambda release: [markdown(datasheet(release))]
    ),
}

# Each as far as the reader may know of the annotations; without one, all of them. Some tags, or None for all.
CURRENT_FORMATS: dict[str, Callable[[User | None, Collection[int] | None], Iterator[str]]] = {
    "json": lambda reader, tags: json_chunks(current_records(reader, tags)),
    "csv": lambda reader, tags: csv_chunks(tuple(CSV_COLUMNS), current_rows(reader, tags)),
    # Provenance: active time, where passages come from, suggestions taken.
    "work": work_lines,
}
