"""Offsets of the sentences of a page, for the keys that select sentence by sentence. Text in, offsets out."""

import html
from dataclasses import dataclass

from . import sanitise
from .page_tree import Element, parse
from .sentences import LANGUAGE, sentences

_BLOCKS = {
    "blockquote", "caption", "dd", "dt", "figcaption", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre", "tr",
}  # fmt: skip
_ROW, _CELLS, _HEADINGS = "tr", ("td", "th"), ("h2", "h3", "h4", "h5", "h6")


def page_sentences(page: str, language: str = LANGUAGE) -> list[tuple[int, int]]:
    """The offsets of a page's sentences, in UTF-16 units of its text; a table row is one.

    `page` is HTML as `sanitise` makes it. Marks and tags within the text belong to no sentence, but offsets count
    them.
    """
    reader = _Reader(language)
    reader.read(parse(page))
    reader.end_block()
    return reader.found


def page_texts(page: str, language: str = LANGUAGE) -> "PageTexts":
    """The texts of a page as `page_sentences` splits it, with the tagged ones among them."""
    reader = _Reader(language)
    reader.read(parse(page))
    reader.end_block()
    return PageTexts(reader.texts, reader.tagged, reader.mark)


@dataclass(frozen=True, slots=True)
class PageText:
    """A sentence, row, caption or heading of a page: its offsets, its words, the heading that it is below, and for
    a heading its level.
    """

    start: int
    end: int
    words: str
    heading: str
    level: int = 0

    @property
    def is_heading(self) -> bool:
        return self.level > 0


@dataclass(frozen=True, slots=True)
class PageTexts:
    """The texts of a page, the offsets of the tagged block, and that of the tag itself; None where there is none."""

    texts: list[PageText]
    tagged: tuple[int, int] | None
    mark: int | None

    def tagged_texts(self) -> list[int]:
        """The positions of the tagged sentences: the one before the tag, or all of the tagged block; none for a
        banner or a heading.
        """
        if self.tagged is None:
            return []
        start, end = self.tagged
        within = [at for at, text in enumerate(self.texts) if text.start < end and text.end > start]
        if any(self.texts[at].is_heading for at in within):
            return []
        before = [at for at in within if self.mark is not None and self.texts[at].start < self.mark]
        return before[-1:] or within

    def tagged_section(self) -> list[int]:
        """The positions of the texts below the tagged heading, with those of its subsections; without one, all."""
        start = self.tagged[0] if self.tagged else -1
        at = next((at for at, text in enumerate(self.texts) if text.is_heading and text.start >= start >= 0), -1)
        if at < 0 or self.tagged is None or self.texts[at].start >= self.tagged[1]:
            return [at for at, text in enumerate(self.texts) if not text.is_heading]
        level, found = self.texts[at].level, []
        for position in range(at + 1, len(self.texts)):
            text = self.texts[position]
            if text.is_heading and text.level <= level:
                break
            if not text.is_heading:
                found.append(position)
        return found


class _Reader:
    """Walks through a page. Text belongs to the innermost block around it; within a row, to the row."""

    def __init__(self, language: str):
        self.language = language
        self.found: list[tuple[int, int]] = []
        self.texts: list[PageText] = []
        self.tagged: tuple[int, int] | None = None
        self.mark: int | None = None
        self._heading = ""
        self._position = 0
        self._pieces: list[tuple[int, str]] = []

    def read(self, element: Element, *, is_block: bool = False, is_row: bool = False) -> None:
        for child in element.children:
            if isinstance(child, str):
                self._text(html.unescape(child), is_block=is_block)
                continue
            start = self._position
            if sanitise.THIS_TAG in child.classes:
                self.mark = start
            if sanitise.ASIDE in child.classes:
                self._position += _units(_dom_text(child))
            elif child.name in _BLOCKS and not is_row:
                self.end_block()
                self.read(child, is_block=True, is_row=child.name == _ROW)
                self.end_block(
                    is_whole=child.name == _ROW, level=int(child.name[1]) if child.name in _HEADINGS else 0
                )
            else:
                if is_row and child.name in _CELLS:
                    self._pieces.append((self._position, " "))  # between cells; no letter begins or ends there
                self.read(child, is_block=is_block, is_row=is_row)
            if sanitise.TAGGED in child.classes and sanitise.ASIDE not in child.classes:
                self.tagged = (start, self._position)

    def _text(self, text: str, *, is_block: bool) -> None:
        if is_block:
            self._pieces.append((self._position, text))
        self._position += _units(text)

    def end_block(self, *, is_whole: bool = False, level: int = 0) -> None:
        """Split the text read of the block into sentences."""
        pieces, self._pieces = self._pieces, []
        text = "".join(piece for _, piece in pieces)
        spans = [(0, len(text))] if is_whole else [tuple(span) for span in sentences(text, self.language)]
        if level:
            self._heading = " ".join(text.split())
        for start, end in spans:
            words = text[start:end]
            if words.strip():
                first = start + len(words) - len(words.lstrip())
                last = start + len(words.rstrip())
                at = (_offset(pieces, first), _offset(pieces, last - 1) + _units(text[last - 1 : last]))
                self.found.append(at)
                self.texts.append(PageText(*at, " ".join(words.split()), self._heading, level))


def _offset(pieces: list[tuple[int, str]], at: int) -> int:
    """The offset in the page of the character at `at` in the joined pieces."""
    for position, piece in pieces:
        if at < len(piece):
            return position + _units(piece[:at])
        at -= len(piece)
    raise IndexError(at)


def _dom_text(element: Element) -> str:
    return "".join(html.unescape(part) if isinstance(part, str) else _dom_text(part) for part in element.children)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)
