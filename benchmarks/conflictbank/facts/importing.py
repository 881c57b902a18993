"""Imports files of facts that are read as a whole before anything is written: tables, and entities as JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Self

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from core.engine.writing.pieces import in_chunks
from core.engine.writing.spool import Spool
from core.files.commands import perhaps_undone
from core.files.csv_reader import Row, read_csv
from core.files.imports import FileImport
from core.files.problems import check_storable
from core.files.provenance import NAME_LENGTH
from core.files.records import peek, read_lines, read_objects
from core.languages import say
from core.models import Event
from core.words import plural
from core.writing.progress import along

from ..content.entities import Told, read_entity
from ..content.table import NEEDED, read_row
from ..models import ConflictbankAction, DropReason, Fact, FactFile, FactState, RelationTemplate
from .fitness import assess_relations
from .storing import store_facts
from .templates import install_templates

LANGUAGE = "en"
# They are looked up, stored and assessed with a dozen queries, in one transaction of some tenths of a second.
MOST_TOGETHER = 200
# A check imports this number of facts and rolls back, in about a second.
MOST_TRIED = 1_000


def import_facts(stream: BinaryIO, *, check_only: bool = False, **how: Any) -> "FactImport":
    """Import the facts of a table or of entities, with the arguments of every `FileImport`. Raises Refusal, naming
    the records, if any cannot be read; with `skipped`, these go there and the others are stored.

    Which facts are dropped depends on all facts, so a check imports everything and rolls back. It only reads a file
    of more than `MOST_TRIED` facts: they would stay locked meanwhile.
    """
    with transaction.atomic():
        install_templates()
    return FactImport(is_tried=check_only, **how).bring_in(stream)


class FactImport(FileImport):
    what = "facts"

    def __init__(self, *, licence: str = "", is_tried: bool = False, **how: Any):
        super().__init__(**how)
        self.is_tried, self.is_only_read = is_tried, False
        self.licence = licence.strip()[:NAME_LENGTH]
        self.relations = set(RelationTemplate.objects.values_list("relation", flat=True))
        self.counts: Counter[str] = Counter()
        self.state: list[str] = []

    def lines(self) -> Iterator[str]:
        if self.is_only_read:
            yield (
                say(
                    "{records} read, without problems. More than {most:,} facts are not tried out: the import "
                    "shows which are new, and which are dropped.",
                    records=plural(self.counts["records"], "record"),
                    most=MOST_TRIED,
                )
            )
        else:
            yield say(
                "{records} read; {facts}.",
                records=plural(self.counts["records"], "record"),
                facts=plural(self.counts["facts"], "new fact"),
            )
        if self.counts["unknown"]:
            yield say(
                "{records} of relations without any template: left out.",
                records=plural(self.counts["unknown"], "record"),
            )
        yield from self.state

    # --- Planned ------------------------------------------------------------------------------------------------

    def records(self, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
        begun, parts = peek(parts)
        begun = begun.lstrip("\ufeff \t\r\n")
        if not begun.startswith("{"):
            for row in read_csv(parts, needed=NEEDED):
                yield say("Line {line}", line=row.line), row
        elif begun[1:].lstrip().startswith(('"entities"', '"success"')):
            yield from entities_in(parts)
        else:
            for line, record in read_lines(parts):
                yield say("Line {line}", line=line), record

    def check(self, record: object) -> None:
        check_storable(record.cells if isinstance(record, Row) else record)
        list(self.read(record))

    def plan(self, where: Any, record: Any) -> Iterable[Told]:
        self.counts["records"] += 1
        told = list(self.read(record))
        known = [each for each in told if each.relation in self.relations]
        self.counts["unknown"] += len(told) - len(known)
        self.new += len(known)
        return known

    def read(self, record: object) -> Iterable[Told]:
        if isinstance(record, Row):
            row = read_row({name: cell for name, cell in record.cells.items() if name})
            return [row] if row else []
        if isinstance(record, dict) and "id" in record:
            return read_entity(record, relations=self.relations, language=LANGUAGE)
        row = read_row(record)
        return [row] if row else []

    def bring_in(self, stream: BinaryIO) -> Self:
        super().bring_in(stream)
        if not self.state and not self.is_only_read:
            self.state = list(lines_of_facts())
        return self

    # --- Written ------------------------------------------------------------------------------------------------

    def write(self, planned: Spool, planned_after: int) -> None:
        """Store piece by piece. Another import of the same file leaves existing rows as they are."""
        self.is_only_read = self.is_tried and planned.count > MOST_TRIED
        if self.is_only_read:
            return
        with perhaps_undone(self.is_tried):
            file = file_of(self.source, licence=self.licence)
            all_planned = along(say("Writing"), planned, of=planned.count)
            for piece in in_chunks(all_planned, MOST_TOGETHER):
                self.counts["facts"] += store_facts(piece, file=file)
            finish(file, self.counts, actor=self.actor)
            self.state = list(lines_of_facts())


def entities_in(parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """The entities of a reply to `wbgetentities`; its other parts are not about facts."""
    for name, key, value in read_objects(parts):
        if name == "entities" and key is not None:
            if isinstance(value, dict) and "id" not in value:
                value = {"id": key, **value}
            yield f"Entity {key[:40]!a}", value


def file_of(source: dict[str, Any], *, licence: str, size: int = 0) -> FactFile:
    file, _ = FactFile.objects.get_or_create(
        digest=source["sha256"],
        size=size,
        defaults={"name": source["file"], "revision": source["revision"], "licence": licence},
    )
    return file


def finish(file: FactFile, counts: Counter[str], *, actor: Any = None) -> None:
    """Decide which relations can be used, and note that the whole file is stored."""
    assess_relations()
    file.counts, file.done_at = dict(counts), timezone.now()
    file.save(update_fields=["counts", "done_at"])
    if counts["facts"]:
        Event.record(ConflictbankAction.IMPORTED_FACTS, file, actor=actor, after={"facts": counts["facts"]})


def lines_of_facts() -> Iterator[str]:
    """The stored facts by state, and the dropped ones by reason."""
    states = Counter(dict(counted("state")))
    yield (
        say(
            "Of all facts here, {ready:,} are ready, {waiting:,} wait for names, and {dropped:,} were dropped.",
            ready=states[FactState.READY],
            waiting=states[FactState.WAITING],
            dropped=states[FactState.DROPPED],
        )
    )
    reasons = Counter(dict(counted("reason")))
    for reason in DropReason:
        if reasons[reason]:
            yield say("Dropped, {reason}: {count:,}", reason=reason.label, count=reasons[reason])


def counted(column: str) -> Iterable[tuple[str, int]]:
    return Fact.objects.order_by().values_list(column).annotate(n=Count("pk"))
