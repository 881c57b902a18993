"""Reads a multistream dump (.bz2) in several processes, with the same result as one reader.

Such a dump consists of many bzip2 streams, each with whole pages. Processes unpack sections of about a megabyte,
parse them, keep the pages that may have tags and find these. Their results come out in the order of the file, with
checkpoints as one reader gives them. Sections with any damage are not used: from the first of them on, as at the
beginning and the end of the file, one reader reads, so that the messages about damage are the same.
"""

import contextlib
import os
import re
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from core.killable import Children, GivenUp
from core.languages.kept import said

from ...mediawiki.pages import MissingPage, PageRevision, moment
from ...wikitext.extraction import unpacked_tags
from ...wikitext.tags import FoundTag
from .dump import Checkpoint, SoFar, read_pages, site_of
from .unpacking import BZIP2

SECTION, MOST_OF_A_SECTION = 2**20, 2**25  # bytes of the packed file
CHUNK = 2**18
SECONDS = 120.0  # for one section
# The beginning of a bzip2 stream and of its first block. What looks like one and is none does not unpack.
STREAM, LENGTH_OF_A_START = re.compile(rb"BZh[1-9]1AY&SY"), 10
CORES = len(os.sched_getaffinity(0))
_readers = Children("annotation.harvesting.dumps.child", most_idle=CORES)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The pages that a reader needs whole: those with these numbers, and those that may have these tags.

    `seconds` is the time limit for finding the tags of a page.
    """

    page_ids: frozenset[int]
    names: Mapping[str, str]
    seconds: float = 20.0

    @property
    def children(self) -> Children:
        return _readers

    @property
    def work(self) -> str:
        return "read_section"

    @property
    def arguments(self) -> dict[str, Any]:
        return {"page_ids": sorted(self.page_ids), "names": dict(self.names)}


class Choice(Protocol):
    """A choice of pages: a function of child processes, made with `child.section_of`, its own arguments, and seconds
    for a section.
    """

    @property
    def children(self) -> Children: ...

    @property
    def work(self) -> str: ...

    @property
    def arguments(self) -> dict[str, Any]: ...

    @property
    def seconds(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Read:
    """A page, the checkpoint after it, and its tags: None if they have not been looked for."""

    page: PageRevision | MissingPage
    behind: Checkpoint | None
    tags: list[FoundTag] | None = None


def read_wanted_pages(
    path: Path | str, wanted: Choice, *, checkpoint: Checkpoint | None, processes: int
) -> Iterator[Read]:
    """The pages of a dump as `read_pages` gives them, read by this many processes if the dump has many streams.

    Pages that are not wanted may come without text. Raises the errors of `read_pages`.
    """
    path, so_far = Path(path), SoFar()
    if processes > 1 and has_many_streams(path):
        checkpoint = yield from up_to_a_stream(path, checkpoint, so_far)
        if checkpoint is None:
            return
        checkpoint = yield from _read_ahead(Sections(path, wanted), processes, checkpoint, so_far)
    yield from by_one_reader(path, checkpoint, so_far)


def by_one_reader(path: Path, checkpoint: Checkpoint | None, so_far: SoFar) -> Iterator[Read]:
    """The pages from the checkpoint on, as `read_pages` gives them."""
    for page, behind in read_pages(path, checkpoint=checkpoint, so_far=so_far):
        yield Read(page, behind)


def has_many_streams(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(3) == BZIP2 and end_of_section(path, 0) is not None


def end_of_section(path: Path, begin: int) -> int | None:
    """The offset of the first stream a section's length behind `begin`; None if none is near."""
    before, most = b"", begin + SECTION + MOST_OF_A_SECTION
    with path.open("rb") as file:
        file.seek(begin + SECTION)
        while (chunk := file.read(CHUNK)) and file.tell() <= most:
            window = before + chunk
            if found := STREAM.search(window):
                return file.tell() - len(window) + found.start()
            before = window[-LENGTH_OF_A_START + 1 :]
    return None


def up_to_a_stream(
    path: Path, checkpoint: Checkpoint | None, so_far: SoFar
) -> Generator[Read, None, Checkpoint | None]:
    """Read up to a page of the next stream, and until there was a text; returns the checkpoint, None at the end."""
    first, has_text = checkpoint.packed if checkpoint else 0, checkpoint is not None
    for read in by_one_reader(path, checkpoint, so_far):
        yield read
        has_text = has_text or (isinstance(read.page, PageRevision) and bool(read.page.wikitext))
        if has_text and read.behind and read.behind.packed > first:
            return read.behind
    return None


def _read_ahead(
    sections: "Sections", processes: int, at: Checkpoint, so_far: SoFar
) -> Generator[Read, None, Checkpoint]:
    """Read section after section, some ahead; returns the checkpoint from which one reader has to continue."""
    with ThreadPoolExecutor(processes) as threads:
        asked: deque[tuple[int, int, Future]] = deque()
        begin = at.packed
        try:
            while True:
                while len(asked) < processes * 2 and (end := end_of_section(sections.path, begin)):
                    asked.append((begin, end, threads.submit(sections.ask, begin, end)))
                    begin = end
                if not asked:
                    return at
                first, end, future = asked.popleft()
                section = future.result()
                if section is None:
                    return at
                for read in sections.pages(section, first, end, at, so_far):
                    if isinstance(read, Checkpoint):
                        at = read
                    else:
                        yield read
        finally:
            threads.shutdown(cancel_futures=True)


class Sections:
    """Parts of a dump that child processes read. Each begins and ends with a stream."""

    def __init__(self, path: Path, wanted: Choice) -> None:
        self.path, self._wanted = path, wanted
        site, prefix = site_of(path)
        self._asked = {
            "path": str(path),
            "prefix": prefix,
            "base": site.base,
            "namespaces": site.namespaces,
            **wanted.arguments,
        }

    def ask(self, begin: int, end: int) -> dict[str, Any] | None:
        """A section, without tags if looking for them takes as long as the limit for a single page; None if it is
        damaged, or does not consist of whole pages."""
        for seconds, with_tags in ((self._wanted.seconds, True), (SECONDS, False)):
            with contextlib.suppress(GivenUp):
                return self._wanted.children.run(
                    self._wanted.work, seconds=seconds, begin=begin, end=end, with_tags=with_tags, **self._asked
                )
        return None

    def pages(
        self, section: dict[str, Any], begin: int, end: int, at: Checkpoint, so_far: SoFar
    ) -> Iterator[Read | Checkpoint]:
        """The pages of a section from the checkpoint `at` on, which lies in it; at last the checkpoint at its end."""
        base = at.unpacked
        for offset, values in section["found"]:
            if base + offset <= at.offset:
                continue  # read before
            page, tags = _page(values)
            if isinstance(page, PageRevision):
                so_far.articles += 1
            yield Read(page, Checkpoint(base + offset, begin, base), tags)
        so_far.last = section["last_article"] or so_far.last
        so_far.last_title = section["last_title"] or so_far.last_title
        behind = base + section["size"]
        yield Checkpoint(behind, end, behind, is_between=True)


_UNWANTED = PageRevision("", 0, 0, 0, moment("2001-01-15T00:00:00Z"), "", "")


def _page(values: Any) -> tuple[PageRevision | MissingPage, list[FoundTag] | None]:
    if values is None:
        return _UNWANTED, None
    if len(values) == 2:
        title, reason = values
        return MissingPage(title, said(reason)), None
    title, page_id, revision_id, revised_at, wikitext, url, tags = values
    page = PageRevision(title, page_id, 0, revision_id, moment(revised_at), wikitext, url)
    return page, None if tags is None else unpacked_tags(tags)
