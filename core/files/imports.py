"""Imports a file of records: it is read a part at a time and planned without the lock; new records are written in
pieces and become visible in one step, or not at all.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, BinaryIO, ClassVar, Self, TypeVar, cast

from ..engine.writing.pieces import in_chunks
from ..engine.writing.spool import Spool
from ..languages import joined, say, say_count
from ..models import User
from ..refusals import Refusal
from ..writing.batches import Writing, last_batch, written_together
from ..writing.progress import along
from .csv_reader import Row, read_csv
from .problems import Clash, Problems, ShapeError
from .provenance import Hashed
from .records import NotJson, read_parts, read_records
from .skipping import Skipped

T = TypeVar("T")
# The number of records looked up with one query and planned together, and of those written together.
CHUNK, WRITTEN = 200, 500
MOST_LISTED = 1_000


class FileImport:
    """One file being imported, and the result: the numbers of new records and of those that exist already.

    A subclass says what the file's records are, which of them are new, and which rows they become. It plans while the
    file is read, and only reads then; what it plans are plain values, which are kept on disk until they are written.
    With `skipped`, records that cannot be imported go there with their reasons, and the others are imported.
    """

    what: ClassVar[str]
    # The largest size of the file; None is the setting's.
    most_bytes: int | None = None

    def __init__(
        self,
        *,
        actor: User | None = None,
        check_only: bool = False,
        skipped: Skipped | None = None,
        revision: str = "",
    ):
        self.actor, self.check_only, self.revision = actor, check_only, revision
        # The record of the file, once it is about to be written.
        self.source: dict[str, object] = {}
        self.problems = Problems() if skipped is None else skipped
        # Records that what is here stands in the way of, unless they are skipped.
        self.clashes = Problems() if skipped is None else skipped
        self.new = self.there = 0

    def lines(self) -> Iterable[str]:
        """The result of the import, or of a check, as lines of text."""
        raise NotImplementedError

    # --- To be read and planned ---------------------------------------------------------------------------------

    def records(self, parts: Iterator[str]) -> Iterator[tuple[Any, Any]]:
        """The records of the file, each with its location: those of a JSON list, numbered from 1."""
        return enumerate(read_records(parts), start=1)

    def name(self, where: Any, record: Any) -> str:
        """The name of this record in problem messages."""
        return str(where)

    def check(self, record: object) -> None:
        """Raises ShapeError if the record is not valid by itself."""

    def look_up(self, records: Sequence[Any]) -> None:
        """Read the rows that these valid records refer to, with one query for each kind of row."""

    def plan(self, where: Any, record: Any) -> Iterable[Any]:
        """The plan for a valid record. Raises ShapeError, having changed nothing here, if it cannot be imported, and
        Clash if the reason is existing data: it may be skipped and the others written.
        """
        raise NotImplementedError

    def check_whole(self) -> None:
        """Called once all records are planned. Raises Refusal if the file cannot be imported."""

    @property
    def is_something_new(self) -> bool:
        """Return whether there is anything to write."""
        return self.new > 0

    # --- To be written ------------------------------------------------------------------------------------------

    def rows(self, planned: list[Any]) -> Iterator[Any]:
        """The unsaved rows for a part of the plan."""
        raise NotImplementedError

    def write_more(self, writing: Writing) -> None:
        """Called after all rows are written."""

    def at_last(self) -> None:
        """Called in the transaction that makes all rows visible."""

    # --- How it goes --------------------------------------------------------------------------------------------

    def bring_in(self, stream: BinaryIO) -> Self:
        """Import the file, or only check it. Raises Refusal, having written nothing, if it cannot be read, or if any
        part of it cannot be imported and bad records are not skipped."""
        planned_after, hashed = last_batch(), Hashed(stream)
        with closing(Spool()) as planned:
            for chunk in in_chunks(self.records(read_parts(cast(BinaryIO, hashed), most=self.most_bytes)), CHUNK):
                for each in self.planned(chunk):
                    planned.add(each)
            self.problems.refuse()
            self.refuse_clashes()
            self.check_whole()
            self.problems.keep()
            if self.is_something_new and not self.check_only and not self.problems.forbid_writing:
                self.source = hashed.source(revision=self.revision)
                self.write(planned, planned_after)
        return self

    def planned(self, chunk: list[tuple[Any, Any]]) -> Iterator[Any]:
        errors = [self.error_in(record) for _, record in chunk]
        self.look_up([record for (_, record), error in zip(chunk, errors, strict=True) if error is None])
        for (where, record), error in zip(chunk, errors, strict=True):
            try:
                if error:
                    raise error
                yield from list(self.plan(where, record))
            except Clash as clash:
                self.clashes.add(self.name(where, record), clash, record)
            except ShapeError as problem:
                self.problems.add(self.name(where, record), problem, record)

    def refuse_clashes(self) -> None:
        if self.clashes.count and self.clashes.forbid_writing:
            raise Refusal(
                say(
                    "{clashes} Existing rows are unchanged, and nothing was written. Remove these "
                    "records from the file.",
                    clashes=self.clashes.text(),
                )
            )

    def error_in(self, record: object) -> ShapeError | None:
        if isinstance(record, NotJson):
            return ShapeError("", record.problem)
        try:
            self.check(record)
        except ShapeError as error:
            return error
        return None

    def write(self, planned: Spool, planned_after: int) -> None:
        written = written_together(self.what, planned_after=planned_after, actor=self.actor, source=self.source)
        with written as writing:
            all_planned = along("Writing", planned, of=planned.count)
            writing.create(row for chunk in in_chunks(all_planned, WRITTEN) for row in self.rows(chunk))
            self.write_more(writing)
            writing.finish(self.at_last)


class BadRows(Problems):
    """The rows of a CSV file that cannot be imported: all are listed, up to a limit, and none stops the import."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, str]] = []

    def add(self, where: Any, problem: object, record: Any = None) -> None:
        self.count += 1
        self.rows.append((where, str(problem)))

    def refuse(self) -> None:
        """Do nothing: the rows are listed."""

    @property
    def is_full(self) -> bool:
        """Return whether there are too many bad rows to read on."""
        return self.count > MOST_LISTED


