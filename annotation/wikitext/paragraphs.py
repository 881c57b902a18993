"""Finds the location of a contradiction tag, and the part of the page that counts as its paragraph.

A paragraph is a line, as in the released benchmark. A row of a table or infobox counts as one, and so does the
caption of a picture. A banner's paragraph is the heading of its section; a banner at the top of the page has none.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from . import inline_templates
from .families import normalise_name
from .plain_text import PlainText, content_span, is_file_link
from .tables import TABLE_END, Table, filled_rows, read_table, table_spans
from .tree import BLOT, COMMENT_BLOT, Argument, Node, Page

_HEADING = re.compile(
    rf"^[{COMMENT_BLOT}]*(?P<open>={{1,6}})(?P<title>[^\n]+?)(?P<close>={{1,6}})"
    rf"(?P<after>[ \t\r{BLOT}{COMMENT_BLOT}]*)$",
    re.MULTILINE,
)
_HTML_ROW = re.compile(r"<(?P<close>/?)(?P<name>table|tr)\b", re.IGNORECASE)
_LIST_ITEM = re.compile(rf"[ \t{COMMENT_BLOT}]*[*#:;]")
INFOBOX = re.compile(r"infobox|taxobox|geobox|(?<!quote)(?<!quote )box\b", re.IGNORECASE)
# Extension tags that hold lines of the article.
_TRANSPARENT = {"references", "poem", "noinclude", "onlyinclude", "imagemap", "section"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, the offsets of its words, and the heading of the section it is in."""

    start: int
    title_end: int
    end: int
    level: int
    words: tuple[int, int]
    above: "Heading | None"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The pieces of the page that make up a paragraph, and their separator."""

    placement: str
    pieces: tuple[tuple[Node, int, int], ...]
    joint: str = ""


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of the page that has its own lines, or (`whole`) is a single paragraph."""

    node: Node
    start: int
    end: int
    placement: str = ""
    whole: bool = False


