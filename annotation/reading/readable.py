"""A readable rendering of wikitext, for articles without HTML from a wiki: those from dumps and files.

Headings, paragraphs, lists, tables and infoboxes, in the words that `plain_text` gives them; a line is a paragraph,
as it is for the tags. Text in, HTML out, which is not trusted either: it goes through `reading.pages` like a wiki's.
Called through `extraction.in_child`, as wikitext can keep any parser busy.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..wikitext.families import FAMILIES, INCONSISTENT
from ..wikitext.paragraphs import INFOBOX, Layout
from ..wikitext.plain_text import PlainText
from ..wikitext.tables import Cell, read_table, table_spans
from ..wikitext.tags import tagged_page
from ..wikitext.tree import BLOT, COMMENT_BLOT, Node, Page
from .pages import article_page
from .tagged_block import likeness, words

_ITEM = re.compile(r"[ \t]*([*#:;]+)")
_ITEM_MARKS = re.compile(r"\A[ \t]*[*#:;]+[ \t]*")
_HEADING = re.compile(r"[ \t]*(={2,6})[ \t]*([^=\n](?:.*?[^\s])??)[ \t]*\1(?!=)")
_PARAMETER = re.compile(r"[ \t]*\|[ \t]*([^=|{}\[\]\n]+?)[ \t]*=[ \t]*")
_RULE = re.compile(r"-{4,}")
# Infobox parameters that show or arrange pictures, and names that mean nothing to readers.
_SILENT_PARAMETER = re.compile(
    r"(?:image|logo|flag|map|photo|alt|caption|width|size|coor)|(?:_?style|class|upright)$", re.I
)
_SAME_PARAGRAPH = 0.3
_LIST = {"*": "ul", "#": "ol", ":": "dl", ";": "dl"}


def readable_page(
    wikitext: str,
    *,
    page_url: str,
    prefix: str,
    location: dict[str, object] | None,
    families: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """The page in the form in which `pages.article_page` gives a wiki's HTML."""
    source = to_html(wikitext, families=families)
    return article_page(source, page_url=page_url, prefix=prefix, location=location)


def readable_text(text: str, *, prefix: str, location: dict[str, object] | None) -> dict[str, object]:
    """The same for plain text: the paragraph in a tasks file, its tags in braces."""
    lines = (_with_marks(as_read(line), []) for line in text.splitlines() if line.strip())
    return article_page("".join(f"<p>{line}</p>\n" for line in lines), page_url="", prefix=prefix, location=location)


def as_read(paragraph: str) -> str:
    """The text of a tag's paragraph for readers, without the markup of an item, a heading or a row."""
    return "\n".join(_line_as_read(line) for line in paragraph.splitlines())


def _line_as_read(line: str) -> str:
    if heading := _HEADING.match(line):
        return f"{heading[2]}{line[heading.end() :]}"
    if parameter := _PARAMETER.match(line):
        return f"{_label(parameter[1])}: {line[parameter.end() :]}"
    return ", ".join(cell.strip() for cell in _ITEM_MARKS.sub("", line).split("\t") if cell.strip())


def _label(parameter: str) -> str:
    return parameter.replace("_", " ").strip().capitalize()


def plain_lines(wikitext: str, *, families: Mapping[str, str] | None = None) -> list[str]:
    """The text of each line, row and infobox parameter of a page, without tags."""
    names = dict(FAMILIES if families is None else families)
    page, _ = tagged_page(wikitext, names)
    return list(_Rendering(page, names).lines())


