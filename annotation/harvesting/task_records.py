"""Reads a tasks JSON file, the paper's list of tagged paragraphs, completely or not at all. Values out, no models.

Each record has `title, url, paragraph_A, paragraph_A_clean, tag, tagDate, tagReason`; Label Studio wraps each in
`{"data": {...}}`. Other keys are ignored.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.files.records import broken, read_records, read_text
from core.refusals import Refusal

from ..content.paper_record import TAG_KEYS, ShapeError, check_record
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


def read_task_records(path: Path | str) -> list[TaskRecord]:
    """The records of the file. Raises `Refusal`, naming record and field, if any part of the file is broken."""
    try:
        with open(path, "rb") as file:
            text = read_text(file)
    except OSError as error:
        raise Refusal(f"The file {Path(path).name} cannot be read: {error.strerror}.", status=400) from error
    alike: Counter[tuple[str, ...]] = Counter()
    records = []
    for number, entry in enumerate(read_records(text), start=1):
        values = _values(entry, number)
        key = tuple(values[name] for name in ("title", "url", "tag", "paragraph_A"))
        records.append(
            TaskRecord(
                title=values["title"],
                url=values["url"],
                paragraph=values["paragraph_A"],
                paragraph_clean=values["paragraph_A_clean"],
                tag=values["tag"],
                date=values["tagDate"],
                reason=values["tagReason"],
                occurrence=alike[key],
            )
        )
        alike[key] += 1
    if not records:
        raise broken("It holds no record.")
    return records


def _values(entry: Any, number: int) -> dict[str, str]:
    """The texts of one record, "" for absent ones."""
    if isinstance(entry, dict) and isinstance(entry.get("data"), dict):
        entry = entry["data"]
    try:
        check_record(entry)
        if not (entry.get("tag") or "").strip():
            raise ShapeError("tag", "is missing or empty")
    except ShapeError as error:
        raise broken(f"Record {number}: {error}.") from error
    return {name: entry.get(name) or "" for name in TAG_KEYS}
