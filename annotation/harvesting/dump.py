"""Articles from a MediaWiki XML dump, one after another, however large the file is.

The format: https://www.mediawiki.org/wiki/Help:Export#Export_format. A dump may hold any number of revisions of a
page; the newest counts.
"""

import bz2
import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, cast
from urllib.parse import quote, urlsplit
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from annotation.mediawiki.pages import PageRevision, moment

OTHER_PACKING = {b"7z\xbc\xaf\x27\x1c": "7z", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip", b"\xfd7zXZ": "xz"}
# Expat's codes for XML that stops before its end: no elements, unclosed token, partial character.
ENDS_EARLY = {3, 5, 6}
BROKEN = (ParseError, DefusedXmlException, EOFError, OSError, zlib.error, ValueError)


class DumpError(Exception):
    """The file is no dump, or ends or breaks in the middle; the message says where."""


@dataclass(slots=True)
class _Page:
    """What is known so far of the page being read; of its revisions only the newest is kept."""

    title: str = ""
    namespace: int | None = None
    page_id: int = 0
    is_redirect: bool = False
    newest: tuple[datetime, int] | None = None
    text: str = ""
    is_wikitext: bool = True


@dataclass(slots=True)
class _Site:
    base: str = ""
    namespaces: dict[str, int] = field(default_factory=dict)


def read_dump(path: Path | str, *, wanted: Callable[[str], bool] = lambda text: True) -> Iterator[PageRevision]:
    """The articles of a dump (.xml, .xml.bz2, .xml.gz) at their newest revision; no redirects, no other namespaces.

    `wanted` is asked with the wikitext, so that what cannot be of use goes no further. Takes the same memory for a
    file of any size. Raises `DumpError` for a file that is no dump or is damaged; what came before stays good.
    """
    for page in _articles(Path(path)):
        if page.wikitext and wanted(page.wikitext):
            yield page


def _articles(path: Path) -> Iterator[PageRevision]:
    count, last = 0, ""
    with open(path, "rb") as file, _unpacked(file, path.name) as stream:
        try:
            for page in _pages(stream, _Site()):
                yield page
                count, last = count + 1, page.title
        except BROKEN as error:
            after = f"after {count} articles, the last being “{last}”" if count else "before the first article"
            raise DumpError(
                f"{path.name} cannot be read on from byte {file.tell():,}, {after}: {_reason(error)}."
            ) from error


def _unpacked(file: IO[bytes], name: str) -> IO[bytes]:
    """The XML in the file. How it is packed is told from its first bytes, since names lie."""
    start = file.read(8)
    file.seek(0)
    for signature, kind in OTHER_PACKING.items():
        if start.startswith(signature):
            raise DumpError(f"{name} is packed with {kind}. Unpack it first, or give it as .bz2 or .gz.")
    if start.startswith(b"BZh"):
        return bz2.open(file)
    if start.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(file))
    return file


def _pages(stream: IO[bytes], site: _Site) -> Iterator[PageRevision]:
    page: _Page | None = None
    path: list[str] = []
    root: Element | None = None
    page_element: Element | None = None
    for event, element in iterparse(stream, events=("start", "end"), forbid_dtd=True):
        tag = element.tag.rpartition("}")[2]
        if event == "start":
            if root is None:
                root = element
                if tag != "mediawiki":
                    raise DumpError(f"The file begins with <{tag[:40]}>. A MediaWiki dump begins with <mediawiki>.")
            path.append(tag)
            if path == ["mediawiki", "page"]:
                page, page_element = _Page(), element
            continue
        path.pop()
        if page is None:
            _take_site(site, tag, element)
        elif path == ["mediawiki", "page"]:
            _take_detail(page, tag, element)
            if page_element is not None:
                page_element.clear()  # at once, as a page may have hundreds of thousands of revisions
        elif path == ["mediawiki"] and tag == "page":
            article = _article(page, site)
            if article:
                yield article
            page = None
        if len(path) == 1 and root is not None:
            root.clear()


def _take_site(site: _Site, tag: str, element: Element) -> None:
    if tag == "base":
        site.base = element.text or ""
    elif tag == "namespace" and element.text:
        site.namespaces[element.text.casefold()] = int(element.get("key", "0"))


def _take_detail(page: _Page, tag: str, element: Element) -> None:
    if tag == "title":
        page.title = element.text or ""
    elif tag == "ns":
        page.namespace = int(element.text or "0")
    elif tag == "id":
        page.page_id = int(element.text or "0")
    elif tag == "redirect":
        page.is_redirect = True
    elif tag == "revision":
        _take_revision(page, element)


def _take_revision(page: _Page, element: Element) -> None:
    parts = {child.tag.rpartition("}")[2]: child for child in element}
    if "timestamp" not in parts:
        return
    at = moment((parts["timestamp"].text or "").strip())
    number = int(parts["id"].text or "0") if "id" in parts else 0
    if page.newest and (at, number) <= page.newest:
        return
    text = parts.get("text")
    page.newest = (at, number)
    page.text = (text.text or "") if text is not None else ""
    page.is_wikitext = "model" not in parts or parts["model"].text in (None, "", "wikitext")
    if text is not None and not page.text and int(text.get("bytes") or 0) > 0 and "deleted" not in text.attrib:
        raise DumpError("This is a dump without texts (a “stub” dump). Take one named pages-articles or pages-meta.")


def _article(page: _Page, site: _Site) -> PageRevision | None:
    if page.is_redirect or not page.newest or not page.is_wikitext or _namespace(page, site) != 0:
        return None
    return PageRevision(
        title=page.title,
        page_id=page.page_id,
        namespace=0,
        revision_id=page.newest[1],
        revised_at=page.newest[0],
        wikitext=page.text,
        url=_url(page.title, site.base),
    )


def _namespace(page: _Page, site: _Site) -> int:
    """Old dumps do not say; there the title's prefix does."""
    if page.namespace is not None:
        return page.namespace
    return site.namespaces.get(page.title.partition(":")[0].casefold(), 0) if ":" in page.title else 0


def _url(title: str, base: str) -> str:
    """The article's address beside that of the main page, which a dump names."""
    if urlsplit(base).scheme not in ("http", "https"):
        return ""
    return f"{base.rpartition('/')[0]}/{quote(title.replace(' ', '_'), safe='/:,()!@*;~')}"


def _reason(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "the file ends too early, as after an interrupted download"
    if isinstance(error, DefusedXmlException):
        return "it declares a document type, which dumps do not"
    if isinstance(error, ParseError) and error.code in ENDS_EARLY:
        return f"the file ends too early ({error})"
    return str(error) or type(error).__name__
