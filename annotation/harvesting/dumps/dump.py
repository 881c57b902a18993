"""Reads the articles of a MediaWiki XML dump one after another, for files of any size.

The format: https://www.mediawiki.org/wiki/Help:Export#Export_format. A dump may hold any number of revisions of a
page; the newest counts. `dump_parser` reads the XML in bounded memory, `dump_damage` continues after damaged parts.
"""

import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

from core.languages import say

from ...mediawiki.pages import MissingPage, PageRevision
from .dump_damage import MendingParser, told
from .dump_parser import DumpError, Parser, Site
from .unpacking import Start, pieces

OTHER_PACKING = {b"7z\xbc\xaf\x27\x1c": "7z", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip", b"\xfd7zXZ": "xz"}
# Expat's codes for truncated XML: no elements, unclosed token, partial character.
ENDS_EARLY = {3, 5, 6}
BROKEN = (expat.ExpatError, EOFError, OSError, zlib.error, ValueError)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A position where reading a dump can continue: after an article, `offset` bytes into the unpacked XML.

    `packed` and `unpacked` say where unpacking can begin before that, in bytes into the file and into its XML.
    """

    offset: int
    packed: int
    unpacked: int
    is_between: bool = False  # whether `offset` is between two pages, not before the end tag of one


@dataclass(slots=True)
class SoFar:
    """The number of articles read before, and the last titles, for messages."""

    articles: int = 0
    last: str = ""  # the title of the last article
    last_title: str = ""  # that of the last page of any kind


PageAndCheckpoint = tuple[PageRevision | MissingPage, Checkpoint | None]


def read_dump(path: Path | str) -> Iterator[PageRevision]:
    """The articles of a dump (.xml, .xml.bz2, .xml.gz) at their newest revision, without redirects and other
    namespaces.

    Pages that cannot be used are left out. Takes the same memory for a file of any size. Raises `DumpError` if the
    file is not a dump or is damaged; the articles before that are still valid.
    """
    for page, _ in read_pages(path):
        if isinstance(page, PageRevision) and page.wikitext:
            yield page


def read_pages(
    path: Path | str, *, checkpoint: Checkpoint | None = None, so_far: SoFar | None = None
) -> Iterator[PageAndCheckpoint]:
    """The articles of a dump, as in `read_dump`, each with the checkpoint after it, starting at `checkpoint`.

    A page that cannot be used comes as a `MissingPage` with the reason. The checkpoint is None if the XML is not in
    UTF-8, so that reading cannot continue from the middle. Raises `DumpError` if the file is not a dump, or if it is
    damaged and reading cannot continue; all complete articles before that have been yielded. Raises `OSError` if the
    disk fails. `so_far` is kept up to date.
    """
    path = Path(path)
    so_far = so_far or SoFar()
    with open(path, "rb") as file:
        _refuse_other_packing(file.read(8), path.name)
        parser = _parser(file, checkpoint, path.name, so_far.last_title)
        try:
            for page, behind in _read(file, parser, checkpoint):
                so_far.last_title = page.title
                if isinstance(page, PageRevision):
                    so_far.articles, so_far.last = so_far.articles + 1, page.title
                yield page, behind
        except BROKEN as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            count = so_far.articles
            after = say("after {count:,} articles", count=count) if count else say("before the first article")
            last = say(", the last being “{title}”", title=so_far.last) if so_far.last else ""
            within = say(", in the middle of “{title}”", title=parser.open_title) if parser.open_title else ""
            raise DumpError(
                say(
                    "{name} cannot be read beyond byte {byte:,}, {after}{last}: {reason}{within}.",
                    name=path.name,
                    byte=file.tell(),
                    after=after,
                    last=last,
                    reason=_reason(error),
                    within=within,
                )
            ) from error


def _refuse_other_packing(first: bytes, name: str) -> None:
    """Raises DumpError for other compression formats, recognised by the first bytes, since names can be wrong."""
    for signature, kind in OTHER_PACKING.items():
        if first.startswith(signature):
            raise DumpError(
                say(
                    "{name} is compressed with {kind}. Unpack it first, or use a .bz2 or .gz file.",
                    name=name,
                    kind=kind,
                )
            )


def _parser(file: Any, checkpoint: Checkpoint | None, name: str, last_title: str) -> MendingParser:
    """A parser for the dump from its beginning or the checkpoint on."""
    if checkpoint is None:
        return MendingParser(Parser())
    site, prefix = _head(file, name)
    site.has_texts = site.is_readable = True  # else there would be no checkpoint
    site.last_title = last_title
    opened = "mediawiki" if checkpoint.is_between else "mediawiki page"
    return MendingParser(Parser(site=site, offset=checkpoint.offset, prefix=prefix, opened=opened))


def site_of(path: Path) -> tuple[Site, str]:
    """The facts that a dump gives about its wiki, and the prefix of its elements. Raises `DumpError`."""
    with path.open("rb") as file:
        return _head(file, path.name)


def _head(file: Any, name: str) -> tuple[Site, str]:
    head = Parser()
    try:
        for piece, _ in pieces(file, Start()):  # what the dump says about its wiki comes before its first page
            head.feed(piece)
            if head.is_in_pages:
                break
    except (*BROKEN, DumpError) as error:
        if not head.is_in_pages:
            raise DumpError(
                say("{name} cannot be read from its beginning: {reason}.", name=name, reason=_reason(error))
            ) from error
    return Site(base=head.site.base, namespaces=head.site.namespaces), head.prefix


def _read(file: Any, parser: MendingParser, checkpoint: Checkpoint | None) -> Iterator[PageAndCheckpoint]:
    begin = Start(checkpoint.packed, checkpoint.unpacked) if checkpoint else Start()
    skip = checkpoint.offset - checkpoint.unpacked if checkpoint else 0
    starts: deque[Start] = deque()
    try:
        for piece, start in pieces(file, begin):
            if not starts or starts[-1] != start:
                starts.append(start)
            skipped, skip = min(skip, len(piece)), max(0, skip - len(piece))
            parser.feed(piece[skipped:])
            yield from _with_checkpoints(parser, starts)
        parser.close()
    except (*BROKEN, DumpError):
        yield from _with_checkpoints(parser, starts)  # what came before the damage is good
        raise
    yield from _with_checkpoints(parser, starts)


def _with_checkpoints(parser: MendingParser, starts: deque[Start]) -> Iterator[PageAndCheckpoint]:
    """The finished pages of the parser, with their checkpoints; forgets the starts that no later page needs."""
    found, parser.found = parser.found, []
    for each in found:
        while len(starts) > 1 and starts[1].unpacked <= each.offset:
            starts.popleft()
        start = starts[0]
        is_known = parser.is_utf8 and start.unpacked <= each.offset
        yield each.page, Checkpoint(each.offset, start.packed, start.unpacked, each.is_between) if is_known else None


def _reason(error: Exception) -> str:
    if isinstance(error, EOFError):
        return say("the file ends too early, as after an interrupted download")
    if isinstance(error, expat.ExpatError) and error.code in ENDS_EARLY:
        return say("the file ends too early ({error})", error=told(error))
    if isinstance(error, zlib.error) and "incorrect data check" in str(error):
        return say("its checksum is wrong, so texts that were read may be damaged")
    return told(error)
