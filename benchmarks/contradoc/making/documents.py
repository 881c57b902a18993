"""Clean documents from a file of JSON Lines: `id`, `doc_type`, `text`. All of the file or nothing.

Importing a file again changes nothing; a document that exists with another text is refused, as candidates refer to
its text by offsets.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from core.engine.writing.inserts import Insert
from core.engine.writing.spool import Spool
from core.files.imports import FileImport
from core.files.problems import Clash, ShapeError, check_storable
from core.files.provenance import NAME_LENGTH
from core.files.records import digest_of, located_lines
from core.languages import say
from core.models import Event
from core.words import plural

from ..maker.values import Maker
from ..models import ContradocAction, Document

FIELDS = {"id", "doc_type", "text"}
LONGEST_ID = 200


def import_documents(stream: BinaryIO, *, maker: Maker, **how: Any) -> "DocumentImport":
    """Store the documents of a file, with the arguments of every `FileImport`. Raises Refusal, naming lines and
    problems, if any cannot be stored; with `skipped`, bad lines go there and the others are stored.
    """
    return DocumentImport(maker, **how).bring_in(stream)


class DocumentImport(FileImport):
    what = "documents"

    def __init__(self, maker: Maker, *, licence: str = "", **how: Any):
        super().__init__(**how)
        self.maker, self.licence = maker, licence.strip()[:NAME_LENGTH]
        # Digests of what is here, for the records that are being planned, and of what the file has had so far.
        self.here: dict[str, bytes] = {}
        self.seen: dict[str, bytes] = {}

    def lines(self) -> Iterator[str]:
        found = {"documents": plural(self.new, "document"), "there": self.there}
        if self.check_only:
            yield say("{documents} would be imported; {there:,} were already here.", **found)
        else:
            yield say("{documents} imported; {there:,} were already here.", **found)

    # --- Planned ------------------------------------------------------------------------------------------------

    def records(self, parts: Iterator[str]) -> Iterator[tuple[str, Any]]:
        return located_lines(parts)

    def check(self, record: object) -> None:
        if not isinstance(record, dict):
            raise ShapeError("", say("is not an object"))
        if unknown := record.keys() - FIELDS:
            raise ShapeError(ascii(min(unknown, key=str)), say("is not one of id, doc_type and text"))
        for name in ("id", "doc_type", "text"):
            if not isinstance(record.get(name), str) or not record[name].strip():
                raise ShapeError(name, say("must be a text that is not blank"))
        check_storable(record)
        if len(record["id"]) > LONGEST_ID:
            raise ShapeError("id", say("has more than {longest_id} characters", longest_id=LONGEST_ID))
        if record["doc_type"] not in self.maker.doc_types:
            raise ShapeError("doc_type", say("must be one of {options}", options=", ".join(self.maker.doc_types)))

    def look_up(self, records: Sequence[Any]) -> None:
        there = Document.objects.filter(benchmark=self.maker.benchmark, code__in=[each["id"] for each in records])
        self.here = {each.code: digest_of((each.doc_type, each.text)) for each in there.iterator(chunk_size=50)}

    def plan(self, where: Any, record: Any) -> Iterable[Any]:
        digest = digest_of((record["doc_type"], record["text"]))
        if record["id"] in self.seen:
            raise ShapeError("id", say("is on an earlier line, too"))
        if self.here.get(record["id"], digest) != digest:
            raise Clash(
                say("the document “{record}” is already here with another text or type", record=record["id"][:80])
            )
        self.seen[record["id"]] = digest
        if record["id"] in self.here:
            self.there += 1
            return []
        self.new += 1
        return [record]

    # --- Written ------------------------------------------------------------------------------------------------

    def rows(self, planned: list[Any]) -> Iterator[Any]:
        for record in planned:
            yield Insert.of(
                Document,
                benchmark=self.maker.benchmark,
                code=record["id"],
                doc_type=record["doc_type"],
                text=record["text"],
            )

    def write(self, planned: Spool, planned_after: int) -> None:
        self.source |= {"licence": self.licence}
        super().write(planned, planned_after)

    def at_last(self) -> None:
        newest = Document.everything.filter(benchmark=self.maker.benchmark).latest("pk")
        Event.record(ContradocAction.IMPORTED_DOCUMENTS, newest, actor=self.actor, after={"documents": self.new})