class Layout:
    """The sections and paragraphs of the tags of one page."""

    def __init__(self, page: Page, plain_text: PlainText):
        self.page = page
        self.plain_text = plain_text
        self._table_spans: dict[_Region, list[tuple[int, int]]] = {}
        self._tables: dict[tuple[int, int], tuple[Table, list]] = {}
        self._html_rows: dict[_Region, list[re.Match[str]]] = {}
        self._has_text: dict[tuple[int, int], bool] = {}
        self._heading_titles: dict[int, str] = {}
        self.headings = self._find_headings()
        self._heading_starts = [heading.start for heading in self.headings]

    def section_of(self, tag: Node) -> str:
        """The path of headings above the tag, `History > Early years`; "" in the lead."""
        heading = self._heading_above(tag.start)
        return " > ".join(self._titles(heading))

    def paragraph_of(self, tag: Node, *, inline: bool) -> Paragraph:
        """The paragraph of the tag; `inline` says that its template belongs within the text."""
        region = _Region(self.page.root, 0, len(self.page.text))
        holder = tag
        for holder in (*tag.ancestors()[1:], tag):
            inner = None if holder is tag else self._enter(region, holder, tag)
            if inner is None:
                break
            region = inner
        if region.whole:
            return Paragraph(region.placement, ((region.node, region.start, region.end),))
        return (
            self._table_paragraph(region, holder)
            or self._html_row(region, holder)
            or self._line(region, holder, tag, inline=inline)
        )

    # --- From the page into what it holds ------------------------------------------------------------------

    def _enter(self, region: _Region, node: Node, tag: Node) -> _Region | None:
        """The region within `node` that holds the tag; None if `node` is just part of the tag's paragraph."""
        match node.kind:
            case "link" if is_file_link(self.page, node):
                return self._caption(node, tag)
            case "tag":
                return self._enter_extension_tag(region, node, tag)
            case "template" | "function":
                return self._enter_template(region, node, tag)
        return None

    def _enter_extension_tag(self, region: _Region, node: Node, tag: Node) -> _Region | None:
        start, end = content_span(self.page, node)
        if node.name == "gallery":
            start, end = self._line_span(_Region(node, start, end), tag)
            pipe = self.page.masked(node, start, tag.start).find("|")
            return _Region(node, start + pipe + 1, end, "caption", whole=True)
        if region.whole:
            return None
        if node.name in _TRANSPARENT:
            return _Region(node, start, end, region.placement)
        if node.name == "ref" and self._is_alone(region, node):
            return _Region(node, start, end, "reference", whole=True)
        return None

    def _enter_template(self, region: _Region, node: Node, tag: Node) -> _Region | None:
        page = self.page
        name = normalise_name(page.text[slice(*page.name_span(node))]) if node.kind == "template" else ""
        argument = _argument_with(page.arguments(node), tag)
        if argument is None or inline_templates.is_wrapper(name):
            return None
        row = _Region(node, argument.start - 1, argument.end, "infobox", whole=True)
        value = _Region(node, argument.value_start, argument.end, region.placement)
        if INFOBOX.search(name):
            return value if argument.positional else row
        if region.whole or self._in_table(region, node.start) or not self._is_alone(region, node):
            return None
        if argument.positional or inline_templates.is_known(name) or self._has_lines(value, tag):
            return value
        return _Region(node, row.start, row.end, "template", whole=True)

    def _has_lines(self, value: _Region, tag: Node) -> bool:
        """Return whether a parameter's value consists of lines, or of a template that does."""
        page = self.page
        if "\n" in page.masked(value.node, value.start, value.end).strip():
            return True
        inner = next(
            (child for child in page.children(value.node, value.start, value.end) if _holds(child, tag)), tag
        )
        lines = "\n" in page.text[inner.start : inner.end] and inner is not tag and inner.kind == "template"
        return lines and not inline_templates.is_known(normalise_name(page.text[slice(*page.name_span(inner))]))

    def _caption(self, link: Node, tag: Node) -> _Region | None:
        pipes = self.page.pipes(link)
        before = [after for pipe, after in pipes if pipe < tag.start]
        if not before:
            return None
        end = next((pipe for pipe, _ in pipes if pipe >= tag.end), link.end - 2)
        return _Region(link, before[-1], end, "caption", whole=True)

    def _is_alone(self, region: _Region, node: Node) -> bool:
        start, end = self._line_span(region, node)
        line = self.page.masked(region.node, start, end).replace(COMMENT_BLOT, "").strip()
        return len(line) == node.end - node.start and line.count(BLOT) == len(line)

    # --- Within a region -----------------------------------------------------------------------------------

    def _line_span(self, region: _Region, node: Node) -> tuple[int, int]:
        """The line of the node; a newline inside a template or a reference does not end it."""
        mask, offset = self.page.mask(region.node), region.node.start
        newline = mask.rfind("\n", region.start - offset, node.start - offset)
        start = offset + newline + 1 if newline >= 0 else region.start
        end = mask.find("\n", node.end - offset, region.end - offset)
        marked = self.page.mask_with_marks(region.node)
        table_end = TABLE_END.match(marked, start - offset, node.start - offset)
        return (offset + table_end.end() if table_end else start), (region.end if end < 0 else offset + end)

    def _line(self, region: _Region, holder: Node, tag: Node, *, inline: bool) -> Paragraph:
        start, end = self._line_span(region, holder)
        line = Paragraph(self._line_placement(region, holder, start), ((region.node, start, end),))
        if region.node.kind != "page":
            return line
        heading = self._heading_above(tag.start)
        if heading and tag.start < heading.end:
            return Paragraph("heading" if tag.start < heading.title_end else "section banner", line.pieces)
        if self._shows_text(start, end):
            return line
        if inline and (before := self._line_before(region, start)) is not None:
            placement = self._line_placement(region, holder, before)
            return Paragraph(placement, ((region.node, before, end),))
        banner = (tag.parent or region.node, tag.start, tag.end)
        if heading is None:
            return Paragraph("page banner", (banner,))
        return Paragraph("section banner", ((region.node, heading.start, heading.title_end), banner))

    def _line_placement(self, region: _Region, holder: Node, start: int) -> str:
        if holder.kind == "tag" and holder.name == "ref":
            return "reference"
        if region.placement:
            return region.placement
        line = self.page.mask(region.node)[start - region.node.start :][:200]
        return "list item" if _LIST_ITEM.match(line) else "paragraph"

    def _line_before(self, region: _Region, start: int) -> int | None:
        """The start of the previous line, if it is text that the next line continues."""
        before = self.page.mask(region.node).rfind("\n", region.start, max(start - 1, 0)) + 1
        heading = self._heading_above(start)
        if start == 0 or self._in_table(region, before) or (heading and before <= heading.start):
            return None
        return before if self._shows_text(before, start - 1) else None

    def _shows_text(self, start: int, end: int) -> bool:
        """Return whether a line of the page shows anything but tags, banners, pictures and unknown templates."""
        known = self._has_text.get((start, end))
        if known is None:
            pieces = ((self.page.root, start, end),)
            shown = self.plain_text.of(pieces, guess=False)[1]
            known = self._has_text[start, end] = bool(shown.strip("*#:; \t"))
        return known

    # --- Tables --------------------------------------------------------------------------------------------

    def _spans(self, region: _Region) -> list[tuple[int, int]]:
        spans = self._table_spans.get(region)
        if spans is None:
            spans = table_spans(self.page, region.node, region.start, region.end)
            self._table_spans[region] = spans
        return spans

    def _in_table(self, region: _Region, position: int) -> bool:
        return any(start <= position < end for start, end in self._spans(region))

    def _table_paragraph(self, region: _Region, holder: Node) -> Paragraph | None:
        around = [(start, end) for start, end in self._spans(region) if start <= holder.start < end]
        if not around:
            return None
        span = max(around)
        if span not in self._tables:
            table = read_table(self.page, region.node, span, self._spans(region))
            self._tables[span] = table, filled_rows(table)
        table, filled = self._tables[span]
        if table.caption and table.caption.start <= holder.start < table.caption.end:
            return Paragraph("caption", ((region.node, table.caption.start, table.caption.end),))
        index = bisect_right(table.rows, holder.start, key=lambda row: row.start) - 1
        if index < 0 or not any(cell.start <= holder.start < cell.end for cell in table.rows[index].cells):
            return None
        cells = tuple((region.node, cell.start, cell.end) for cell in filled[index])
        return Paragraph("table", cells, joint="\t")

    def _html_row(self, region: _Region, holder: Node) -> Paragraph | None:
        edges = self._html_rows.get(region)
        if edges is None:
            mask = self.page.masked(region.node, region.start, region.end)
            edges = self._html_rows[region] = list(_HTML_ROW.finditer(mask))
        index = bisect_right(edges, holder.start - region.start, key=lambda edge: edge.start())
        if index == 0 or edges[index - 1]["close"] or edges[index - 1]["name"].lower() != "tr":
            return None
        start = edges[index - 1].start()
        end = edges[index].start() if index < len(edges) else self._line_span(region, holder)[1] - region.start
        return Paragraph("table", ((region.node, region.start + start, region.start + end),))

    # --- Headings ------------------------------------------------------------------------------------------

    def _heading_above(self, position: int) -> Heading | None:
        index = bisect_right(self._heading_starts, position)
        return self.headings[index - 1] if index else None

    def _titles(self, heading: Heading | None) -> list[str]:
        """The titles of the headings above the heading, from the top, and its own."""
        if heading is None:
            return []
        title = self._heading_titles.get(heading.start)
        if title is None:
            title = self.plain_text.of(((self.page.root, *heading.words),))[1]
            self._heading_titles[heading.start] = title
        return [*self._titles(heading.above), title]

    def _find_headings(self) -> list[Heading]:
        page = self.page
        headings: list[Heading] = []
        above: Heading | None = None
        for match in _HEADING.finditer(page.mask(page.root)):
            after = page.children(page.root, match.start("after"), match.end("after"))
            if any(child not in page.tags for child in after if child.kind != "comment"):
                continue  # Text after the second row of equals signs: a line like any other.
            level = min(len(match["open"]), len(match["close"]))
            while above and above.level >= level:
                above = above.above
            span = match.start("open"), match.end("close"), match.end()
            above = Heading(*span, level, match.span("title"), above)
            headings.append(above)
        return headings


def _holds(node: Node, tag: Node) -> bool:
    return node.start <= tag.start and tag.end <= node.end


def _argument_with(arguments: list[Argument], tag: Node) -> Argument | None:
    index = bisect_right(arguments, tag.start, key=lambda argument: argument.value_start) - 1
    return arguments[index] if index >= 0 and tag.start < arguments[index].end else None