class RowImport(FileImport):
    """An import of a CSV file. Bad rows are listed, and nothing is written then, unless they are skipped."""

    # The word for its rows.
    rows_hold: ClassVar[str]
    needed: ClassVar[Collection[str]]

    def __init__(self, *, skipped: Skipped | None = None, **values: Any):
        super().__init__(skipped=skipped, **values)
        self.listed = BadRows()
        if skipped is None:
            self.problems = self.listed

    def records(self, parts: Iterator[str]) -> Iterator[tuple[int, Row]]:
        for row in read_csv(parts, needed=self.needed):
            if self.listed.is_full:
                return
            yield row.line, row

    @property
    def bad(self) -> list[tuple[int, str]]:
        """The line and the reason."""
        return self.listed.rows

    @property
    def is_check(self) -> bool:
        return self.check_only

    def lines(self) -> Iterator[str]:
        for line, reason in self.bad[:MOST_LISTED]:
            yield say("Line {line}: {reason}", line=line, reason=reason)
        if self.listed.is_full:
            yield say("… and possibly more: the rest of the file was not read.")
        yield self.summary

    @property
    def summary(self) -> str:
        numbers = {"new": self.new, "rows": self.rows_hold}
        if self.bad:
            bad = say_count(len(self.bad), "{count} bad row", "{count} bad rows")
            said = say("{bad}: nothing was written. {new} {rows} could be imported.", bad=bad, **numbers)
        elif self.check_only:
            said = say("No bad rows. {new} {rows} would be imported; nothing was written.", **numbers)
        else:
            said = say("{new} {rows} imported.", **numbers)
        there = say_count(self.there, "{count} was already stored.", "{count} were already stored.")
        return joined([said, there]) if self.there else said
