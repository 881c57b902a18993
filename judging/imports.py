"""Responses from files: of another installation, of another program, of published work. All of a file or nothing.

JSON Lines, a JSON list, or CSV, under the names of `response_records`. A record needs `model`, `template`, `text` and
an instance: its `instance` key, or `question_ID` of a release, or the instance itself. Reading a file twice changes
nothing; a response that is here already and says something else is refused.
"""

import csv
import io
import json
import math
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.errors import Refusal
from annotation.models import Event, Release, User
from annotation.publishing.record_files import broken, read_records, read_text, read_value
from annotation.publishing.records import ShapeError, check_storable
from judging.imported_rows import Lookup
from judging.models import Mark, Response, Run, RunKind, RunState
from judging.replies import Reply
from judging.response_records import COLUMNS, LISTS, OUTPUT, TEXTS, WHOLE_NUMBERS, text_of_cell, with_own_names

PROBLEMS_SHOWN = 5
LONGEST_CELL = 10_000_000
# What two records of one response have to agree in.
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
    """Store the responses of a file. `name` names the run of records that name none; `release` is where their
    `question_ID` counts. Raises Refusal for a file that cannot be taken whole, naming record and field."""
    records = list(read_response_file(read_text(stream)))
    if not records:
        raise broken("It holds no records.")
    try:
        with transaction.atomic():
            result = store(records, name=name or "Imported responses", release=release, actor=actor)
            if check_only:
                transaction.set_rollback(True)
    except IntegrityError as error:
        raise Refusal("Another import wrote the same rows at this moment. Nothing was written: try again.") from error
    return result


# --- Files into records -------------------------------------------------------------------------------------------


def read_response_file(text: str) -> Iterator[Any]:
    """The records of a file in their order; what kind of file it is shows at its first character."""
    start = text.lstrip()[:1]
    if not start:
        raise broken("It is empty.")
    if start == "[":
        yield from read_records(text)
    elif start == "{":
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield read_line(line, number)
    else:
        yield from read_csv(text)


def read_line(line: str, number: int) -> Any:
    try:
        return read_value(line)
    except Refusal as refusal:
        raise broken(f"Line {number}: {refusal.message}") from refusal


def read_csv(text: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(LONGEST_CELL)
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = next(rows)
        if len(set(columns)) != len(columns):
            raise broken("Two columns of it have the same name.")
        for number, row in enumerate(rows, start=1):
            if len(row) != len(columns):
                raise broken(f"Record {number} has {len(row)} cells, and there are {len(columns)} columns.")
            yield {name: value_of(name, cell) for name, cell in zip(columns, row, strict=True) if cell != ""}
    except csv.Error as error:
        raise broken(f"It is not CSV: {error} (line {rows.line_num}).") from error


def value_of(name: str, cell: str) -> Any:
    if name in LISTS or name == "same_passage":
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return int(cell) if name in WHOLE_NUMBERS and cell.isascii() and cell.isdigit() else text_of_cell(cell)


# --- Records into rows --------------------------------------------------------------------------------------------


def store(records: list[Any], *, name: str, release: Release | None, actor: User | None) -> ImportResult:
    lookup, result, problems = Lookup(release), ImportResult(), []
    new: dict[tuple[int, ...], Response] = {}
    runs = Runs(name, actor)
    for number, record in enumerate(records, start=1):
        try:
            check_shape(record)
            response = response_of(with_own_names(record), lookup, runs)
            place = place_of(response)
            known = runs.responses(response.run).get(place) or new.get(place)
            if known is None:
                runs.check_open(response.run)
                new[place] = response
            else:
                check_same(known, response)
                result.there += 1
        except ShapeError as error:
            problems.append(f"Record {number}: {error}")
    if problems:
        more = f". {len(problems) - PROBLEMS_SHOWN:,} more have problems" if len(problems) > PROBLEMS_SHOWN else ""
        raise broken(f"{'. '.join(problems[:PROBLEMS_SHOWN])}{more}.")
    lookup.save()
    for response in new.values():
        # What was saved just now has its number now.
        response.instance, response.model, response.resolved = response.instance, response.model, response.resolved
    keys = Counter(response.key for response in new.values())
    taken = Response.objects.filter(key__in=keys).values_list("key", flat=True)
    if elsewhere := [*taken, *(key for key, times in keys.items() if times > 1)]:
        raise broken(f"The response {elsewhere[0]} is here already, or twice in the file, in another place.")
    Response.objects.bulk_create(new.values(), batch_size=500)
    runs.record(new.values())
    result.new, result.runs = len(new), [str(run) for run in runs.used]
    return result


def check_shape(record: Any) -> None:
    """Raises ShapeError for a record that cannot be one; unknown names are fine."""
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
    """The response that a record tells of, not saved. Raises ShapeError."""
    instance = lookup.instance(record)
    # An imported run is of no release here, so what the record says of one is kept like anything else unknown.
    more = {key: value for key, value in record.items() if key not in COLUMNS or key in ("release", "question_ID")}
    response = Response(
        run=runs.of(record),
        instance=instance,
        model=lookup.model(record),
        template=lookup.template(record),
        resolved=lookup.resolved(record, instance),
        repetition=record.get("repetition") or 1,
        text=record["text"],
        imported={"messages": record.get("messages") or [], **({"more": more} if more else {})},
        **{name: record[name] for name in OUTPUT if record.get(name) not in (None, "")},
    )
    if key := record.get("response"):
        response.key = uuid_of("response", key)
    if not record.get("mark"):
        response.mark = Mark(Reply(response.text, response.finish_reason, response.refusal).outcome)
    try:
        response.clean_fields(exclude=["run", "instance", "model", "template", "resolved", "imported"])
    except ValidationError as error:
        name, problems = next(iter(error.message_dict.items()))
        raise ShapeError(name, f"cannot be stored: {problems[0]}") from error
    if response.seconds is not None and not 0 <= response.seconds < math.inf:
        raise ShapeError("seconds", "must be a number that is not below 0")
    return response


def uuid_of(name: str, value: Any) -> uuid.UUID:
    try:
        return uuid.UUID(value)
    except (ValueError, AttributeError, TypeError):
        raise ShapeError(name, "must be a UUID") from None


def place_of(response: Response) -> tuple[Any, ...]:
    """Where a response belongs: there is one a run, instance, model, template and repetition."""
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
        self.made: set[uuid.UUID] = set()

    @property
    def used(self) -> list[Run]:
        return list(dict.fromkeys(self.by_key.values()))

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
        run.save()
        self.made.add(run.key)
        return run

    def responses(self, run: Run) -> dict[tuple[Any, ...], Response]:
        if run.key not in self.known:
            rows = run.responses.select_related("run", "instance", "model", "template") if run.pk else []
            self.known[run.key] = {place_of(row): row for row in rows}
        return self.known[run.key]

    def check_open(self, run: Run) -> None:
        """A run that was made here gets its responses from its calls."""
        if run.kind != RunKind.IMPORT:
            raise ShapeError("run", f"is {run}, which was made here and has no such response")

    def record(self, responses) -> None:
        for run in self.used:
            count = sum(response.run == run for response in responses)
            if count:
                Event.record("responses imported", run, actor=self.actor, after={"responses": count})
