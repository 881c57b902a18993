"""The parser of a MediaWiki XML dump: pieces of XML in, articles out, in bounded memory.

The format: https://www.mediawiki.org/wiki/Help:Export#Export_format. Only the data that an article can need is kept
of a page. A page that cannot be used comes out as a `MissingPage` with the reason; the others are not affected.
"""

import codecs
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit
from xml.parsers import expat

from core.languages import say

from ...mediawiki.pages import MissingPage, PageRevision, moment

MOST_TEXT = 8_000_000  # characters; MediaWiki itself takes no more than 2 MiB ($wgMaxArticleSize)
MOST_OF_A_FIELD = 2_000  # a title has at most 255 bytes
MOST_OF_A_TOKEN = 4 * 2**20  # bytes of a name or comment, which the parser holds as a whole
DEEPEST = 50  # elements in elements; a dump has six
MOST_NAMESPACES = 5_000
# A dump has no texts at all if its first pages, this many, have none.
MOST_WITHOUT_TEXT = 1_000
NO_TEXT_SHA1 = "phoiac9h4m842xq45sp7s6u21eteeq1"  # of an empty text, as MediaWiki writes it
FIELDS_OF_PAGE = {"title", "ns", "id"}
FIELDS_OF_REVISION = {"id", "timestamp", "model", "text", "sha1"}
PAGE, REVISION = ["mediawiki", "page"], ["mediawiki", "page", "revision"]
STUB = say("This is a dump without texts (a “stub” dump). Take one named pages-articles or pages-meta.")


class DumpError(Exception):
    """Raised if the file is not a dump, or is truncated or damaged; the message says where."""


@dataclass(frozen=True, slots=True)
class Found:
    """An article or an unusable page, and the position where reading can continue after it.

    `offset` is that of the page's end tag or, if `is_between`, that of the next page.
    """

    page: PageRevision | MissingPage
    offset: int
    is_between: bool = False


@dataclass(slots=True)
class _Revision:
    fields: dict[str, str] = field(default_factory=dict)
    text_attributes: dict[str, str] = field(default_factory=dict)
    is_too_long: bool = False


@dataclass(slots=True)
class _Page:
    """The page being read, as far as it is known; only its newest revision is kept."""

    title: str = ""
    namespace: int | None = None
    page_id: int = 0
    is_redirect: bool = False
    newest: tuple[datetime, int] | None = None
    text: str = ""
    is_wikitext: bool = True
    is_too_long: bool = False
    is_hidden: bool = False
    is_without_text: bool = False
    problem: str = ""


@dataclass(slots=True)
class Site:
    """The facts that a dump gives about its wiki, and the reading progress."""

    base: str = ""
    namespaces: dict[str, int] = field(default_factory=dict)
    last_title: str = ""  # of the last whole page
    has_texts: bool = False
    without_text: int = 0
    is_readable: bool = False  # whether any page could be read
    first_problem: str = ""


