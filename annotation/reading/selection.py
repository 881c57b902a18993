"""Turns a selection in the reading pane into a passage. Text in, text out.

A selection is a range of the page's text: the DOM's `textContent`, counted in UTF-16 units as browsers count.
Citation marks, clean-up tags and banners are left out, rows of tables and infoboxes become lines "label: value",
superscripts and subscripts keep their meaning (10⁶, not 106), and blanks are tidied.
"""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from core.outside import storable

from ..wikitext.scripts import SCRIPTS, script_form
from . import sanitise
from .page_tree import Element, parse

TEXT, TABLE, INFOBOX = "text", "table", "infobox"
_OWN_LINE = {
    "blockquote", "caption", "dd", "div", "dt", "figcaption", "h2", "h3", "h4", "h5", "h6", "li", "p", "pre",
    "section",
}  # fmt: skip
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_PARAGRAPHS = ("p", "li", "dd", "tr", "blockquote")
_LISTS = ("ul", "ol", "dl")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_BLANKS = re.compile(r"[^\S\n]+")
_BEFORE_POINT = re.compile(r"\s+(?=[.,)\]](?:[\s,.)\]]|$))")


@dataclass(frozen=True, slots=True)
class Selected:
    """The result of a selection. `start` and `end` are the offsets of its first and last kept letters in the page."""

    text: str
    kind: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class _Cell:
    """A cell of a table, or a block outside of tables: its text, and the selected pieces of it."""

    row: int = 0  # 0 outside of tables
    column: int = 0
    is_heading: bool = False
    whole: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Table:
    kind: str
    # Column to heading, from rows with nothing but headings.
    headings: dict[int, str] = field(default_factory=dict)
    was_heading: bool = False
    # Column to the number of rows that a cell above still spans.
    hanging: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Row:
    cells: list[_Cell]
    headings: dict[int, str]
    label: _Cell | None


def select(page: str, start: int, end: int) -> Selected | None:
    """The passage between two offsets in a page's text; None if it has only marks.

    `page` is HTML as `sanitise` makes it.
    """
    reader = _Reader(min(start, end), max(start, end))
    reader.read(parse(page))
    text = "\n".join(line for line in reader.lines() if line)
    if not text or reader.first is None:
        return None
    kind = TEXT if TEXT in reader.kinds or not reader.kinds else TABLE if TABLE in reader.kinds else INFOBOX
    return Selected(text=text, kind=kind, start=reader.first, end=reader.last)


def has_words(page: str, start: int, end: int, words: str) -> bool:
    """Return whether a page's text has these words between two offsets, regardless of blanks.

    A browser that translates the page, or an extension that adds to it, shows other words there, and shifts offsets.
    """
    text = "".join(_texts(parse(page)))
    return _letters(_cut(text, min(start, end), max(start, end))) == _letters(words)


def _letters(text: str) -> str:
    return "".join(_INVISIBLE.sub("", storable(text)).split())


