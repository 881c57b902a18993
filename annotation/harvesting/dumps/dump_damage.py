"""Parses dumps with damaged XML: each damage costs one page; parsing continues at the next."""

import re
from dataclasses import dataclass
from xml.parsers import expat

from core.languages import changed, say

from ...mediawiki.pages import MissingPage
from .dump_parser import STUB, DumpError, Found, Parser

MOST_DAMAGES = 1_000  # in a file; more is no accident
MOST_OF_A_TAG = 64  # bytes of a page's start tag, which may lie in two pieces
AFTER_THE_END = 9  # expat's code for something behind the closing tag of the whole


@dataclass(frozen=True, slots=True)
class _Damage:
    title: str
    error: Exception
    at: int


class MendingParser:
    """A `Parser` that continues at the next page where the XML is damaged.

    A damage before the pages, and any in a file that is not in UTF-8, raises an error as in `Parser`.
    """

    def __init__(self, parser: Parser) -> None:
        self.found: list[Found] = []
        self._parser = parser
        self._begin = self._offset = parser.offset  # where this parser began, and the offset of the next byte
        self._tail = b""  # the bytes before that
        self._damage: _Damage | None = None
        self._damages = 0
        self._is_over = False

    @property
    def is_utf8(self) -> bool:
        return self._parser.is_utf8

    @property
    def open_title(self) -> str:
        return "" if self._damage else self._parser.open_title

    def feed(self, piece: bytes) -> None:
        while piece and not self._is_over:
            piece = self._look_for_a_page(piece, self._damage) if self._damage else self._parse(piece)

    def close(self) -> None:
        """Raises if the XML is not complete, or has no readable content."""
        site = self._parser.site
        if self._damage:
            self._note_damage(self._damage, say("the rest of the file holds no other page"))
            raise self._damage.error
        if not self._is_over:
            self._parser.close()
        if site.without_text and not site.has_texts:
            raise DumpError(STUB)
        if site.first_problem and not site.is_readable:
            raise ValueError(
                say("no page of it can be read. {problem}", problem=changed(site.first_problem, without_stop))
            )

    def _parse(self, piece: bytes) -> bytes:
        """Parse the piece; returns the bytes from a damage on, b"" without damage."""
        window, begin = self._tail + piece, self._offset - len(self._tail)
        try:
            self._parser.feed(piece)
        except (expat.ExpatError, ValueError) as error:
            if not self._can_continue(error):
                raise
            self._damage = self._damage_of(error)
            # expat points behind the “</” of a wrong end tag. Never before the damage that came before this one.
            at = max(self._damage.at - len("</"), self._begin + 1)
            self._offset = min(max(at, begin), begin + len(window))
            self._tail = b""
            return window[self._offset - begin :]
        finally:
            self.found += self._parser.found
            self._parser.found = []
        self._offset += len(piece)
        self._tail = window[-MOST_OF_A_TAG:]
        return b""

    def _can_continue(self, error: Exception) -> bool:
        is_after_the_end = isinstance(error, expat.ExpatError) and error.code == AFTER_THE_END
        return self._parser.is_in_pages and self._parser.is_utf8 and not is_after_the_end

    def _damage_of(self, error: Exception) -> _Damage:
        self._damages += 1
        if self._damages > MOST_DAMAGES:
            raise ValueError(f"it is damaged more than {MOST_DAMAGES:,} times") from error
        last = self._parser.site.last_title
        title = self._parser.open_title or (f"A page after “{last}”" if last else "The first page")
        return _Damage(title, error, self._parser.failed_at)

    def _look_for_a_page(self, piece: bytes, damage: _Damage) -> bytes:
        """Look for the next page after a damage; returns the bytes from there on, b"" if it is not in this piece."""
        window, begin = self._tail + piece, self._offset - len(self._tail)
        prefix = re.escape(self._parser.prefix.encode())
        tag = re.search(rb"<%bpage(?=[\s>])|</%bmediawiki(?=[\s>])" % (prefix, prefix), window)
        if tag is None:
            self._offset += len(piece)
            self._tail = window[-MOST_OF_A_TAG:]
            return b""
        self._begin = self._offset = begin + tag.start()
        self._tail, self._damage = b"", None
        if tag[0].startswith(b"</"):
            self._note_damage(damage, say("no other page follows"))
            self._is_over = True
            return b""
        self._note_damage(damage, say("reading continued at the next page, at byte {offset:,}", offset=self._offset))
        old = self._parser
        self._parser = Parser(site=old.site, offset=self._offset, prefix=old.prefix, opened="mediawiki")
        return window[tag.start() :]

    def _note_damage(self, damage: _Damage, what_followed: str) -> None:
        site = self._parser.site
        where = say("its XML is damaged at byte {at:,} ({error})", at=damage.at, error=told(damage.error))
        page = MissingPage(
            damage.title, say("It was skipped: {where}; {what_followed}.", where=where, what_followed=what_followed)
        )
        site.first_problem = site.first_problem or page.reason
        self.found.append(Found(page, self._offset, is_between=True))


def without_stop(sentence: str) -> str:
    return sentence.removesuffix(".")


def told(error: Exception) -> str:
    """The error in words. An error of expat is shown without its line, which is not counted from the file's
    beginning.
    """
    if isinstance(error, expat.ExpatError):
        return expat.ErrorString(error.code) or str(error)
    return str(error) or type(error).__name__
