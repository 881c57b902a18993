"""Responses from files: from another installation, another program, or published work. All of a file or nothing.

JSON Lines, a JSON list, or CSV, under the names of `response_records`. A record needs `model`, `template`, `text` and
an instance: its `instance` key, or `question_ID` of a release, or the instance itself. Reading a file twice changes
nothing; a response that is already here with different content is refused.
"""

import csv
import io
import json
import math
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils import timezone

from annotation.content.paper_record import ShapeError, check_storable
from annotation.models import Release
from core.files.records import (
    Problems,
    broken,
    check_count,
    read_lines,
    read_lists,
    read_records,
    read_text,
    read_value,
)
from core.files.spreadsheets import read_table
from core.models import Event, User
from core.outside import Unreadable, moment, whole_number
from core.refusals import Refusal
from core.writing.batches import Writing, last_batch, written_together
from core.writing.inserts import give_keys

from ..endpoints.replies import Reply
from ..models import JudgingAction, Mark, Response, Run, RunKind, RunState
from .human_evaluation import ANSWER
from .imported_rows import Lookup
from .response_records import COLUMNS, LISTS, OUTPUT, TEXTS, WHOLE_NUMBERS, with_own_names

KEYS_AT_A_TIME = 500
ANSWER_KEY = re.compile(rf'"{ANSWER.pattern}"\s*:')
# The fields in which two records of one response must agree.
SAID = ("text", *(name for name in OUTPUT if name != "answered_at"))


@dataclass
class ImportResult:
    runs: list[str] = field(default_factory=list)
    new: int = 0
    there: int = 0

    def lines(self) -> list[str]:
        there = f", {self.there:,} were here already" if self.there else ""
        return [f"{self.new:,} responses imported{there}. Runs: {', '.join(self.runs) or 'none'}."]


def import_responses(
    stream: BinaryIO,
    *,
    name: str = "",
    release: Release | None = None,
    check_only: bool = False,
    actor: User | None = None,
) -> ImportResult:
    """Store the responses of a file. `name` names the run for records that name none; `release` is the one that their
    `question_ID` refers to. Raises Refusal, naming record and field, if any part of the file cannot be imported."""
    records = read_response_file(read_text(stream))
    planned_after = last_batch()
    plan = plan_import(records, name=name or "Imported responses", release=release, actor=actor)
    if plan.new and not check_only:
        with written_together("responses", planned_after=planned_after, actor=actor) as writing:
            store(plan, writing)
    return plan.result


# --- Files into records -------------------------------------------------------------------------------------------


def read_response_file(text: str) -> Iterator[tuple[str, Any]]:
    """The records of a file in their order, each with its location; the first character shows what kind of file it
    is."""
    start = re.match(r"\s*", text)
    first = text[start.end() : start.end() + 1] if start else ""
    if not first:
        raise broken("It is empty.")
    if is_human_evaluation(text):
        raise broken(
            "It is a human evaluation like the paper's: it holds people's verdicts as well. Bring it in on the page "
            "Import a human evaluation, under Reports, or with: manage.py import_human_evaluation FILE."
        )
    if first == "[":
        return ((f"Record {number}", record) for number, record in enumerate(read_records(text), start=1))
    if first == "{":
        return ((f"Line {line}", record) for line, record in read_lines(text))
    return read_csv(text)


def is_human_evaluation(text: str) -> bool:
    """Whether the file holds models with their records, or the records of one model, like the released evaluation:
    the first record decides."""
    if not ANSWER_KEY.search(text):
        return False
    try:
        is_list = text.lstrip()[:1] == "["
        first = next(read_records(text) if is_list else (record for *_, record in read_lists(text)), None)
    except Refusal:
        return False  # broken: this is reported with the line later
    return isinstance(first, dict) and "text" not in first and any(ANSWER.fullmatch(key) for key in first)