def paragraph_change(
    before: str, after: str, *, start: int, families: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The paragraph of the tag at `start` in `after`, without and with its markers, and the earlier paragraph in
    `before`.

    The earlier paragraph is the line with the most words in common; empty if there is none.
    """
    names = dict(FAMILIES if families is None else families)
    page, named = tagged_page(after, names)
    node = next((tag for tag in page.tags if tag.start == start), None)
    if node is None:
        return {"before": "", "after": "", "section": ""}
    plain_text = PlainText(page)
    layout = Layout(page, plain_text)
    inline = names[named[node]] == INCONSISTENT or "inline" in named[node].lower()
    paragraph = layout.paragraph_of(node, inline=inline)
    with_tags, clean = plain_text.of(paragraph.pieces, paragraph.joint)
    return {
        "before": _likeliest(clean, plain_lines(before, families=names)),
        "after": with_tags,
        "section": layout.section_of(node),
    }


def _likeliest(paragraph: str, lines: list[str]) -> str:
    wanted = words(paragraph)
    scored = [(likeness(wanted, words(line)), line) for line in lines]
    score, line = max(scored, default=(0.0, ""), key=lambda one: one[0])
    return line if score >= _SAME_PARAGRAPH else ""


def to_html(wikitext: str, *, families: Mapping[str, str] | None = None) -> str:
    names = dict(FAMILIES if families is None else families)
    page, _ = tagged_page(wikitext, names)
    return "".join(_Rendering(page, names).html())


@dataclass(slots=True)
class _Rendering:
    page: Page
    names: Mapping[str, str]
    plain_text: PlainText = field(init=False)
    layout: Layout = field(init=False)
    sources: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.plain_text = PlainText(self.page)
        self.layout = Layout(self.page, self.plain_text)
        self.sources = [self.page.text[tag.start : tag.end] for tag in self.page.tags]

    # --- Lines -------------------------------------------------------------------------------------------------

    def html(self) -> Iterator[str]:
        open_lists: list[str] = []
        for piece, prefix in self._blocks():
            wanted = [_LIST[mark] for mark in prefix]
            common = 0
            while common < min(len(wanted), len(open_lists)) and wanted[common] == open_lists[common]:
                common += 1
            while len(open_lists) > common:
                yield f"</{open_lists.pop()}>"
            for name in wanted[common:]:
                open_lists.append(name)
                yield f"<{name}>"
            item = {"ul": "li", "ol": "li", "dl": "dt" if prefix.endswith(";") else "dd"}
            yield f"<{item[wanted[-1]]}>{piece}</{item[wanted[-1]]}>" if wanted else piece
            yield "\n"
        yield from (f"</{name}>" for name in reversed(open_lists))

    def lines(self) -> Iterator[str]:
        """The text of each line, row, caption and infobox parameter, without tags."""
        for start, end in self._line_spans():
            if self._infobox_of(start, end) is None and (text := self._text(self.page.root, start, end)[1]):
                yield text
        for span in self._tables():
            table = read_table(self.page, self.page.root, span, self._tables(nested=True))
            cells = [row.cells for row in table.rows] + ([[table.caption]] if table.caption else [])
            for row in cells:
                yield self.plain_text.of([(self.page.root, cell.start, cell.end) for cell in row], "\t")[1]
        for template in self._infoboxes():
            for argument in self.page.arguments(template):
                yield self._text(template, argument.start - 1, argument.end)[1]

    def _blocks(self) -> Iterator[tuple[str, str]]:
        """The HTML of each block, and the list markers it begins with."""
        headings = {heading.start: heading for heading in self.layout.headings}
        tables = dict(self._tables())
        for start, end in self._line_spans(with_tables=True):
            if start in tables:
                yield self._table((start, tables[start])), ""
                continue
            heading = next((headings[at] for at in range(start, min(end, start + 400)) if at in headings), None)
            if heading is not None:
                level = len(re.match("=*", self.page.text[heading.start :])[0])  # type: ignore[index]
                text = self._text(self.page.root, heading.start + level, heading.title_end - level)[0]
                yield f"<h{max(level, 2)}>{self._marked(text)}</h{max(level, 2)}>", ""
                continue
            infobox = self._infobox_of(start, end)
            if infobox is not None:
                yield self._infobox(infobox), ""
                continue
            yield from self._line(start, end)

    def _line(self, start: int, end: int) -> Iterator[tuple[str, str]]:
        item = _ITEM.match(self.page.masked(self.page.root, start, end))
        prefix = item[1] if item else ""
        behind = start + (item.end() if item else 0)
        guess = not self._is_templates_only(behind, end)
        text, clean = self._text(self.page.root, behind, end, guess=guess)
        if _RULE.fullmatch(text):
            yield "<hr>", ""
        elif not clean.strip() and text:
            yield f'<div class="ambox">{html.escape(_said_by(text))}</div>', ""
        elif clean.strip():
            yield (self._marked(text), prefix) if prefix else (f"<p>{self._marked(text)}</p>", "")

    def _line_spans(self, *, with_tables: bool = False) -> Iterator[tuple[int, int]]:
        """The offsets of the page's lines; a table is one line, or left out."""
        mask = self.page.mask(self.page.root)
        position = 0
        for start, end in [*self._tables(), (len(mask), len(mask))]:
            while position < start:
                newline = mask.find("\n", position, start)
                stop = newline if newline >= 0 else start
                if mask[position:stop].strip():
                    yield position, stop
                position = stop + 1
            if with_tables and end > start:
                yield start, end
            position = max(position, end)

    def _is_templates_only(self, start: int, end: int) -> bool:
        """Return whether there are only templates: no text is guessed for unknown ones."""
        return not self.page.masked(self.page.root, start, end).strip(f" \t\r{BLOT}{COMMENT_BLOT}")

    # --- Tables ------------------------------------------------------------------------------------------------

    def _tables(self, *, nested: bool = False) -> list[tuple[int, int]]:
        spans = table_spans(self.page, self.page.root, 0, len(self.page.text))
        if nested:
            return spans
        outer: list[tuple[int, int]] = []
        for start, end in spans:
            if not outer or start >= outer[-1][1]:
                outer.append((start, end))
        return outer

    def _table(self, span: tuple[int, int]) -> str:
        table = read_table(self.page, self.page.root, span, self._tables(nested=True))
        pieces = ['<table class="wikitable">']
        if table.caption:
            pieces.append(f"<caption>{self._cell_text(table.caption)}</caption>")
        for row in table.rows:
            cells = "".join(self._cell(cell) for cell in row.cells)
            pieces.append(f"<tr>{cells}</tr>\n")
        pieces.append("</table>")
        return "".join(pieces)

    def _cell(self, cell: Cell) -> str:
        line = self.page.text[self.page.text.rfind("\n", 0, cell.start) + 1 : cell.start]
        name = "th" if line.lstrip().startswith("!") else "td"
        spans = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
        spans += f' rowspan="{cell.rows}"' if 1 < cell.rows <= 1_000 else ""
        return f"<{name}{spans}>{self._cell_text(cell)}</{name}>"

    def _cell_text(self, cell: Cell) -> str:
        return self._marked(self._text(self.page.root, cell.start, cell.end)[0])

    # --- Infoboxes ---------------------------------------------------------------------------------------------

    def _infoboxes(self) -> list[Node]:
        named = {
            child: self.page.text[slice(*self.page.name_span(child))]
            for child in self.page.root.children
            if child.kind == "template"
        }
        return [child for child, name in named.items() if INFOBOX.search(name) and "nav" not in name.lower()]

    def _infobox_of(self, start: int, end: int) -> Node | None:
        children = [node for node in self.page.children(self.page.root, start, end) if node.kind == "template"]
        return next((node for node in self._infoboxes() if node in children), None)

    def _infobox(self, template: Node) -> str:
        rows = []
        for argument in self.page.arguments(template):
            if argument.positional or _SILENT_PARAMETER.search(argument.name):
                holds_tag = self.page.holds_tag(argument.start, argument.end)
                if not holds_tag:
                    continue
            text, _ = self._text(template, argument.value_start, argument.end)
            if text:
                label = html.escape(_label(argument.name))
                rows.append(f'<tr><th scope="row">{label}</th><td>{self._marked(text)}</td></tr>\n')
        return f'<table class="infobox">{"".join(rows)}</table>' if rows else ""

    # --- Texts -------------------------------------------------------------------------------------------------

    def _text(self, node: Node, start: int, end: int, *, guess: bool = True) -> tuple[str, str]:
        return self.plain_text.of(((node, start, end),), guess=guess)

    def _marked(self, text: str) -> str:
        return _with_marks(text, self.sources)


def _with_marks(text: str, sources: list[str]) -> str:
    """The text as HTML, with its contradiction tags as marks like those a wiki shows."""
    pattern = "|".join(map(re.escape, sorted(set(sources), key=len, reverse=True))) or r"\{\{[^{}]*\}\}"
    position, pieces = 0, []
    for match in re.finditer(pattern, text):
        pieces.append(html.escape(text[position : match.start()], quote=False))
        pieces.append(f'<sup class="Inline-Template">[{html.escape(_word_for(match[0]), quote=False)}]</sup>')
        position = match.end()
    return "".join((*pieces, html.escape(text[position:], quote=False)))


def _word_for(source: str) -> str:
    name = source[2:].partition("|")[0].strip("} \n").lower()
    return "inconsistent" if "inconsisten" in name else "contradictory"


def _said_by(source: str) -> str:
    """A banner in a few words: the tag without its braces."""
    return " · ".join(part.strip() for part in source.replace("{{", "").replace("}}", "").split("|"))
