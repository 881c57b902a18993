"""The process that reads sections of a dump, run as a command by `core.killable`."""

import bz2
import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import Any
from xml.parsers import expat

from core.killable import serve
from core.languages.kept import kept

from ...mediawiki.pages import MissingPage, PageRevision
from ...wikitext.extraction import packed_tags
from ...wikitext.tags import may_have_tags
from .dump_parser import DumpError, Parser, Site
from .unpacking import MOST_OUT

NOT_WHOLE = (expat.ExpatError, EOFError, OSError, ValueError, DumpError)


def read_section(
    *,
    path: str,
    begin: int,
    end: int,
    prefix: str,
    base: str,
    namespaces: dict[str, int],
    page_ids: list[int],
    names: dict[str, str],
    with_tags: bool,
) -> dict[str, Any] | None:
    """The pages in the streams of a dump from `begin` to `end`, as `section_of` gives them.

    Returns:
        The values of a page are None if it cannot have tags and is not among `page_ids`. The last value are its tags:
        None if they were not looked for (`with_tags`) or finding them failed.
    """
    wanted = frozenset(page_ids)

    def values_of(page: PageRevision) -> tuple | None:
        return _values(page, wanted, names, with_tags=with_tags)

    section = {"path": path, "begin": begin, "end": end, "prefix": prefix, "base": base, "namespaces": namespaces}
    return section_of(**section, values_of=values_of)  # type: ignore[arg-type]


def section_of(
    *,
    path: str,
    begin: int,
    end: int,
    prefix: str,
    base: str,
    namespaces: dict[str, int],
    values_of: Callable[[PageRevision], tuple | None],
) -> dict[str, Any] | None:
    """The pages in the streams of a dump from `begin` to `end`; None unless these are whole pages without damage.

    Returns:
        `found` has an entry for each article: its offset in the section, and its values: None if `values_of` has none
        for it; title and reason if it cannot be used. `size` is that of the XML, in bytes.
    """
    site = Site(base=base, namespaces=namespaces, has_texts=True, is_readable=True)
    parser = Parser(site=site, prefix=prefix, opened="mediawiki")
    found, size, last_article, tail = [], 0, "", b""
    try:
        for piece in _unpacked(path, begin, end):
            if not size and not piece.lstrip().startswith(f"<{prefix}page".encode()):
                return None
            parser.feed(piece)
            size, tail = size + len(piece), (tail + piece)[-64:]
            for each in parser.found:
                found.append((each.offset, _values_or_reason(each.page, values_of)))
                last_article = each.page.title if isinstance(each.page, PageRevision) else last_article
            parser.found = []
    except NOT_WHOLE:
        return None
    if not tail.rstrip().endswith(f"</{prefix}page>".encode()):
        return None
    return {"found": found, "size": size, "last_article": last_article, "last_title": site.last_title}


def _unpacked(path: str, begin: int, end: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        file.seek(begin)
        rest = file.read(end - begin)
    while rest:
        stream = bz2.BZ2Decompressor()
        piece = stream.decompress(rest, MOST_OUT)
        while True:
            if piece:
                yield piece
            if stream.eof:
                break
            if stream.needs_input:
                raise EOFError
            piece = stream.decompress(b"", MOST_OUT)
        rest = stream.unused_data


def _values_or_reason(
    page: PageRevision | MissingPage, values_of: Callable[[PageRevision], tuple | None]
) -> tuple | None:
    return (page.title, kept(page.reason)) if isinstance(page, MissingPage) else values_of(page)


def _values(page: PageRevision, wanted: frozenset[int], names: dict[str, str], *, with_tags: bool) -> tuple | None:
    may_have = may_have_tags(page.wikitext, names)
    if page.page_id not in wanted and not may_have:
        return None
    tags = None
    if with_tags and may_have:
        with contextlib.suppress(Exception):  # a process that has only this page to read says what is wrong with it
            tags = packed_tags(page.wikitext, names)
    return (*values_of_page(page), tags)


def values_of_page(page: PageRevision) -> tuple:
    """The values of a page without its tags."""
    return page.title, page.page_id, page.revision_id, page.revised_at.isoformat(), page.wikitext, page.url


if __name__ == "__main__":
    serve(socket.socket(fileno=0), {"read_section": read_section})