class Parser:
    """Parses the XML in pieces; finished pages are in `found`."""

    def __init__(self, *, site: Site | None = None, offset: int = 0, prefix: str = "", opened: str = "") -> None:
        """With `opened` (`mediawiki` or `mediawiki page`), continue at `offset` as if everything before it had been
        read and these elements were open."""
        self.site = site or Site()
        self.offset = offset
        self.prefix = prefix
        self.is_utf8 = True
        self.is_in_pages = bool(opened)
        self.found: list[Found] = []
        self._path: list[str] = []
        self._page = _Page()
        self._is_read_before = opened.endswith("page")  # the page that is open at first
        self._revision: _Revision | None = None
        self._key = ""  # of the namespace being read
        self._parts: list[str] = []
        self._size = self._most = 0
        self._fed = 0
        self._failed_at: int | None = None
        self._expat = self._new_expat()
        head = "".join(f"<{prefix}{name}>" for name in opened.split()).encode()
        self._shift = offset - len(head)
        if head:
            self.feed(head)

    def _new_expat(self) -> Any:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.buffer_size = 64 * 1024
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.XmlDeclHandler = self._declared
        parser.StartDoctypeDeclHandler = self._doctype
        return parser

    def feed(self, piece: bytes) -> None:
        if not self._fed and piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self.is_utf8 = False
        self._fed += len(piece)
        self._expat.Parse(piece, False)
        if self._fed - max(0, self._expat.CurrentByteIndex) > MOST_OF_A_TOKEN:
            self._failed_at = self._fed
            raise ValueError(f"it holds an element or comment of more than {MOST_OF_A_TOKEN // 2**20} MB")

    def close(self) -> None:
        """Raises if the XML is not complete."""
        self._expat.Parse(b"", True)

    @property
    def failed_at(self) -> int:
        """The offset of the damage, once `feed` has raised an error."""
        return self._shift + (self._expat.ErrorByteIndex if self._failed_at is None else self._failed_at)

    @property
    def open_title(self) -> str:
        """The title of the page being read; "" between pages, and before the title has been read."""
        return self._page.title if self._path[:2] == PAGE else ""

    # --- What expat calls -----------------------------------------------------------------------------------

    def _declared(self, version: str, encoding: str | None, standalone: int) -> None:
        self.is_utf8 = (encoding or "utf-8").lower() in ("utf-8", "utf8", "us-ascii")

    def _doctype(self, *_: object) -> None:
        raise ValueError(say("it declares a document type, which dumps do not"))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = name.rpartition(":")[2]
        if not self._path:
            self.prefix = name.removesuffix(element)
            if element != "mediawiki":
                raise DumpError(
                    say(
                        "The file begins with <{element}>. A MediaWiki dump begins with <mediawiki>.",
                        element=element[:40],
                    )
                )
        if element == "page" and self._path[:2] == PAGE:
            self._fail(say("another page begins inside it"))
        path = self._path
        path.append(element)
        if len(path) > DEEPEST:
            self._fail(say("its elements are nested deeper than those of any dump"))
        if path == PAGE:
            self._page, self._revision, self.is_in_pages = _Page(), None, True
        elif path == REVISION:
            self._revision = _Revision()
        elif path[:2] == PAGE:
            self._start_in_page(element, attributes)
        elif element in ("base", "namespace"):
            self._key = attributes.get("key", "0")
            self._collect(MOST_OF_A_FIELD)

    def _fail(self, reason: str) -> None:
        # After an error of a handler, expat reads on to the end of the piece.
        self._failed_at = self._expat.CurrentByteIndex
        raise ValueError(reason)

    def _start_in_page(self, element: str, attributes: dict[str, str]) -> None:
        depth = len(self._path)
        if self._expat.CharacterDataHandler is not None:
            self._fail(say("the element <{element}> stands in a text", element=element[:40]))
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
            self.is_in_pages = element == "siteinfo"

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
        if element == "revision" and self._revision:
            _take_revision(self._page, self._revision)
            self._revision = None
        elif element in FIELDS_OF_PAGE:
            _take_field(self._page, element, self._collected(), is_cut=self._is_cut)

    def _end_page(self) -> None:
        page, site = self._page, self.site
        self._page = _Page()
        if self._is_read_before:
            self._is_read_before = False
            return
        _look_for_texts(page, site)
        found = _article(page, site)
        if isinstance(found, MissingPage):
            site.first_problem = site.first_problem or found.reason
        else:
            site.is_readable = True
        site.last_title = page.title or site.last_title
        if found:
            self.found.append(Found(found, self._shift + self._expat.CurrentByteIndex))


def _look_for_texts(page: _Page, site: Site) -> None:
    """Note whether the dump has texts. Raises `DumpError` once enough pages have none to tell that no page will."""
    site.has_texts |= bool(page.text) and not page.is_without_text
    site.without_text += page.is_without_text
    if site.without_text >= MOST_WITHOUT_TEXT and not site.has_texts:
        raise DumpError(STUB)


