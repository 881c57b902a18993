"""Reads a dump of Wikidata in JSON, one entity on each line, of any size, also packed with bzip2 or gzip.

Pieces of lines are stored together with the position behind them, so that an interrupted import continues there. What
precedes that position within its packed stream is unpacked again, but not read.

https://www.wikidata.org/wiki/Wikidata:Database_download#JSON_dumps_(recommended)
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.harvesting.dumps.unpacking import BZIP2, GZIP, Start, pieces
from core.engine.writing.pieces import in_chunks
from core.files.problems import Problems, ShapeError, check_storable
from core.files.provenance import NAME_LENGTH
from core.files.skipping import Skipped
from core.languages import say
from core.outside import strict_json
from core.refusals import Refusal
from core.words import plural
from core.writing.progress import along

from ..content.entities import Entity as ToldEntity
from ..content.entities import Told, described, read_entity
from ..models import Entity, FactFile, RelationTemplate
from .importing import LANGUAGE, file_of, finish, lines_of_facts
from .storing import store_entities, store_facts
from .templates import install_templates

LINES_TOGETHER = 200
# The largest entities of Wikidata have a few megabytes.
LONGEST_LINE = 64 * 2**20
# A file of this size is not hashed as a whole: its beginning and its size tell it from others.
HASHED_BYTES = 1 << 20
BROKEN = (EOFError, OSError, zlib.error)
JSON = strict_json()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the unpacked dump, with its number from 1 and a position from which reading can continue after it."""

    data: bytes
    number: int
    end: int
    start: Start


@dataclass
class DumpImport:
    """A dump being imported, and the result. `problem` says why reading stopped before the end."""

    path: Path
    licence: str = ""
    revision: str = ""
    check_only: bool = False
    skipped: Skipped | None = None
    actor: Any = None
    counts: Counter[str] = field(default_factory=Counter)
    problem: str = ""

    def lines(self) -> Iterator[str]:
        yield say(
            "{lines} read; {facts}.",
            lines=plural(self.counts["lines"], "line"),
            facts=plural(self.counts["facts"], "new fact"),
        )
        if self.counts["names"]:
            yield say(
                "{names} of entities found that were known by their ids.",
                names=plural(self.counts["names"], "name"),
            )
        if not self.check_only:
            yield from lines_of_facts()