def read_csv(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        table = read_table(io.StringIO(text, newline=""))
        columns = next(table)[1]
        if len(set(columns)) != len(columns):
            raise broken("Two columns of it have the same name.")
        for number, (line, row) in enumerate(table, start=1):
            check_count(number)
            if len(row) != len(columns):
                raise broken(f"Line {line} has {len(row)} cells, and there are {len(columns)} columns.")
            cells = {name: value_of(name, cell) for name, cell in zip(columns, row, strict=True) if cell != ""}
            yield f"Line {line}", cells
    except csv.Error as error:
        raise broken(f"It is not CSV: {error}.") from error


def value_of(name: str, cell: str) -> Any:
    """The value of a cell. An invalid number stays text, which `check_shape` refuses by field name."""
    if name in LISTS or name == "same_passage":
        try:
            return read_value(cell)
        except Refusal:
            return cell
    number = whole_number(cell) if name in WHOLE_NUMBERS else None
    return cell if number is None else number


# --- Records into rows --------------------------------------------------------------------------------------------


@dataclass
class ImportPlan:
    """What an import will write; none of it is saved."""

    lookup: Lookup
    runs: "Runs"
    new: list[Response]
    result: ImportResult


def plan_import(
    records: Iterable[tuple[str, Any]], *, name: str, release: Release | None, actor: User | None
) -> ImportPlan:
    """Plan the import, reading only. Raises Refusal if any record cannot be imported."""
    lookup, result, problems, where = Lookup(release), ImportResult(), Problems(), ""
    new: dict[tuple[int, ...], Response] = {}
    runs = Runs(name, actor)
    for where, record in records:
        try:
            check_shape(record)
            response = response_of(with_own_names(record), lookup, runs)
            position = position_of(response)
            known = runs.responses(response.run).get(position) or new.get(position)
            if known is None:
                runs.check_open(response.run)
                new[position] = response
            else:
                check_same(known, response)
                result.there += 1
        except ShapeError as error:
            problems.add(where, error)
    problems.refuse()
    if not where:
        raise broken("It holds no records.")
    keys = Counter(response.key for response in new.values())
    if elsewhere := [*taken_keys(keys), *(key for key, times in keys.items() if times > 1)]:
        raise broken(f"The response {elsewhere[0]} is here already, or twice in the file, for something else.")
    result.new, result.runs = len(new), [run.name or str(run.key) for run in runs.used]
    return ImportPlan(lookup, runs, list(new.values()), result)


def taken_keys(keys: Iterable[uuid.UUID]) -> list[uuid.UUID]:
    asked = list(keys)
    parts = (asked[start : start + KEYS_AT_A_TIME] for start in range(0, len(asked), KEYS_AT_A_TIME))
    return [key for part in parts for key in Response.objects.filter(key__in=part).values_list("key", flat=True)]


def store(plan: ImportPlan, writing: Writing) -> None:
    writing.create(rows_of(plan))
    writing.finish(lambda: plan.runs.record(plan.new))
    plan.result.runs = [str(run) for run in plan.runs.used]


def rows_of(plan: ImportPlan) -> Iterator[Model]:
    runs = [run for run in plan.runs.used if run.pk is None]
    give_keys(runs)
    yield from runs
    yield from plan.lookup.made_up()
    for response in plan.new:
        # Rows that were unsaved when the file was read have their keys now.
        response.run, response.instance, response.model = response.run, response.instance, response.model
        response.resolved = response.resolved
        yield response


def check_shape(record: Any) -> None:
    """Raises ShapeError if the record is not valid; unknown names are allowed."""
    if not isinstance(record, dict):
        raise ShapeError("", "it must be an object")
    check_storable(record)
    for key, value in with_own_names(record).items():
        if value is None:
            continue
        if key in TEXTS and not isinstance(value, str):
            raise ShapeError(key, "must be a text")
        if key in WHOLE_NUMBERS and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31):
            raise ShapeError(key, "must be a whole number")
        if key in LISTS and not isinstance(value, list):
            raise ShapeError(key, "must be a list")
        if key == "same_passage" and not isinstance(value, bool):
            raise ShapeError(key, "must be true or false")
    for key in ("model", "template"):
        if not record.get(key):
            raise ShapeError(key, "is missing")
    if not isinstance(record.get("text"), str):
        raise ShapeError("text", "is missing")


