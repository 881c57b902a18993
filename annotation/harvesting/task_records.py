"""Reads a tasks JSON file, the paper's list of tagged paragraphs, completely or not at all. Values out, no models.

Each record has `title, url, paragraph_A, paragraph_A_clean, tag, tagDate, tagReason`; Label Studio wraps each in
`{"data": {...}}`. Other keys are ignored.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from core.files.problems import ShapeError, broken
from core.files.records import digest_of, read_parts, read_records
from core.languages import say
from core.refusals import Refusal

from ..content.paper_record import TAG_KEYS, check_record
from ..wikitext.families import normalise_name


@dataclass(frozen=True, slots=True)
class TaskRecord:
    title: str
    url: str
    paragraph: str
    paragraph_clean: str
    tag: str
    date: str
    reason: str
    # How many records before this one name the same tag of the same paragraph.
    occurrence: int

    @property
    def source(self) -> str:
        """The tag with its braces, which only some files include."""
        return "{{" + self.tag.strip().removeprefix("{{").removesuffix("}}") + "}}"

    @property
    def template(self) -> str:
        """The name of the tag's template, as MediaWiki writes it."""
        return normalise_name(self.source[2:-2].partition("|")[0])


def read_task_records(path: Path | str) -> Iterator[TaskRecord]:
    """The records of the file, one after another. Raises `Refusal`, naming record and field, if any part of it is
    broken."""
    try:
        with open(path, "rb") as file:
            yield from _task_records(file)
    except OSError as error:
        raise Refusal(
            say("The file {name} cannot be read: {error}.", name=Path(path).name, error=error.strerror),
            status=400,
        ) from error


def _task_records(file: BinaryIO) -> Iterator[TaskRecord]:
    alike: Counter[bytes] = Counter()
    for number, entry in enumerate(read_records(read_parts(file)), start=1):
        values = _values(entry, number)
        key = digest_of(values[name] for name in ("title", "url", "tag", "paragraph_A"))
        yield TaskRecord(
            title=values["title"],
            url=values["url"],
            paragraph=values["paragraph_A"],
            paragraph_clean=values["paragraph_A_clean"],
            tag=values["tag"],
            date=values["tagDate"],
            reason=values["tagReason"],
            occurrence=alike[key],
        )
        alike[key] += 1
    if not alike:
        raise broken(say("It holds no records."))


def _values(entry: Any, number: int) -> dict[str, str]:
    """The texts of one record, "" for absent ones."""
    if isinstance(entry, dict) and isinstance(entry.get("data"), dict):
        entry = entry["data"]
    try:
        check_record(entry)
        if not (entry.get("tag") or "").strip():
            raise ShapeError("tag", say("is missing or empty"))
    except ShapeError as error:
        raise broken(say("Record {number}: {error}.", number=number, error=error)) from error
    return {name: entry.get(name) or "" for name in TAG_KEYS}
