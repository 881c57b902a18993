"""Reads Label Studio's two exports, JSON and JSON_MIN, as tasks, without our rows.

https://labelstud.io/guide/task_format and https://labelstud.io/guide/export
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.files.problems import ShapeError, check_storable
from core.languages import say
from core.outside import Unreadable, moment

from ..content.paper_record import RESULT, TAG_KEYS, Record, check_record
from .nobodys import Marks, checked_marks, key_of
from .results import Item, Result, is_control, result_of, with_beyond

# Data of an exported task beyond its own keys and the form's: see `Beside` and `results.beyond`.
BEYOND = "beyond_the_form"
# Keys of a row of JSON_MIN that are neither data of the task nor the name of a control.
OF_A_ROW = frozenset(
    ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", BEYOND)
)
MOST_SECONDS = 2**31 - 1

# A person: an address of e-mail, or the number that they have in Label Studio.
Person = str | int


class Kind(StrEnum):
    """A person's action on a task."""

    ANNOTATION = "annotation"
    DRAFT = "draft"
    SKIPPED = "skipped"


@dataclass(slots=True)
class Work:
    """One person's work on a task; None if the person is not known."""

    kind: Kind
    person: Person | None
    result: Result
    # See `key_of`; "" if the task has no use for it.
    key: str = ""
    # Results that belong to no field of the form.
    aside: list[Item] = field(default_factory=list)
    seconds: int = 0
    begun: datetime | None = None
    saved: datetime | None = None
    is_ground_truth: bool = False


@dataclass(slots=True)
class Beside:
    """Parts of a task's data that the form does not show: additions to unchanged works by `key_of`, and works that
    belong to nobody.
    """

    works: Mapping[str, Mapping[str, Any]]
    marks: Marks


@dataclass(slots=True)
class Task:
    """A task: the tag's record without an annotation, and people's work on it."""

    record: Record
    works: list[Work]
    # Of those works, which had no address in the file that Label Studio was given.
    marks: Marks = field(default_factory=dict)
    # Its number in Label Studio; several rows of JSON_MIN may be about one task.
    number: int | None = None
    predictions: int = 0
    # Drafts that the file names only by number, that change an annotation that counts, or that have no person.
    drafts_left_out: int = 0


def read_task(value: object) -> Task:
    """The task in a member of an exported list, of either form. Raises ShapeError, naming the field."""
    if not isinstance(value, dict):
        raise ShapeError("", say("it must be an object, a task of Label Studio"))
    check_storable(value)
    task = _task(value) if isinstance(value.get("data"), dict) else _row(value)
    check_record(task.record)
    for work in task.works:
        check_record(task.record | {RESULT: work.result})
    return task


def _task(value: Mapping[str, Any]) -> Task:
    record, beside = _record(value["data"])
    works = [_annotation(each, beside) for each in _objects(value, "annotations", "completions")]
    task = Task(record, works, beside.marks, number=_number(value), predictions=len(_list(value, "predictions")))
    for each in _list(value, "drafts"):
        draft = _draft(each, beside) if isinstance(each, dict) else None
        if draft is None:
            task.drafts_left_out += 1
        else:
            works.append(draft)
    return task


def _record(data: Mapping[str, Any]) -> tuple[Record, Beside]:
    """The tag's record, and the data beside it."""
    more = data.get(BEYOND) or {}
    if not isinstance(more, dict) or not all(isinstance(part, dict) for part in more.values()):
        raise ShapeError(BEYOND, say("must be an object of objects"))
    works = more.get("works", {})
    if not all(isinstance(each, dict) for each in works.values()):
        raise ShapeError("works", say("must be an object of objects"))
    record = {key: text for key, text in data.items() if key not in (BEYOND, RESULT)}
    of_tag = more.get("record", {})
    whole = {key: text for key, text in record.items() if not (key in of_tag and of_tag[key] is None)}
    return whole, Beside(works, checked_marks(more.get("nobodys", {})))


def _annotation(value: Mapping[str, object], beside: Beside) -> Work:
    kind = Kind.SKIPPED if value.get("was_cancelled") else Kind.ANNOTATION
    return _work(kind, value, _person(value.get("completed_by")), beside)


def _draft(value: Mapping[str, object], beside: Beside) -> Work | None:
    """The draft; None if it changes an existing annotation."""
    if value.get("annotation") is not None:
        return None
    return _work(Kind.DRAFT, value, _person(value.get("user") or value.get("created_by")), beside)


def _work(kind: Kind, value: Mapping[str, object], person: Person | None, beside: Beside) -> Work:
    result, aside = result_of(_list(value, "result"))
    key = key_of(kind, result) if beside.works or beside.marks else ""
    return Work(
        kind,
        person,
        with_beyond(result, beside.works.get(key, {})),
        key,
        aside,
        seconds=_seconds(value.get("lead_time")),
        begun=_time(value, "created_at"),
        saved=_time(value, "updated_at"),
        is_ground_truth=value.get("ground_truth") is True,
    )


def _person(value: object) -> Person | None:
    """The person: an object with an address, an address, or a number. Raises ShapeError for anything else."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ShapeError("completed_by", say("must be an email address or a number"))
    return value.strip().lower() if isinstance(value, str) else value


# --- JSON_MIN -------------------------------------------------------------------------------------------------------


def _row(value: Mapping[str, object]) -> Task:
    controls = {name: answers for name, answers in value.items() if _is_answer(name, answers)}
    record, beside = _record(
        {key: text for key, text in value.items() if key not in controls and (key not in OF_A_ROW or key == BEYOND)}
    )
    items = [item for name, answers in controls.items() for item in _items(name, answers)]
    is_annotated = value.get("annotation_id") is not None or items
    work = _work(Kind.ANNOTATION, {**value, "result": items}, _person(value.get("annotator")), beside)
    return Task(record, [work] if is_annotated else [], beside.marks, number=_number(value))


def _is_answer(name: str, value: object) -> bool:
    """Return whether this is the value of a control: one of the form's, or another recognised by its shape."""
    if name in TAG_KEYS or name in OF_A_ROW:
        return False
    return is_control(name) or (isinstance(value, list) and value != [] and all(isinstance(v, dict) for v in value))


def _items(name: str, value: object) -> Iterator[Item]:
    """The results from which Label Studio made this value: a single choice or text comes without a list."""
    for each in value if isinstance(value, list) else [value]:
        whole = each if isinstance(each, dict) else {"text": [each], "choices": [each]}
        yield {"from_name": name, "value": whole}


# --- Values ---------------------------------------------------------------------------------------------------------


def _list(value: Mapping[str, object], key: str) -> list[object]:
    found = value.get(key)
    if found is not None and not isinstance(found, list):
        raise ShapeError(key, say("must be a list"))
    return found or []


def _objects(value: Mapping[str, object], *keys: str) -> Iterator[Mapping[str, object]]:
    for key in keys:
        for each in _list(value, key):
            if not isinstance(each, dict):
                raise ShapeError(key, say("must be a list of objects: export the tasks with their annotations"))
            yield each


def _number(value: Mapping[str, Any]) -> int | None:
    number = value.get("id")
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _seconds(value: object) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_SECONDS:
        raise ShapeError("lead_time", say("must be a number of seconds"))
    return round(value)


def _time(value: Mapping[str, object], key: str) -> datetime | None:
    written = value.get(key)
    if written is None:
        return None
    try:
        return moment(written if isinstance(written, str) else str(written))
    except Unreadable as error:
        raise ShapeError(key, say("cannot be read: {error}", error=error)) from error