def response_of(record: dict[str, Any], lookup: Lookup, runs: "Runs") -> Response:
    """The unsaved response that a record describes. Raises ShapeError if the record is not valid."""
    instance = lookup.instance(record)
    # An imported run belongs to no release here, so what the record says about one is kept like any other unknown
    # field.
    more = {key: value for key, value in record.items() if key not in COLUMNS or key in ("release", "question_ID")}
    said = {name: record[name] for name in OUTPUT if record.get(name) not in (None, "")}
    if "answered_at" in said:
        said["answered_at"] = time_of("answered_at", said["answered_at"])
    response = Response(
        run=runs.of(record),
        instance=instance,
        model=lookup.model(record),
        template=lookup.template(record),
        resolved=lookup.resolved(record, instance),
        repetition=record.get("repetition") or 1,
        text=record["text"],
        imported={"messages": record.get("messages") or [], **({"more": more} if more else {})},
        **said,
    )
    if key := record.get("response"):
        response.key = uuid_of("response", key)
    if not record.get("mark"):
        response.mark = Mark(Reply(response.answer, response.finish_reason, response.refusal).outcome)
    try:
        response.clean_fields(exclude=["run", "instance", "model", "template", "resolved", "imported"])
    except ValidationError as error:
        name, problems = next(iter(error.message_dict.items()))
        raise ShapeError(name, f"cannot be stored: {problems[0]}") from error
    if response.seconds is not None and not 0 <= response.seconds < math.inf:
        raise ShapeError("seconds", "must be a number, 0 or more")
    return response


def uuid_of(name: str, value: Any) -> uuid.UUID:
    try:
        return uuid.UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise ShapeError(name, "must be a UUID") from None


def time_of(name: str, value: Any) -> datetime:
    try:
        return moment(value if isinstance(value, str) else json.dumps(value))
    except Unreadable as error:
        raise ShapeError(name, f"cannot be stored: {error}") from error


def position_of(response: Response) -> tuple[Any, ...]:
    """What identifies a response: there is one per run, instance, model, template and repetition."""
    return (
        response.run.key,
        response.instance.key,
        response.model.name,
        (response.template.code, response.template.version),
        response.repetition,
    )


def check_same(known: Response, response: Response) -> None:
    for name in SAID:
        if getattr(known, name) != getattr(response, name):
            raise ShapeError(name, "is not what the stored response says")


class Runs:
    """The runs that records belong to: found by their key, else by the name of the import."""

    def __init__(self, name: str, actor: User | None):
        self.name, self.actor = name, actor
        self.by_key: dict[str, Run] = {}
        self.known: dict[uuid.UUID, dict[tuple[Any, ...], Response]] = {}

    @property
    def used(self) -> list[Run]:
        return list({run.key: run for run in self.by_key.values()}.values())

    def of(self, record: dict[str, Any]) -> Run:
        key = record.get("run")
        found = self.by_key.get(str(key or ""))
        if found is None:
            found = self.find(uuid_of("run", key)) if key else self.find_named()
            if found is None:
                found = self.make(record, key)
            self.by_key[str(key or "")] = found
        return found

    def find(self, key: uuid.UUID) -> Run | None:
        return Run.objects.filter(key=key).first()

    def find_named(self) -> Run | None:
        return Run.objects.filter(kind=RunKind.IMPORT, name=self.name).order_by("pk").first()

    def make(self, record: dict[str, Any], key: Any) -> Run:
        now = timezone.now()
        run = Run(
            name=(record.get("run_name") or "" if key else self.name)[:200],
            kind=RunKind.IMPORT,
            state=RunState.FINISHED,
            created_by=self.actor,
            started_at=now,
            finished_at=now,
        )
        run.key = uuid_of("run", key) if key else run.key
        return run

    def responses(self, run: Run) -> dict[tuple[Any, ...], Response]:
        if run.key not in self.known:
            rows = run.responses.select_related("run", "instance", "model", "template") if run.pk else []
            self.known[run.key] = {position_of(row): row for row in rows}
        return self.known[run.key]

    def check_open(self, run: Run) -> None:
        """Raises ShapeError if the run was made here: its responses come from its calls."""
        if run.kind != RunKind.IMPORT:
            raise ShapeError("run", f"is {run}, which was made here and has no such response")

    def record(self, responses: list[Response]) -> None:
        counts = Counter(response.run.key for response in responses)
        for run in self.used:
            if counts[run.key]:
                Event.record(
                    JudgingAction.IMPORTED_RESPONSES, run, actor=self.actor, after={"responses": counts[run.key]}
                )
