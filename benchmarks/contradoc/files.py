"""Imports and exports ContraDoc's released file: `{"pos": {id: record}, "neg": {id: record}}`. Imported records are
exported as equal JSON, in their order.
"""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from annotation.kinds.registry import Benchmark, FileIn, benchmark
from annotation.kinds.signatures import Counts
from annotation.models import Listed, Release
from annotation.releases.canonical import CHUNK
from annotation.releases.files.formats import FileFormat
from annotation.releases.items.importing import ContentImport
from core.files.problems import ShapeError, broken
from core.files.records import Doubled, read_objects
from core.files.skipping import Skipped
from core.languages import joined, say
from core.models import User
from core.words import plural

from . import items as item
from .content import showing
from .content.statistics import labelled, statistics
from .items import CODE, EVIDENCE, ID, LABEL, LABELS, PLUG, REFS, SCOPE, TEXT, TYPE, Content

# The fields of a record in the order of the released file.
FIELDS = (TEXT, EVIDENCE, ID, item.KIND, PLUG, TYPE, SCOPE, REFS)


def import_documents_of_contradoc(
    stream: BinaryIO,
    *,
    name: str = "",
    admin: User | None = None,
    check_only: bool = False,
    skipped: Skipped | None = None,
    revision: str = "",
    licence: str = "",
) -> "ContraDocImport":
    """Read the released shape into a new release; returns the result.

    A file that a release holds exactly changes nothing. With `check_only` nothing is written. Raises Refusal, having
    written nothing and naming every bad record, if one does not match the benchmark's schema, or an id appears twice.
    With `skipped`, bad records go there, and the others are released. Evidence or ref sentences that are not in their
    text are imported, and listed.
    """
    how: dict[str, Any] = {"check_only": check_only, "skipped": skipped, "revision": revision, "licence": licence}
    return ContraDocImport(benchmark(CODE), name=name, admin=admin, **how).bring_in(stream)


class ContraDocImport(ContentImport):
    item = say("document")

    def __init__(self, *arguments: Any, **values: Any):
        super().__init__(*arguments, **values)
        self.sides: dict[str, int] = {}
        self.groups: set[str] = set()
        # The documents whose evidence, or one of whose ref sentences, is not in their text.
        self.not_in_text: dict[str, list[str]] = {EVIDENCE: [], REFS: []}

    def records(self, parts: Iterator[str]) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
        """Each record as a separate record that names its side."""
        for side, key, record in read_objects(parts):
            if side not in LABELS:
                raise broken(say("It has {side} besides “pos” and “neg”.", side=ascii(side)[:80]))
            self.sides.setdefault(side, 0)
            if key is not None:
                yield (side, key), {side: {key: record}}
            elif record != {} or not isinstance(record, dict):
                raise broken(say("The value of “{side}” is not an object: id, then its record.", side=side))
        for side in LABELS:
            if side not in self.sides:
                raise broken(
                    say(
                        "It has no “{side}”: ContraDoc is {shape}.",
                        side=side,
                        shape='{"pos": {id: record}, "neg": {id: record}}',
                    )
                )

    def name(self, where: tuple[str, str], record: Any) -> str:
        side, key = where
        return f"{side} {ascii(key)[1:-1][:80]}"

    def check(self, record: Any) -> None:
        side, key, found = _taken_apart(record)
        if isinstance(found, Doubled):
            raise ShapeError("", found.problem)
        problems = item.record_problems(found, side)
        if isinstance(found, dict) and isinstance(found.get(ID), str) and found[ID] != key:
            problems.append(f"the field “{ID}” is not the record’s key")
        if problems:
            raise ShapeError("", joined(problems, "; "))

    def content_of(self, record: Any) -> Content:
        side, _, found = _taken_apart(record)
        return {**found, LABEL: side}

    def called(self, content: Content) -> str:
        return content[ID]

    def note(self, content: Content) -> None:
        self.sides[content[LABEL]] += 1
        self.groups.add(item.group_of(content[ID]))
        for name in item.not_in_text(content):
            self.not_in_text[name].append(content[ID])

    def counted(self) -> str:
        return plural(self.new, "document")

    def notes(self) -> Iterator[str]:
        if self.new:
            sources = plural(len(self.groups), "source document")
            yield say("{pos:,} positive and {neg:,} negative, of {sources}.", **self.sides, sources=sources)
        for name, ids in self.not_in_text.items():
            if ids:
                where = {"documents": plural(len(ids), "document"), "ids": ", ".join(ids)}
                if name == EVIDENCE:
                    yield say(
                        "The evidence is not in the text of {documents}, and was taken as it is: {ids}.", **where
                    )
                else:
                    yield say(
                        "A ref sentence is not in the text of {documents}, and was taken as it is: {ids}.", **where
                    )


def _taken_apart(record: dict[str, Any]) -> tuple[str, str, Any]:
    ((side, records),) = record.items()
    ((key, found),) = records.items()
    return side, key, found


# --- Out ------------------------------------------------------------------------------------------------------------


def release_chunks(release: Release) -> Iterator[str]:
    """The release in the released shape, one record at a time: both sides in the order of the import."""
    rows = release.released_instances.order_by("number")
    first = rows.values_list("instance__content", flat=True).first() or {}
    order = sorted(LABELS, key=lambda side: side != first.get(LABEL, LABELS[0]))
    for number, side in enumerate(order):
        yield f"{'{' if number == 0 else ','}\n {json.dumps(side)}: {{"
        of_side = (content for content in contents_of(release) if content[LABEL] == side)
        for at, content in enumerate(of_side):
            yield f"{',' if at else ''}\n  {json.dumps(content[ID])}: {json.dumps(record_of(content))}"
        yield "\n }"
    yield "\n}\n"


def record_of(content: Content) -> dict[str, Any]:
    """The released record, its fields in the order of the released file."""
    return {name: content[name] for name in FIELDS if name in content}


# --- The benchmark --------------------------------------------------------------------------------------------------


def _listed(content: Content) -> Listed:
    return Listed(item.beginning(content[TEXT]), item.group_of(content[ID]), item.SIDES[content[LABEL]])


def contents_of(release: Release) -> Iterator[Content]:
    """The contents of a release, in its order."""
    rows = release.released_instances.order_by("number").values_list("instance__content", flat=True)
    return rows.iterator(chunk_size=CHUNK)


def _counts(release: Release) -> Counts:
    """The numbers of a release, one below the other."""
    return labelled(statistics(contents_of(release)))


JSON = FileFormat("the released shape; imported records come out equal as JSON", ".json", release_chunks)
FILE_IN = FileIn(
    "ContraDoc (JSON)",
    (
        say(
            "The released shape: an object with “pos” and “neg”, each an object of records under their ids. The "
            "documents become a new release."
        ),
        say(
            "A file is imported as a whole or not at all, and every record that cannot be imported is named. A file "
            "that a release holds already changes nothing. Evidence or ref sentences that are not in their text are "
            "taken as they are, and listed."
        ),
    ),
    import_documents_of_contradoc,
)
CONTRADOC = Benchmark(
    code=CODE,
    name="ContraDoc",
    summary=say("Documents into which models put one contradiction each. People verify it; models have to find it."),
    begins="documents",
    identifier=ID,
    listed=_listed,
    problems=item.problems,
    statistics=_counts,
    template="contradoc/_document.html",
    quotable=lambda content: {"document": (say("The document"), content[item.TEXT])},
    about=lambda instance: showing.about(instance.content),
    file_in=FILE_IN,
    item_format="json",
)