def is_dump(path: Path) -> bool:
    """Return whether a file is a packed or an unpacked dump, by its beginning."""
    with path.open("rb") as stream:
        first = stream.read(64)
    return first.startswith((BZIP2, GZIP)) or (first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[")


def import_dump(path: Path, **how: Any) -> DumpImport:
    """Import the facts of a dump, continuing where an earlier import of it ended. A later import of a finished dump
    only adds names of entities that were known by their ids.

    A line that is not JSON ends the import before it: the lines before it are kept, and `problem` names it. With
    `skipped`, bad lines go there. A check reads everything and stores nothing. Raises OSError.
    """
    result = DumpImport(path, **how)
    with transaction.atomic():
        install_templates()
    file = known_file(result)
    only_names = file.done_at is not None
    checkpoint = {} if only_names or result.check_only else file.checkpoint
    relations = frozenset() if only_names else frozenset(RelationTemplate.objects.values_list("relation", flat=True))
    if checkpoint:
        result.counts.update(file.counts)
    problems = result.skipped if result.skipped is not None else FirstProblem()
    try:
        lines = along(say("Reading"), lines_of(path, checkpoint))
        for chunk in in_chunks(lines, LINES_TOGETHER):
            store_lines(result, file, list(chunk), relations, problems)
            if isinstance(problems, FirstProblem) and problems.count:
                result.problem = str(problems)
                return result
    except BROKEN as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        result.problem = say("The file ends too early, or is damaged here: everything read before is kept.")
        return result
    if result.skipped is not None:
        result.skipped.keep()
    if not result.check_only:
        finish(file, result.counts, actor=result.actor)
    return result


class FirstProblem(Problems):
    """Holds the first problem, at which reading ends."""


def known_file(result: DumpImport) -> FactFile:
    with result.path.open("rb") as stream:
        digest = hashlib.sha256(stream.read(HASHED_BYTES)).hexdigest()
    size = result.path.stat().st_size
    source = {"sha256": digest, "file": result.path.name[:NAME_LENGTH], "revision": result.revision[:NAME_LENGTH]}
    if result.check_only:
        return FactFile(digest=digest, size=size)
    return file_of(source, licence=result.licence[:NAME_LENGTH], size=size)


def lines_of(path: Path, checkpoint: dict[str, int]) -> Iterator[Line]:
    """The lines of the unpacked file behind the checkpoint. Raises EOFError, OSError, zlib.error and Refusal."""
    begin = Start(checkpoint.get("packed", 0), checkpoint.get("unpacked", 0))
    at, number = checkpoint.get("offset", 0), checkpoint.get("line", 0)
    skip = at - begin.unpacked
    rest = b""
    with path.open("rb") as file:
        for piece, start in pieces(file, begin):
            skipped, skip = min(skip, len(piece)), max(0, skip - len(piece))
            begin = start
            *found, rest = (rest + piece[skipped:]).split(b"\n")
            for data in found:
                at, number = at + len(data) + 1, number + 1
                yield Line(data, number, at, start)
            if len(rest) > LONGEST_LINE:
                raise Refusal(
                    say(
                        "Line {number} has more than {longest:,} bytes. Nothing more was read.",
                        number=number + 1,
                        longest=LONGEST_LINE,
                    )
                )
    if rest:
        yield Line(rest, number + 1, at + len(rest), begin)


def store_lines(
    result: DumpImport, file: FactFile, lines: Sequence[Line], relations: frozenset[str], problems: Problems
) -> None:
    """Store the facts of these lines and the position behind them, in one transaction; none of the lines from the
    first bad one."""
    told: list[Told] = []
    named: list[ToldEntity] = []
    counts: Counter[str] = Counter()
    last = None
    for line in lines:
        try:
            record = record_in(line.data)
            if record is not None:
                told += read_entity(record, relations=relations, language=LANGUAGE)
                if record.get("type", "item") == "item" and "missing" not in record:
                    named.append(described(record, language=LANGUAGE))
        except ShapeError as error:
            problems.add(
                say("Line {number}", number=line.number), error, record=line.data[:2_000].decode(errors="replace")
            )
            if isinstance(problems, FirstProblem):
                break
        counts["lines"] += 1
        last = line
    counts["facts"] = len(told) if result.check_only else 0
    if not result.check_only and last:
        with transaction.atomic():
            counts["facts"] = store_facts(told, file=file) if told else 0
            counts["names"] = store_names(named)
            result.counts += counts
            note_checkpoint(file, last, result.counts)
        return
    result.counts += counts


def record_in(data: bytes) -> dict[str, object] | None:
    """The entity on a line of a dump; None for the brackets around all. Raises ShapeError."""
    text = data.strip().removeprefix(b"\xef\xbb\xbf").rstrip(b",").strip()
    if text in (b"", b"[", b"]"):
        return None
    try:
        record = JSON.decode(text.decode())
    except (ValueError, RecursionError) as error:
        raise ShapeError("", say("is not JSON: {error}", error=str(error)[:120])) from error
    if not isinstance(record, dict):
        raise ShapeError("", say("is not an object"))
    check_storable({name: record.get(name) for name in ("id", "labels", "descriptions", "aliases")})
    return record


def store_names(named: Iterable[ToldEntity]) -> int:
    """Store the names of those entities that are known only by their ids; returns their number."""
    by_key = {each.key: each for each in named if each.name}
    waiting = Entity.objects.filter(key__in=list(by_key), name="").values_list("key", flat=True)
    wanted = [by_key[key] for key in waiting]
    if wanted:
        store_entities(wanted)
    return len(wanted)


def note_checkpoint(file: FactFile, line: Line, counts: Counter[str]) -> None:
    if file.done_at is None:
        file.checkpoint = {
            "offset": line.end,
            "packed": line.start.packed,
            "unpacked": line.start.unpacked,
            "line": line.number,
        }
        file.counts = dict(counts)
        file.save(update_fields=["checkpoint", "counts"])
