"""Imports a file of a benchmark's items into a release: checked as a whole, frozen in the order of the file."""

import hashlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Self

from core.engine.writing.pieces import in_chunks
from core.engine.writing.seen import Seen
from core.engine.writing.spool import Spool
from core.files.imports import FileImport
from core.files.problems import MOST_PROBLEMS, Problems, ShapeError
from core.files.provenance import NAME_LENGTH
from core.files.skipping import Skipped
from core.languages import say, say_count
from core.models import User
from core.refusals import Refusal
from core.words import plural
from core.writing.batches import last_batch, written_together
from core.writing.progress import along

from ...kinds.registry import Benchmark
from ...kinds.signatures import Content
from ...models import Release
from ..canonical import content_line
from ..freezing import check_name, freeze, next_number
from .releasing import missing_rows, release_rows, release_with

# An import in batches writes this many items at a time.
ITEMS_IN_A_BATCH = 2_000
DIGEST_BYTES = 16


class AllProblems(Problems):
    """Problems, all of them named."""

    shown_at_most = MOST_PROBLEMS


class ContentImport(FileImport):
    """One file, and the resulting release; `same` is an existing release with exactly this content.

    A subclass reads the file's records, checks each by itself, and gives the content and the name of each: two items
    of one name are not imported together.
    """

    what = "release"
    # The noun of an item.
    item = say("item")

    def __init__(
        self,
        benchmark: Benchmark,
        *,
        name: str = "",
        admin: User | None = None,
        check_only: bool = False,
        skipped: Skipped | None = None,
        revision: str = "",
        licence: str = "",
    ):
        super().__init__(actor=admin, check_only=check_only, skipped=skipped, revision=revision)
        self.licence = licence.strip()[:NAME_LENGTH]
        if skipped is None:
            self.problems = AllProblems()
        self.benchmark, self.release_name = benchmark, name.strip() or benchmark.name
        check_name(self.release_name)
        self.digest = hashlib.sha256()
        # The digests of the names so far, each with the number of its item.
        self.seen = Seen()
        self.number = 0
        self.same: Release | None = None

    def content_of(self, record: Any) -> Content:
        """The content of an instance, from a valid record."""
        return record

    def called(self, content: Content) -> str:
        """The name that identifies this item."""
        raise NotImplementedError

    def twice(self, name: str, first: int) -> str:
        """The problem of an item that has the name of an earlier one, with the number of that one."""
        return say("{name} is in the file twice", name=ascii(name)[:80])

    def counted(self) -> str:
        """The number of the items, with their noun."""
        return plural(self.new, "item")

    def note(self, content: Content) -> None:
        """Called once for each imported item."""

    def notes(self) -> Iterator[str]:
        """Remarks on the items, besides their number."""
        return iter(())

    # --- How it goes --------------------------------------------------------------------------------------------

    def bring_in(self, stream: BinaryIO) -> Self:
        try:
            return super().bring_in(stream)
        finally:
            self.seen.close()

    def plan(self, where: Any, record: Any) -> Iterator[Content]:
        content = self.content_of(record)
        name = self.called(content)
        first = self.seen.add(hashlib.sha256(name.encode()).digest()[:DIGEST_BYTES], self.new + 1)
        if first is not None:
            raise ShapeError("", self.twice(name, first))
        self.new += 1
        self.digest.update(content_line(self.new, content).encode())
        self.note(content)
        yield content

    def check_whole(self) -> None:
        self.number = next_number()
        self.same = release_with(self.benchmark.code, self.digest.hexdigest()) if self.new else None

    @property
    def is_something_new(self) -> bool:
        return self.new > 0 and self.same is None

    def write(self, planned: Spool, planned_after: int) -> None:
        self.note_licence()
        release = Release(
            number=self.number,
            benchmark=self.benchmark.code,
            name=self.release_name,
            content_hash=self.digest.hexdigest(),
            how_made={"imported": self.new, "sources": [{**self.source, "records": self.new}]},
            created_by=self.actor,
        )
        contents = along(say("Writing"), planned, of=planned.count)
        freeze(release, release_rows(release, self.benchmark, contents), planned_after=planned_after)

    def note_licence(self) -> None:
        """Record the licence of the texts with the file they came from."""
        self.source |= {"licence": self.licence} if self.licence else {}

    def lines(self) -> Iterator[str]:
        named: dict[str, Any] = {"items": self.counted(), "number": self.number, "name": self.release_name}
        if not self.new:
            yield say("There is no {item} in the file, so there is nothing to release.", item=self.item)
        elif self.same:
            named |= {"number": self.same.number, "name": self.same.name}
            yield say_count(
                self.new,
                "Nothing changed: release {number} (“{name}”) holds exactly this {items} already.",
                "Nothing changed: release {number} (“{name}”) holds exactly these {items} already.",
                **named,
            )
        elif self.check_only:
            yield say("{items}: would be release {number} “{name}”.", **named)
        else:
            yield say("{items}: frozen as release {number} “{name}”.", **named)
        yield from self.notes()


class ImportInBatches(ContentImport):
    """An import of many items, which are written in batches. They are in no release, and so on no page and in no
    count, until the last batch is in: then they become the release in one step. An import that is interrupted before
    continues where it was when the same file is imported again.
    """

    items_in_a_batch = ITEMS_IN_A_BATCH

    def write(self, planned: Spool, planned_after: int) -> None:
        self.note_licence()
        is_begun = False
        try:
            for items in in_chunks(along(say("Writing"), planned, of=planned.count), self.items_in_a_batch):
                self.write_batch(items)
                is_begun = True
            super().write(planned, last_batch())
        except Refusal as refusal:
            if not is_begun:
                raise
            raise Refusal(
                say(
                    "{message} The items written so far are kept, in no release: import the same file again to "
                    "continue.",
                    message=refusal.message,
                )
            ) from refusal

    def write_batch(self, items: list[Content]) -> None:
        """Write those of these items that do not exist."""
        with written_together(self.what, planned_after=last_batch(), actor=self.actor, source=self.source) as writing:
            writing.create(missing_rows(self.benchmark, items))
            writing.finish()
