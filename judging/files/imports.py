"""Imports responses from files: from another installation, another program, or published work. All of a file or
nothing.

Logs of Inspect and lm-evaluation-harness (`judging.harnesses`), JSON Lines, a JSON list, or CSV under the names of
`response_records`. A record needs `model`, `template`, `text` and an instance: its `instance` key, `question_ID` of a
release, or the instance itself. Importing a file again changes nothing; a response that exists with other content is
refused.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from django.db.models import Model
from django.utils import timezone

from annotation.models import Release
from core.engine.writing.inserts import Insert, give_keys, keys_for
from core.engine.writing.pieces import few_at_a_time, in_chunks
from core.engine.writing.spool import Spool
from core.files.csv_reader import read_csv
from core.files.imports import CHUNK, FileImport
from core.files.problems import ShapeError, broken, check_storable
from core.files.provenance import NAME_LENGTH
from core.files.records import digest_of, peek, read_lines, read_records, read_value
from core.files.spreadsheets import boolean, with_decimal_point
from core.languages import say
from core.models import Event, User
from core.outside import whole_number
from core.refusals import Refusal
from core.words import plural
from core.writing.batches import Writing

from ..catalogue.readings import whole_answers
from ..endpoints.token_probabilities import tokens_of_choice
from ..harnesses.inspect_logs import InspectLog, is_inspect_log
from ..harnesses.lm_eval_logs import LmEvalLog, is_lm_eval_log
from ..harnesses.logs import Log
from ..harnesses.zipped_logs import unpacked
from ..models import JudgingAction, Mark, Reading, Response, Run, RunKind, RunState
from ..protocol.replies import stored_tokens, tokens_from
from ..runs.blinding import refuse_names
from .imported_judgments import ImportedJudgments, check_judgments
from .imported_rows import Lookup, MoreJudgments, Planned
from .other_files import where_else
from .output_columns import cleaned, output_columns, uuid_of
from .response_records import (
    BOOLEANS,
    DECIMALS,
    JUDGMENTS,
    LISTS,
    LOGPROBS,
    OUTPUT,
    PART,
    WHOLE_NUMBERS,
    own_names,
    texts,
    with_own_names,
)
from .same import check_same, said_of

AS_JSON = LISTS | {LOGPROBS}
TYPED = AS_JSON | BOOLEANS | DECIMALS | WHOLE_NUMBERS
# The fields in which two records of one response must agree.
SAID = ("text", LOGPROBS, *(name for name in OUTPUT if name != "answered_at"))
# There is one response per run, instance, model, template, repetition and part of the answer.
POSITION = ("run", "instance", "model__name", "template", "repetition", PART)


def import_responses(
    stream: BinaryIO, *, name: str = "", release: Release | None = None, model: str = "", **how: Any
) -> "ResponseImport":
    """Store the responses of a file, with the arguments of every `FileImport`. `name` names the run for records that
    name none; `release` is the one that their `question_ID` refers to; `model` the name of the model, for logs
    without it. Raises Refusal, naming record and field, if any part of the file cannot be imported; with `skipped`,
    bad records go there and the others are stored. Raises Forbidden for a person who must not learn which model wrote
    what: checking a file would confirm their guesses.
    """
    refuse_names(how.get("actor"))
    found = ResponseImport(name=name or "Imported responses", release=release, model=model, **how)
    return found.bring_in(unpacked(stream))


# --- Files into records -------------------------------------------------------------------------------------------


def log_of(begun: str, *, name: str, release: Release | None, model: str) -> Log | None:
    """The reader of a file with this beginning, if it is the log of another program."""
    if is_inspect_log(begun):
        return InspectLog(name, release)
    return LmEvalLog(name, release, model) if is_lm_eval_log(begun) else None


def read_response_file(begun: str, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """The records of a file in their order, each with its location; the first character decides the kind of file."""
    first = begun.lstrip()[:1]
    if not first:
        raise broken(say("It is empty."))
    if first == "[":
        return (
            (say("Record {number}", number=number), record)
            for number, record in enumerate(read_records(parts), start=1)
        )
    if first == "{":
        return ((say("Line {line}", line=line), record) for line, record in read_lines(parts))
    rows = read_csv(parts, is_exact=True)
    return (
        (
            say("Line {line}", line=row.line),
            {name: value_of(name, cell) for name, cell in row.cells.items() if cell != ""},
        )
        for row in rows
    )


def value_of(name: str, cell: str) -> Any:
    """The value of a cell. An invalid one stays text, which `check_shape` refuses by field name."""
    if name not in TYPED:
        return cell
    cell = cell.strip()
    if not cell:
        return None
    if name in BOOLEANS:
        value = boolean(cell)
        return cell if value is None else value
    if name in DECIMALS:
        return with_decimal_point(cell)
    if name in AS_JSON:
        try:
            return read_value(cell)
        except Refusal:
            return cell
    number = whole_number(cell)
    return cell if number is None else number


# --- Records into rows --------------------------------------------------------------------------------------------


class ResponseImport(FileImport):
    what = "responses"

    def __init__(self, *, name: str, release: Release | None, model: str = "", licence: str = "", **values: Any):
        super().__init__(**values)
        self.name_of_run, self.release, self.model = name, release, model
        self.licence = licence.strip()[:NAME_LENGTH]
        self.log: Log | None = None
        self.lookup, self.runs = Lookup(release), Runs(name, self.actor)
        self.judgments = ImportedJudgments(self.lookup.models, self.actor)
        self.has_records = self.is_written = False
        # The number of responses that occur more than once in the file.
        self.repeated = 0
        # The stored rows at the positions of the current records, and the file's own rows by position: a
        # digest of each field in `SAID`.
        self.here: dict[bytes, bytes] = {}
        self.seen: dict[bytes, bytes] = {}
        # The keys in the database of the stored responses.
        self.numbers: dict[bytes, int] = {}
        # Keys of responses: stored ones among these records, and new ones in the file.
        self.taken: set[uuid.UUID] = set()
        self.keys: set[uuid.UUID] = set()

    def lines(self) -> list[str]:
        there = f", {plural(self.there, 'was', 'were')} already here" if self.there else ""
        if self.repeated:
            there += f", {plural(self.repeated, 'is', 'are')} in the file twice"
        judged = f" {plural(self.judgments.new, 'judgment')} of judge models imported." if self.judgments.new else ""
        used = [*self.runs.used, *self.judgments.runs.values()]
        runs = [str(run) if self.is_written else run.name or str(run.key) for run in used]
        new = plural(self.new, "response")
        left_out = self.log.lines() if self.log else []
        return [f"{new} imported{there}.{judged} Runs: {', '.join(runs) or 'none'}.", *left_out]

    # --- Planned ------------------------------------------------------------------------------------------------

    def check_beginning(self, begun: str) -> None:
        """Raises Refusal if a file with this beginning is imported elsewhere."""
        if elsewhere := where_else(begun):
            raise broken(elsewhere)

    def records(self, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
        begun, parts = peek(parts)
        self.check_beginning(begun)
        self.log = log_of(begun, name=self.name_of_run, release=self.release, model=self.model)
        for where, record in self.log.records(parts) if self.log else read_response_file(begun, parts):
            self.has_records = True
            yield where, with_own_names(record) if isinstance(record, dict) else record

    def check(self, record: Any) -> None:
        check_shape(record)

    def look_up(self, records: Sequence[dict[str, Any]]) -> None:
        self.lookup.look_up(records)
        instances = self.lookup.found(records)
        self.lookup.look_up_variants(instances)
        self.lookup.look_up_content(instances)
        runs = {run.pk: run for run in self.runs.used_by(records) if run.pk}
        here = Response.objects.filter(run__in=runs, instance__in=instances)
        rows = here.values("pk", *POSITION, *SAID) if runs else []
        self.numbers = {digest_of(str(row[name]) for name in POSITION): row["pk"] for row in rows}
        self.here = {at: said_of(row, SAID) for at, row in zip(self.numbers, rows, strict=True)}
        if runs and any(record.get(JUDGMENTS) for record in records):
            self.judgments.look_up(list(runs.values()), {number: at for at, number in self.numbers.items()})
        keys = {key for record in records if (key := uuid_in(record.get("response")))}
        self.taken = set(Response.objects.filter(key__in=keys).values_list("key", flat=True))

    def plan(self, where: str, record: dict[str, Any]) -> Iterator[Planned | MoreJudgments]:
        found, run, values = self.lookup.find(record), self.runs.of(record), columns_of(record)
        self.lookup.check_number(where, record, found)
        values["mark"] = self.lookup.mark(found, record, values["mark"])
        self.lookup.check_part(found, values[PART])
        at = (run.pk or run.key, found.instance, found.model, found.template, values["repetition"], values[PART])
        position, said = digest_of(map(str, at)), said_of(values, SAID)
        stored, seen = self.here.get(position), self.seen.get(position)
        if stored is not None or seen is not None:
            said_before = (
                say("the stored response") if stored else say("an earlier record of this response in the file")
            )
            check_same(stored or seen or b"", said, SAID, said_before)
            yield from self.plan_judgments(record, run, position, found.template)
            self.there += stored is not None
            self.repeated += stored is None
            return
        self.runs.check_open(run)
        self.check_key(values.get("key"))
        offered = self.lookup.offered[found.template]
        judgments = self.judgments.plan(record, run=run, position=position, offered=offered, is_in_file=False)
        self.seen[position] = said
        if "key" in values:
            self.keys.add(values["key"])
        self.new += 1
        self.runs.counts[run.key] += 1
        planned = self.lookup.refer(record, found, values, run.key)
        planned.judgments = judgments
        yield planned

    def plan_judgments(
        self, record: dict[str, Any], run: Run, position: bytes, template: int
    ) -> Iterator[MoreJudgments]:
        """The new judgments of a response that exists, or comes earlier in the file."""
        if not record.get(JUDGMENTS):
            return
        self.runs.check_open(run)
        number, offered = self.numbers.get(position), self.lookup.offered[template]
        planned = self.judgments.plan(record, run=run, position=position, offered=offered, is_in_file=number is None)
        if planned and number is not None:
            yield MoreJudgments(run.key, number, planned)

    def check_key(self, key: uuid.UUID | None) -> None:
        if key in self.taken or key in self.keys:
            raise ShapeError(
                "response", say("is {key}, which is already here, or twice in the file, for something else", key=key)
            )

    def check_whole(self) -> None:
        # For a log without any reply, the samples are listed with their reasons.
        if not self.has_records and not (self.log and self.log.left_out_count):
            raise broken(say("It holds no records."))

    # --- Written ------------------------------------------------------------------------------------------------

    @property
    def is_something_new(self) -> bool:
        return bool(self.new or self.judgments.new)

    def write(self, planned: Spool, planned_after: int) -> None:
        if self.licence:
            self.source["licence"] = self.licence
        super().write(planned, planned_after)

    def rows(self, planned: list[Planned | MoreJudgments]) -> Iterator[Model | Insert]:
        new = [run for run in self.runs.used if run.pk is None and self.runs.counts[run.key]]
        give_keys(new)
        yield from new
        yield from self.judgments.new_runs()
        responses = [each for each in planned if isinstance(each, Planned)]
        yield from self.lookup.rows(responses)
        yield from self.judgments.judge_rows(each.judgments for each in planned)
        runs = {run.key: run.pk for run in self.runs.used}
        keys = keys_for({Response: len(responses)})[Response]
        for each in planned:
            number = next(keys) if isinstance(each, Planned) else each.response
            if isinstance(each, Planned):
                yield Insert.of(Response, id=number, run_id=runs[each.run], **self.lookup.columns(each))
            if isinstance(each, Planned) and each.reading:
                yield Insert.of(Reading, response_id=number, **each.reading)
            yield from self.judgments.rows(each.run, number, each.judgments)

    def write_more(self, writing: Writing) -> None:
        """Write the readings of answers of several parts that are complete now."""
        several = self.lookup.several
        new = Response.everything.filter(batch=writing.batch, template__in=several).order_by("pk")
        read: set[int] = set()

        def readings() -> Iterator[Insert]:
            for some in in_chunks(few_at_a_time(new), CHUNK) if several else ():
                for answer in whole_answers(some, self.lookup.tasks):
                    if answer.first.pk not in read and (columns := answer.columns):
                        read.add(answer.first.pk)
                        yield Insert.of(Reading, response_id=answer.first.pk, **columns)

        writing.create(readings())

    def at_last(self) -> None:
        self.runs.record(self.source)
        self.judgments.at_last({run.key: run for run in self.runs.used})
        self.is_written = True


def check_shape(record: Any) -> None:
    """Raises ShapeError if the record is not valid; unknown names are allowed."""
    if not isinstance(record, dict):
        raise ShapeError("", say("it must be an object"))
    check_storable(record)
    for key, value in record.items():
        if value is None:
            continue
        if key in texts() and not isinstance(value, str):
            raise ShapeError(key, say("must be a text"))
        if key in WHOLE_NUMBERS and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31):
            raise ShapeError(key, say("must be a whole number"))
        if key in LISTS and not isinstance(value, list):
            raise ShapeError(key, say("must be a list"))
        if key in BOOLEANS and not isinstance(value, bool):
            raise ShapeError(key, say("must be true or false"))
    if record.get(JUDGMENTS) is not None:
        check_judgments(record[JUDGMENTS])
    for key in ("model", "template"):
        if not record.get(key):
            raise ShapeError(key, say("is missing"))
    if not isinstance(record.get("text"), str):
        raise ShapeError("text", say("is missing"))


def columns_of(record: dict[str, Any]) -> dict[str, Any]:
    """The columns of the response that a record describes; its key only if the record has one. Raises ShapeError if
    the record is not valid.
    """
    # An imported run belongs to no release here, so what the record says about one is kept like any other unknown
    # field.
    own = own_names() - {"release", "question_ID"}
    more = {key: value for key, value in record.items() if key not in own}
    values = output_columns(record) | {
        "repetition": cleaned("repetition", record.get("repetition") or 1),
        PART: cleaned(PART, record.get(PART) or 1),
        LOGPROBS: logprobs_in(record.get(LOGPROBS)),
        "imported": {"messages": record.get("messages") or [], **({"more": more} if more else {})},
    }
    if values["mark"] == Mark.COMPLETE and record.get("error"):
        values["mark"] = Mark.FAILED.value  # half of a reply, and what broke it off
    if key := record.get("response"):
        values["key"] = uuid_of("response", key)
    return values


def logprobs_in(value: Any) -> list[dict[str, Any]] | None:
    """The log-probabilities of a record: in the form of exports, or in that of a chat or a completion. Raises
    ShapeError if they are in neither.
    """
    if value in (None, ""):
        return None
    if isinstance(value, dict):
        tokens = tokens_of_choice({LOGPROBS: value})
        if tokens is None:
            raise ShapeError(LOGPROBS, say("holds no valid log-probabilities of a chat or a completion"))
        return stored_tokens(tokens)
    try:
        return stored_tokens(tokens_from(value))
    except ValueError as error:
        raise ShapeError(LOGPROBS, str(error)) from None


def uuid_in(value: Any) -> uuid.UUID | None:
    try:
        return uuid_of("", value)
    except ShapeError:
        return None


class Runs:
    """The runs that records belong to: found by their key, otherwise by the name of the import."""

    def __init__(self, name: str, actor: User | None):
        self.name, self.actor = name, actor
        # The release of a new run, where the file is about one.
        self.release: Release | None = None
        self.by_key: dict[str, Run] = {}
        # The number of new responses.
        self.counts: Counter[uuid.UUID] = Counter()

    @property
    def used(self) -> list[Run]:
        return list({run.key: run for run in self.by_key.values()}.values())

    def of(self, record: dict[str, Any]) -> Run:
        key = record.get("run")
        found = self.by_key.get(str(key or ""))
        if found is None:
            found = self.by_key[str(key or "")] = self.find(key) or self.make(record, key)
        return found

    def used_by(self, records: Iterable[dict[str, Any]]) -> list[Run]:
        """The runs of these records, as far as their keys are valid."""
        keys = {record.get("run"): record for record in records if not isinstance(record.get("run"), dict | list)}
        valid = [record for key, record in keys.items() if not key or uuid_in(key)]
        return list({run.key: run for run in map(self.of, valid)}.values())

    def find(self, key: Any) -> Run | None:
        if key:
            return Run.objects.filter(key=uuid_of("run", key)).first()
        return Run.objects.filter(kind=RunKind.IMPORT, name=self.name).order_by("pk").first()

    def make(self, record: dict[str, Any], key: Any) -> Run:
        now = timezone.now()
        run = Run(
            name=(record.get("run_name") or "" if key else self.name)[:200],
            kind=RunKind.IMPORT,
            state=RunState.FINISHED,
            release=self.release,
            created_by=self.actor,
            started_at=now,
            finished_at=now,
        )
        if key:
            run.key = uuid_of("run", key)
        return run

    def check_open(self, run: Run) -> None:
        """Raises ShapeError if the run was made here: its responses come from its own calls."""
        if run.kind != RunKind.IMPORT:
            raise ShapeError("run", say("is {run}, which was made here and has no such response", run=run))

    def record(self, source: Mapping[str, object]) -> None:
        """Record the import in the log of each run, with what tells its file from others. The file's name is not
        among it: it may name a model.
        """
        origin = {name: source[name] for name in ("revision", "licence", "sha256") if source.get(name)}
        for run in self.used:
            if self.counts[run.key]:
                after = {"responses": self.counts[run.key], **origin}
                Event.record(JudgingAction.IMPORTED_RESPONSES, run, actor=self.actor, after=after)
