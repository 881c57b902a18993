"""Offsets of the sentences of a page, for the keys that select sentence by sentence. Text in, offsets out."""

import html

from . import sanitise
from .page_tree import Element, parse
from .sentences import LANGUAGE, sentences

_BLOCKS = {
    "blockquote", "caption", "dd", "dt", "figcaption", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre", "tr",
}  # fmt: skip
_ROW = "tr"


def page_sentences(page: str, language: str = LANGUAGE) -> list[tuple[int, int]]:
    """The offsets of a page's sentences, in UTF-16 units of its text; a table row is one.

    `page` is HTML as `sanitise` makes it. Marks and tags within the text belong to no sentence, but offsets count
    them.
    """
    reader = _Reader(language)
    reader.read(parse(page))
    reader.end_block()
    return reader.found


class _Reader:
    """Walks through a page. Text belongs to the innermost block around it; within a row, to the row."""

    def __init__(self, language: str):
        self.language = language
        self.found: list[tuple[int, int]] = []
        self._position = 0
        self._pieces: list[tuple[int, str]] = []

    def read(self, element: Element, *, is_block: bool = False, is_row: bool = False) -> None:
        for child in element.children:
            if isinstance(child, str):
                self._text(html.unescape(child), is_block=is_block)
            elif sanitise.ASIDE in child.classes:
                self._position += _units(_dom_text(child))
            elif child.name in _BLOCKS and not is_row:
                self.end_block()
                self.read(child, is_block=True, is_row=child.name == _ROW)
                self.end_block(is_whole=child.name == _ROW)
            else:
                self.read(child, is_block=is_block, is_row=is_row)

    def _text(self, text: str, *, is_block: bool) -> None:
        if is_block:
            self._pieces.append((self._position, text))
        self._position += _units(text)

    def end_block(self, *, is_whole: bool = False) -> None:
        """Split the text read of the block into sentences."""
        pieces, self._pieces = self._pieces, []
        text = "".join(piece for _, piece in pieces)
        spans = [(0, len(text))] if is_whole else [tuple(span) for span in sentences(text, self.language)]
        for start, end in spans:
            words = text[start:end]
            if words.strip():
                first = start + len(words) - len(words.lstrip())
                last = start + len(words.rstrip())
                self.found.append((_offset(pieces, first), _offset(pieces, last - 1) + _units(text[last - 1 : last])))


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
