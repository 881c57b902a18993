"""Articles from a MediaWiki XML dump, one after another, however large the file and whatever is in it.

The format: https://www.mediawiki.org/wiki/Help:Export#Export_format. A dump may hold any number of revisions of a
page; the newest counts. Memory is bounded: only what an article can need is kept of a page, and a longer page is
skipped and reported by title.
"""

import codecs
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from xml.parsers import expat

from ..mediawiki.pages import MissingPage, PageRevision, moment
from .unpacking import Start, pieces

OTHER_PACKING = {b"7z\xbc\xaf\x27\x1c": "7z", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip", b"\xfd7zXZ": "xz"}
# Expat's codes for truncated XML: no elements, unclosed token, partial character.
ENDS_EARLY = {3, 5, 6}
BROKEN = (expat.ExpatError, EOFError, OSError, zlib.error, ValueError)

MOST_TEXT = 8_000_000  # characters; MediaWiki itself takes no more than 2 MiB ($wgMaxArticleSize)
MOST_OF_A_FIELD = 2_000  # a title has at most 255 bytes
MOST_OF_A_TOKEN = 4 * 2**20  # bytes of a name or comment, which the parser holds as a whole
DEEPEST = 50  # elements in elements; a dump has six
MOST_NAMESPACES = 5_000
FIELDS_OF_PAGE = {"title", "ns", "id"}
FIELDS_OF_REVISION = {"id", "timestamp", "model", "text"}
PAGE, REVISION = ["mediawiki", "page"], ["mediawiki", "page", "revision"]


class DumpError(Exception):
    """The file is not a dump, or is truncated or damaged; the message says where."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where reading a dump can continue: after an article, `offset` bytes into the unpacked XML.

    `packed` and `unpacked` say where unpacking can begin before that, in bytes into the file and into its XML.
    """

    offset: int
    packed: int
    unpacked: int


PageAndCheckpoint = tuple[PageRevision | MissingPage, Checkpoint | None]


@dataclass(slots=True)
class _Revision:
    fields: dict[str, str] = field(default_factory=dict)
    text_attributes: dict[str, str] = field(default_factory=dict)
    is_too_long: bool = False


@dataclass(slots=True)
class _Page:
    """What is known so far of the page being read; only the newest of its revisions is kept."""

    title: str = ""
    namespace: int | None = None
    page_id: int = 0
    is_redirect: bool = False
    newest: tuple[datetime, int] | None = None
    text: str = ""
    is_wikitext: bool = True
    is_too_long: bool = False
    is_odd: bool = False  # its title or number is longer than any wiki's


@dataclass(slots=True)
class _Site:
    base: str = ""
    namespaces: dict[str, int] = field(default_factory=dict)


def read_dump(path: Path | str) -> Iterator[PageRevision]:
    """The articles of a dump (.xml, .xml.bz2, .xml.gz) at their newest revision, without redirects and other
    namespaces.

    Pages that are too long are left out. Takes the same memory for a file of any size. Raises `DumpError` if the file
    is not a dump or is damaged; what came before is still good.
    """
    for page, _ in read_pages(path):
        if isinstance(page, PageRevision) and page.wikitext:
            yield page


def read_pages(path: Path | str, *, checkpoint: Checkpoint | None = None) -> Iterator[PageAndCheckpoint]:
    """The articles of a dump, as in `read_dump`, each with the checkpoint after it, starting at `checkpoint`.

    A page that is too long comes as a `MissingPage` with the reason. The checkpoint is None if the XML is not in
    UTF-8, so that reading cannot continue from the middle. Raises `DumpError` if the file is not a dump or is
    damaged.
    """
    path = Path(path)
    count, last = 0, ""
    with open(path, "rb") as file:
        _refuse_other_packing(file.read(8), path.name)
        try:
            for page, behind in _read(file, checkpoint):
                yield page, behind
                count, last = count + 1, page.title
        except BROKEN as error:
            after = f"after {count:,} articles, the last being “{last}”" if count else "before the first article"
            begun = " since it was resumed" if checkpoint else ""
            raise DumpError(
                f"{path.name} cannot be read beyond byte {file.tell():,}, {after}{begun}: {_reason(error)}."
            ) from error


def _refuse_other_packing(first: bytes, name: str) -> None:
    """Raises DumpError for other compression formats, recognised by the first bytes, since names can be wrong."""
    for signature, kind in OTHER_PACKING.items():
        if first.startswith(signature):
            raise DumpError(f"{name} is compressed with {kind}. Unpack it first, or use a .bz2 or .gz file.")


def _read(file: Any, checkpoint: Checkpoint | None) -> Iterator[PageAndCheckpoint]:
    if checkpoint is None:
        yield from _parsed(_Parser(), pieces(file, Start()))
        return
    head = _Parser()
    for piece, _ in pieces(file, Start()):  # what the dump says about its wiki comes before its first page
        head.feed(piece)
        if head.is_in_pages:
            break
    parser = _Parser(site=head.site, behind=checkpoint.offset, prefix=head.prefix)
    yield from _parsed(
        parser,
        pieces(file, Start(checkpoint.packed, checkpoint.unpacked)),
        skip=checkpoint.offset - checkpoint.unpacked,
    )


def _parsed(parser: "_Parser", parts: Iterator[tuple[bytes, Start]], *, skip: int = 0) -> Iterator[PageAndCheckpoint]:
    starts: deque[Start] = deque()
    try:
        for piece, start in parts:
            if not starts or starts[-1] != start:
                starts.append(start)
            skipped, skip = min(skip, len(piece)), max(0, skip - len(piece))
            parser.feed(piece[skipped:])
            yield from _with_checkpoints(parser, starts)
        parser.feed(b"", is_last=True)
    except BROKEN:
        yield from _with_checkpoints(parser, starts)  # what came before the damage is good
        raise
    yield from _with_checkpoints(parser, starts)


def _with_checkpoints(parser: "_Parser", starts: deque[Start]) -> Iterator[PageAndCheckpoint]:
    """The pages that the parser has finished, with their checkpoints; forgets the starts that no later page needs."""
    found, parser.found = parser.found, []
    for page, offset in found:
        while len(starts) > 1 and starts[1].unpacked <= offset:
            starts.popleft()
        start = starts[0]
        is_known = parser.is_utf8 and start.unpacked <= offset
        yield page, Checkpoint(offset, start.packed, start.unpacked) if is_known else None


class _Parser:
    """Takes the XML in pieces; finished pages are in `found`, each with the offset at which its element ends."""

    def __init__(self, *, site: _Site | None = None, behind: int | None = None, prefix: str = "") -> None:
        """With `behind`, continue after the page that ends at that offset, as if everything before had been read."""
        self.site = site or _Site()
        self.prefix = prefix
        self.is_utf8 = True
        self.is_in_pages = False
        self.found: list[tuple[PageRevision | MissingPage, int]] = []
        self._path: list[str] = []
        self._page = _Page()
        self._revision: _Revision | None = None
        self._key = ""  # of the namespace being read
        self._parts: list[str] = []
        self._size = self._most = 0
        self._shift = self._fed = 0
        self._expat = self._new_expat()
        if behind is not None:
            opened = f"<{prefix}mediawiki><{prefix}page>".encode()
            self._shift = behind - len(opened)
            self.feed(opened)

    def _new_expat(self) -> Any:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 64 * 1024
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.XmlDeclHandler = self._declared
        parser.StartDoctypeDeclHandler = self._doctype
        return parser

    def feed(self, piece: bytes, *, is_last: bool = False) -> None:
        if not self._fed and piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self.is_utf8 = False
        self._fed += len(piece)
        self._expat.Parse(piece, is_last)
        if self._fed - max(0, self._expat.CurrentByteIndex) > MOST_OF_A_TOKEN and not is_last:
            raise ValueError(f"it holds an element or comment of more than {MOST_OF_A_TOKEN // 2**20} MB")

    # --- What expat calls -----------------------------------------------------------------------------------

    def _declared(self, version: str, encoding: str | None, standalone: int) -> None:
        self.is_utf8 = (encoding or "utf-8").lower() in ("utf-8", "utf8", "us-ascii")

    def _doctype(self, *_: Any) -> None:
        raise ValueError("it declares a document type, which dumps do not")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = name.rpartition(":")[2]
        if not self._path:
            self.prefix = name.removesuffix(element)
            if element != "mediawiki":
                raise DumpError(f"The file begins with <{element[:40]}>. A MediaWiki dump begins with <mediawiki>.")
        path = self._path
        path.append(element)
        if len(path) > DEEPEST:
            raise ValueError("its elements are nested deeper than those of any dump")
        if path == PAGE:
            self._page, self._revision, self.is_in_pages = _Page(), None, True
        elif path == REVISION:
            self._revision = _Revision()
        elif path[:2] == PAGE:
            self._start_in_page(element, attributes)
        elif element in ("base", "namespace"):
            self._key = attributes.get("key", "0")
            self._collect(MOST_OF_A_FIELD)

    def _start_in_page(self, element: str, attributes: dict[str, str]) -> None:
        depth = len(self._path)
        if depth == 3 and element in FIELDS_OF_PAGE:
            self._collect(MOST_OF_A_FIELD)
        elif depth == 3 and element == "redirect":
            self._page.is_redirect = True
        elif depth == 4 and self._revision and self._path[2] == "revision" and element in FIELDS_OF_REVISION:
            if element == "text":
                self._revision.text_attributes = attributes
            self._collect(MOST_TEXT if element == "text" else MOST_OF_A_FIELD)

    def _collect(self, most: int) -> None:
        self._parts, self._size, self._most = [], 0, most
        self._expat.CharacterDataHandler = self._characters

    def _characters(self, text: str) -> None:
        self._size += len(text)
        if self._size > self._most:
            self._parts = []  # none of it is kept
        else:
            self._parts.append(text)

    def _end(self, name: str) -> None:
        element = self._path.pop()
        path = self._path
        if path == REVISION:
            self._end_of_revision_field(element)
        elif path == PAGE:
            self._end_in_page(element)
        elif path == ["mediawiki"] and element == "page":
            self._end_page()
        elif not self.is_in_pages:
            self._take_site(element)

    def _collected(self) -> str:
        """The text of the element that is ending; "" if it was too long (see `_is_cut`)."""
        text = "".join(self._parts)
        self._parts = []
        self._expat.CharacterDataHandler = None
        return text

    @property
    def _is_cut(self) -> bool:
        return self._size > self._most

    # --- What it means --------------------------------------------------------------------------------------

    def _take_site(self, element: str) -> None:
        text = self._collected()
        if element == "base":
            self.site.base = text
        elif element == "namespace" and text:
            if len(self.site.namespaces) >= MOST_NAMESPACES:
                raise ValueError(f"it names more than {MOST_NAMESPACES:,} namespaces")
            self.site.namespaces[text.casefold()] = int(self._key)

    def _end_of_revision_field(self, element: str) -> None:
        if self._revision and element in FIELDS_OF_REVISION:
            self._revision.fields[element] = self._collected()
            self._revision.is_too_long |= self._is_cut

    def _end_in_page(self, element: str) -> None:
        page = self._page
        if element == "revision" and self._revision:
            _take_revision(page, self._revision)
            self._revision = None
        elif element in FIELDS_OF_PAGE:
            text = self._collected()
            page.is_odd |= self._is_cut
            if element == "title":
                page.title = text
            elif element == "ns":
                page.namespace = _number(text)
            else:
                page.page_id = _number(text)

    def _end_page(self) -> None:
        found = _article(self._page, self.site)
        self._page = _Page()
        if found:
            self.found.append((found, self._shift + self._expat.CurrentByteIndex))


def _take_revision(page: _Page, revision: _Revision) -> None:
    fields = revision.fields
    if "timestamp" not in fields:
        return
    at = moment(fields["timestamp"].strip())
    number = _number(fields.get("id", ""))
    if page.newest and (at, number) <= page.newest:
        return
    page.newest = (at, number)
    page.text = fields.get("text", "")
    page.is_wikitext = fields.get("model", "") in ("", "wikitext")
    page.is_too_long = revision.is_too_long
    has_bytes = int(revision.text_attributes.get("bytes") or 0) > 0
    is_hidden = "deleted" in revision.text_attributes
    if "text" in fields and not page.text and has_bytes and not is_hidden and not page.is_too_long:
        raise DumpError("This is a dump without texts (a “stub” dump). Take one named pages-articles or pages-meta.")


def _number(text: str) -> int:
    number = int(text or "0")
    if abs(number) >= 2**63:
        raise ValueError(f"it holds the number {text[:30]}…, which no wiki has")
    return number


def _article(page: _Page, site: _Site) -> PageRevision | MissingPage | None:
    if page.is_redirect or not page.newest or not page.is_wikitext or _namespace(page, site) != 0:
        return None
    if page.is_odd or page.is_too_long:
        what = "title or number" if page.is_odd else f"text (over {MOST_TEXT:,} characters)"
        reason = f"It was skipped: its {what} is longer than MediaWiki allows."
        return MissingPage(page.title or f"Page {page.page_id}", reason)
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
    """The page's namespace. Old dumps do not give it; then the title's prefix does."""
    if page.namespace is not None:
        return page.namespace
    return site.namespaces.get(page.title.partition(":")[0].casefold(), 0) if ":" in page.title else 0


def _url(title: str, base: str) -> str:
    """The article's address, derived from that of the main page, which a dump names."""
    if urlsplit(base).scheme not in ("http", "https"):
        return ""
    return f"{base.rpartition('/')[0]}/{quote(title.replace(' ', '_'), safe='/:,()!@*;~')}"


def _reason(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "the file ends too early, as after an interrupted download"
    if isinstance(error, expat.ExpatError) and error.code in ENDS_EARLY:
        return f"the file ends too early ({error})"
    return str(error) or type(error).__name__
