"""Imports a file of a benchmark's items into a release: checked as a whole, frozen in the order of the file."""

import hashlib
from collections.abc import Iterator
from typing import Any

from core.engine.writing.spool import Spool
from core.files.imports import FileImport
from core.files.problems import MOST_PROBLEMS, Problems, ShapeError
from core.files.skipping import Skipped
from core.lists.pages import plural
from core.models import User
from core.writing.progress import along

from ...kinds.registry import Benchmark, Content
from ...models import Release
from ..canonical import content_line
from ..freezing import check_name, freeze, next_number
from .releasing import release_rows, release_with


class AllProblems(Problems):
    """Problems, all of them named."""

    shown_at_most = MOST_PROBLEMS


class ContentImport(FileImport):
    """One file, and the resulting release; `same` is an existing release with exactly this content.

    A subclass reads the file's records, checks each by itself, and gives the content and the name of each: two items
    of one name are not imported together.
    """

    what = "release"
    # What an item is called, in words, one and several.
    items = ("item", "items")

    def __init__(
        self,
        benchmark: Benchmark,
        *,
        name: str = "",
        admin: User | None = None,
        check_only: bool = False,
        skipped: Skipped | None = None,
        revision: str = "",
    ):
        super().__init__(actor=admin, check_only=check_only, skipped=skipped, revision=revision)
        if skipped is None:
            self.problems = AllProblems()
        self.benchmark, self.release_name = benchmark, name.strip() or benchmark.name
        check_name(self.release_name)
        self.digest = hashlib.sha256()
        self.seen: set[str] = set()
        self.number = 0
        self.same: Release | None = None

    def content_of(self, record: Any) -> Content:
        """The content of an instance, from a valid record."""
        return record

    def called(self, content: Content) -> str:
        """The name that identifies this item."""
        raise NotImplementedError

    def note(self, content: Content) -> None:
        """Called once for each imported item."""

    def notes(self) -> Iterator[str]:
        """Remarks on the items, besides their number."""
        return iter(())

    # --- How it goes --------------------------------------------------------------------------------------------

    def plan(self, where: Any, record: Any) -> Iterator[Content]:
        content = self.content_of(record)
        name = self.called(content)
        if name in self.seen:
            raise ShapeError("", f"{ascii(name)[:80]} is in the file twice")
        self.seen.add(name)
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
        release = Release(
            number=self.number,
            benchmark=self.benchmark.code,
            name=self.release_name,
            content_hash=self.digest.hexdigest(),
            how_made={"imported": self.new, "sources": [{**self.source, "records": self.new}]},
            created_by=self.actor,
        )
        contents = along("Writing", planned, of=planned.count)
        freeze(release, release_rows(release, self.benchmark, contents), planned_after=planned_after)

    def lines(self) -> Iterator[str]:
        counted = plural(self.new, *self.items)
        if not self.new:
            yield f"There is no {self.items[0]} in the file, so there is nothing to release."
        elif self.same:
            yield (
                f"Nothing changed: release {self.same.number} (“{self.same.name}”) holds exactly "
                f"{'this' if self.new == 1 else 'these'} {counted} already."
            )
        elif self.check_only:
            yield f"{counted}: would be release {self.number} “{self.release_name}”."
        else:
            yield f"{counted}: frozen as release {self.number} “{self.release_name}”."
        yield from self.notes()