def _take_field(page: _Page, element: str, text: str, *, is_cut: bool) -> None:
    if is_cut:
        page.problem = page.problem or "its title or number is longer than MediaWiki allows"
    elif element == "title":
        page.title = text
    elif (number := _number(text)) is None:
        what = "namespace" if element == "ns" else "number"
        page.problem = page.problem or f"its {what}, “{text[:30]}”, is not the number of any"
    elif element == "ns":
        page.namespace = number
    else:
        page.page_id = number


def _take_revision(page: _Page, revision: _Revision) -> None:
    fields = revision.fields
    number = _number(fields.get("id", ""))
    if not number or number < 0:
        page.problem = page.problem or "one of its revisions has no valid number, so the newest is not known"
        return
    try:
        at = moment(fields.get("timestamp", "").strip())
    except (ValueError, OverflowError):
        page.problem = page.problem or "one of its revisions has no valid time, so the newest is not known"
        return
    if page.newest and (at, number) <= page.newest:
        return
    page.newest = (at, number)
    page.text = fields.get("text", "")
    page.is_wikitext = fields.get("model", "") in ("", "wikitext")
    page.is_too_long = revision.is_too_long
    page.is_hidden = "deleted" in revision.text_attributes
    page.is_without_text = not page.is_hidden and not page.is_too_long and _lacks_text(revision)


def _lacks_text(revision: _Revision) -> bool:
    """Return whether a revision's text is missing from the dump: its size, checksum or address says that there is
    one.
    """
    text, attributes = revision.fields.get("text"), revision.text_attributes
    if text is None:
        return True
    if text.strip():
        return False
    size = attributes.get("bytes", "").strip()
    if size:
        return _number(size) != len(text.encode())
    checksum = (attributes.get("sha1") or revision.fields.get("sha1", "")).strip()
    return not text and ("id" in attributes or "location" in attributes or checksum not in ("", NO_TEXT_SHA1))


def _number(text: str) -> int | None:
    """The number in the text; None if there is none, or if it is larger than any wiki's."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if abs(number) < 2**63 else None


def _article(page: _Page, site: Site) -> PageRevision | MissingPage | None:
    if page.is_redirect or not page.is_wikitext or _namespace(page, site) != 0:
        return None
    reason = _why_unusable(page)
    if reason or page.newest is None:
        return MissingPage(page.title or f"Page {page.page_id}", say("It was skipped: {reason}.", reason=reason))
    return PageRevision(
        title=page.title,
        page_id=page.page_id,
        namespace=0,
        revision_id=page.newest[1],
        revised_at=page.newest[0],
        wikitext=page.text,
        url=_url(page.title, site.base),
    )


def _why_unusable(page: _Page) -> str:
    if page.problem:
        return page.problem
    if page.is_too_long:
        return say("its text (over {most:,} characters) is longer than MediaWiki allows", most=MOST_TEXT)
    if not page.title.strip():
        return say("it has no title")
    if page.page_id <= 0:
        return say("it has no page number")
    if page.newest is None:
        return say("it has no revision")
    if page.is_hidden:
        return say("the text of its newest revision is hidden from readers")
    return say("the dump holds no text of its newest revision") if page.is_without_text else ""


def _namespace(page: _Page, site: Site) -> int:
    """The page's namespace. Old dumps do not give it; then the title's prefix does."""
    if page.namespace is not None:
        return page.namespace
    return site.namespaces.get(page.title.partition(":")[0].casefold(), 0) if ":" in page.title else 0


def _url(title: str, base: str) -> str:
    """The article's address, derived from that of the main page, which a dump names."""
    if urlsplit(base).scheme not in ("http", "https"):
        return ""
    return f"{base.rpartition('/')[0]}/{quote(title.replace(' ', '_'), safe='/:,()!@*;~')}"