def tagged_offsets(page: str) -> tuple[int, int] | None:
    """The offsets, in UTF-16 units of its text, of the part of a page that is marked as the tag's paragraph; None
    without one. For a marked section, the first paragraph below its heading.
    """
    start, position, section = None, 0, ""
    waiting: list[Element | str] = [parse(page)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            position += _length(html.unescape(part))
        elif start is None and section and part.name in _PARAGRAPHS and sanitise.ASIDE not in part.classes:
            if "".join(_texts(part)).strip():
                start, waiting = position, []
            waiting += reversed(_children(part))
        elif start is None and section and (sanitise.ASIDE in part.classes or part.name in _HEADINGS):
            if part.name in _HEADINGS and part.name <= section:
                return None  # the section has no paragraph
            position += _length("".join(_texts(part)))
        elif start is None and sanitise.TAGGED in part.classes and part.name in _HEADINGS:
            # The tag is on the section: its first paragraph, not its heading.
            section = part.name
            position += _length("".join(_texts(part)))
        elif start is None and sanitise.TAGGED in part.classes:
            start = position
            # An item is a line of its own, without the list nested below it.
            inner = _children(part)
            below = (at for at, child in enumerate(inner) if isinstance(child, Element) and child.name in _LISTS)
            waiting = list(reversed(inner[: next(below, len(inner))]))
        else:
            waiting += reversed(_children(part))
    return None if start is None else (start, position)


def joined(page: str, parts: Iterable[Selected]) -> list[Selected]:
    """The selections from one page in its order. Those that overlap, or have only blanks and marks between them, are
    one."""
    found: list[Selected] = []
    for part in sorted(parts, key=lambda part: (part.start, part.end)):
        last = found[-1] if found else None
        if last and (part.start <= last.end or select(page, last.end, part.start) is None):
            found[-1] = select(page, last.start, max(last.end, part.end)) or last
        else:
            found.append(part)
    return found


def mended(text: str) -> str:
    """The text with single blanks, none before a full stop, and without invisible characters."""
    text = _BLANKS.sub(" ", _INVISIBLE.sub("", text))
    lines = (_BEFORE_POINT.sub("", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


class _Reader:
    """Walks through a page and keeps the text between two offsets."""

    def __init__(self, start: int, end: int):
        self.start, self.end = start, end
        self.position = 0
        self.first: int | None = None
        self.last = 0
        self.kinds: set[str] = set()
        self._cells: list[_Cell] = []
        self._rows: list[_Row] = [_Row([], {}, None)]

    # --- Reading -----------------------------------------------------------------------------------------------

    def read(self, root: Element) -> None:
        self._blocks(root, self._new_cell())

    def _blocks(self, element: Element, cell: _Cell) -> _Cell:
        """Read the text outside tables; returns the block that the following text belongs to."""
        for child in self._read_texts(element, cell, TEXT):
            if self.position >= self.end:
                break
            if child.name == "table":
                kind = INFOBOX if sanitise.INFOBOX in child.classes else TABLE
                self._table(child, _Table(kind))
                cell = self._new_cell()
            elif child.name in _OWN_LINE:
                self._blocks(child, self._new_cell())
                cell = self._new_cell()
            else:
                cell = self._blocks(child, cell)
        return cell

    def _table(self, element: Element, table: _Table) -> None:
        for child in self._read_texts(element, _Cell(), TEXT):
            if self.position >= self.end:
                break
            if child.name == "tr":
                self._row(child, table)
            elif child.name == "caption":
                self._blocks(child, self._new_cell())
            else:
                self._table(child, table)

    def _row(self, row: Element, table: _Table) -> None:
        cells: list[_Cell] = []
        reaching: dict[int, int] = {}
        spans: dict[int, int] = {}
        column = 0
        for child in self._read_texts(row, _Cell(), TEXT):
            while column in table.hanging:
                column += 1
            cell = self._new_cell(len(self._rows), column, is_heading=child.name == "th")
            cells.append(cell)
            self._in_cell(child, cell, table)
            width, height = _span(child, "colspan"), _span(child, "rowspan")
            if height > 1:
                reaching |= dict.fromkeys(range(column, column + width), height - 1)
            spans[column] = width
            column += width
        self._rows.append(self._described(cells, spans, table))
        table.hanging = {at: left - 1 for at, left in table.hanging.items() if left > 1} | reaching

    @staticmethod
    def _described(cells: list[_Cell], spans: dict[int, int], table: _Table) -> _Row:
        """A row with the headings of its columns, or with its first cell as the label of the others."""
        if len(cells) > 1 and all(cell.is_heading for cell in cells):
            above = table.headings if table.was_heading else {}
            table.headings = dict(above)
            for cell in cells:
                for column in range(cell.column, cell.column + spans[cell.column]):
                    both = f"{above.get(column, '')} {_one_line(''.join(cell.whole))}"
                    table.headings[column] = both.strip()
            table.was_heading = True
            return _Row(cells, {}, None)
        table.was_heading = False
        is_pair = len(cells) > 1 and (table.kind == INFOBOX or (len(cells) == 2 and cells[0].is_heading))
        return _Row(cells, table.headings, cells[0] if is_pair else None)

    def _in_cell(self, element: Element, cell: _Cell, table: _Table) -> None:
        """Read a cell; lists and tables in it are part of it."""
        for child in self._read_texts(element, cell, table.kind):
            apart = child.name in _OWN_LINE or child.name in ("table", "tr", "td", "th")
            if apart:
                self._break(cell)
            self._in_cell(child, cell, table)
            if apart:
                self._break(cell)

    def _read_texts(self, element: Element, cell: _Cell, kind: str) -> Iterator[Element]:
        """Read the element's own text into the cell, and yield the child elements still to be read."""
        children = _children(element)
        for at, child in enumerate(children):
            if isinstance(child, str):
                self._text(html.unescape(child), cell, kind)
            elif child.name == "br":
                if not _is_between_scripts(children, at):  # {{nuclide}} sets one above the other
                    self._break(cell)
            elif sanitise.ASIDE in child.classes:
                self.position += _length("".join(_texts(child)))
            elif child.name in SCRIPTS:
                self._script(child, cell, kind)
            else:
                yield child

    def _script(self, element: Element, cell: _Cell, kind: str) -> None:
        """Read a superscript or subscript, written so that it keeps its meaning: `scripts.script_form`."""
        inner = _Cell()
        self._in_script(element, inner, kind)
        for into, texts in ((cell.whole, inner.whole), (cell.pieces, inner.pieces)):
            if texts:
                into.append(script_form("".join(texts), element.name, before=into[-1] if into else ""))

    def _in_script(self, element: Element, inner: _Cell, kind: str) -> None:
        for child in self._read_texts(element, inner, kind):
            self._in_script(child, inner, kind)

    def _new_cell(self, row: int = 0, column: int = 0, *, is_heading: bool = False) -> _Cell:
        cell = _Cell(row, column, is_heading)
        self._cells.append(cell)
        return cell

    def _text(self, text: str, cell: _Cell, kind: str) -> None:
        length = _length(text)
        begins, ends = max(self.start - self.position, 0), min(self.end - self.position, length)
        if begins < ends:
            piece = _cut(text, begins, ends)
            if piece.strip():
                if self.first is None:
                    self.first = self.position + begins + _length(piece) - _length(piece.lstrip())
                self.last = self.position + begins + _length(piece.rstrip())
                self.kinds.add(kind)
            cell.pieces.append(piece.replace("\n", " "))
        cell.whole.append(text.replace("\n", " "))
        self.position += length

    @staticmethod
    def _break(cell: _Cell) -> None:
        cell.whole.append("\n")
        if cell.pieces:
            cell.pieces.append("\n")

    # --- Writing -----------------------------------------------------------------------------------------------

    def lines(self) -> Iterator[str]:
        written: set[int] = set()
        for cell in self._cells:
            if cell.row == 0:
                yield mended("".join(cell.pieces))
            elif cell.row not in written:
                written.add(cell.row)
                yield from _row_lines(self._rows[cell.row])


def _row_lines(row: _Row) -> Iterator[str]:
    picked = [(cell, value) for cell in row.cells if (value := _one_line("".join(cell.pieces)))]
    if not picked:
        return
    if row.label is not None:
        name = _one_line("".join(row.label.whole)).rstrip(":")
        values = ", ".join(value for cell, value in picked if cell is not row.label)
        yield f"{name}: {values}" if name and values else values or picked[0][1]
        return
    for cell, value in picked:
        heading = row.headings.get(cell.column, "")
        yield f"{heading}: {value}" if heading else value


def _one_line(text: str) -> str:
    """The lines of a cell as a list with commas."""
    return ", ".join(line.strip(" ,") for line in mended(text).split("\n") if line.strip(" ,"))


def _children(element: Element) -> list[Element | str]:
    """An element's children as in a browser: a line break at the beginning of `pre` does not count."""
    children = element.children
    if element.name == "pre" and children and isinstance(children[0], str):
        return [children[0].removeprefix("\n"), *children[1:]]
    return children


def _is_between_scripts(children: list[Element | str], at: int) -> bool:
    """Return whether a raised or lowered text is directly before and directly after it."""
    beside = [*children[max(at - 1, 0) : at], *children[at + 1 : at + 2]]
    return len(beside) == 2 and all(not isinstance(one, str) and one.name in SCRIPTS for one in beside)


def _texts(element: Element) -> Iterator[str]:
    """The text in an element as in the DOM: a line break element has no text."""
    waiting: list[Element | str] = [element]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield html.unescape(part)
        else:
            waiting += reversed(_children(part))


def _span(cell: Element, name: str) -> int:
    written = cell.attributes.get(name, "1")
    return min(int(written[:5]), 1_000) if written.isdecimal() else 1


def _length(text: str) -> int:
    """Length in UTF-16 units: a character beyond the basic plane counts as two."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _cut(text: str, start: int, end: int) -> str:
    """The part between two offsets, counted in UTF-16 units."""
    if len(text) == _length(text):
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "replace")
