"""Tables in wikitext, row by row, including unclosed ones.

All functions read a mask in which templates such as `{{!}}` are marks (see `tree`), and return offsets in the page.
As comments are gone before MediaWiki looks for tables, they may stand within a mark.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from .plain_text import is_file_link
from .tree import BLOT, COMMENT_BLOT, Node, Page, found

_GAP = f"{COMMENT_BLOT}*+"
_INDENT = rf"[ \t:*#;{COMMENT_BLOT}]*"
# `|}` ends a table, but `|}}` is the rest of a template that was not closed.
_CLOSE = rf"\|{_GAP}\}}{_GAP}(?!\}})"
_EDGE = re.compile(rf"^{_INDENT}(?:(?P<open>\{{{_GAP}\|{_GAP})|(?P<close>{_CLOSE}))", re.MULTILINE)
TABLE_END = re.compile(rf"[ \t{COMMENT_BLOT}]*+{_CLOSE}")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_LINE = re.compile(
    rf"[ \t{COMMENT_BLOT}]*(?P<mark>{_CLOSE}|\|{_GAP}[-+]|\||!)?{_GAP}(?P<rest>.*)",
    re.DOTALL,
)
_PIPE = re.compile(rf"\|{_GAP}")
_BETWEEN_CELLS = re.compile(rf"\|{_GAP}\|{_GAP}")
_BETWEEN_HEADERS = re.compile(rf"\|{_GAP}\|{_GAP}|!{_GAP}!{_GAP}")
# A link without any of these is within one cell.
_PERHAPS_CUT = re.compile(r"\n|\|\||\|<!--|!!|!\}\}|</?t[dhr]\b", re.IGNORECASE)
_HTML_CELL = re.compile(r"<(?:/?t[dhr]|(?P<table>table))\b", re.IGNORECASE)
_PERHAPS_TABLE = re.compile(r"\{\||\(!|\{\{\{!")
# Where an unclosed table is assumed to end: at a heading, or where text continues after an empty line.
_AFTER_TABLE = re.compile(r"\n(?==)|\n[ \t\r]*\n(?=[ \t]*[^|!\s])")
_SPAN = re.compile(r"\b(colspan|rowspan)\s*=\s*[\"']?\s*(\d+)", re.IGNORECASE)
_WIDEST = 200  # HTML allows cells to span 1,000 columns; no real table is as wide as that
_HIGHEST = 65_534


@dataclass(slots=True)
class Cell:
    """A cell's content, and how many columns and rows it takes."""

    start: int
    end: int
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Row:
    """The cells written in a row; cells from rows above may reach into it (see `filled_rows`)."""

    start: int
    end: int
    cells: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """A table, or the part of it between two offsets."""

    start: int
    end: int
    caption: Cell | None
    rows: list[Row]


def table_spans(page: Page, node: Node, start: int, end: int) -> list[tuple[int, int]]:
    """The offsets of the tables in this part of the node, outer before inner ones."""
    mask = page.masked_with_marks(node, start, end)
    spans, open_tables = [], []
    for edge in _EDGE.finditer(mask):
        if edge["open"]:
            open_tables.append(edge.start("open"))
        elif open_tables:
            spans.append((open_tables.pop(), edge.end()))
    if open_tables:
        ends = [*(after.start() for after in _AFTER_TABLE.finditer(mask, open_tables[0])), len(mask)]
        spans += [(opened, ends[bisect_left(ends, opened)]) for opened in open_tables]
    return sorted((start + first, start + last) for first, last in spans)


def read_table(page: Page, node: Node, span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> Table:
    """The rows of the table at `span`; the tables within it (others of `spans`, in order) count as cell content."""
    start, end = span
    mask = page.masked_with_marks(node, start, end)
    pieces: list[str] = []
    position = start
    for first, last in spans[bisect_right(spans, span) : bisect_left(spans, (end, end))]:
        if position <= first and last <= end:
            pieces += (mask[position - start : first - start], BLOT * (last - first))
            position = last
    mask = "".join((*pieces, mask[position - start :]))
    table = Table(start, end, None, [Row(start, end)])
    last_cell: Cell | None = None
    position = start
    for line in _LINES.findall(mask):
        content = _LINE.match(line)
        assert content is not None  # noqa: S101 - every line matches
        mark, rest = (content["mark"] or "").replace(COMMENT_BLOT, ""), content["rest"]
        rest_start, line_end = position + content.start("rest"), position + len(line.rstrip("\r\n"))
        if position == start or mark == "|}":
            last_cell = None
        elif mark == "|-":
            table.rows[-1].end = position
            table.rows.append(Row(position, end))
            last_cell = None
        elif mark == "|+":
            last_cell = table.caption = _cell(page, node, rest_start, rest.rstrip("\r\n"))
        elif mark:
            cells = _cells(page, node, rest_start, rest.rstrip("\r\n"), heading=mark == "!")
            table.rows[-1].cells += cells
            last_cell = cells[-1]
        elif last_cell is not None:
            last_cell.end = line_end
        position += len(line)
    table.rows = [row for row in table.rows if row.cells]
    return table


def _cells(page: Page, node: Node, start: int, mask: str, *, heading: bool) -> list[Cell]:
    cells, position = [], 0
    between = _BETWEEN_HEADERS if heading else _BETWEEN_CELLS
    for mark in (*between.finditer(mask), None):
        end = mark.start() if mark else len(mask)
        cells.append(_cell(page, node, start + position, mask[position:end]))
        position = mark.end() if mark else end
    return cells


def _cell(page: Page, node: Node, start: int, mask: str) -> Cell:
    """The cell's content: text before a single pipe is attributes, unless an editor put content there."""
    end = start + len(mask)
    pipe = _PIPE.search(mask)
    if pipe is None:
        return Cell(start, end)
    attributes, content_start = mask[: pipe.start()], start + pipe.end()
    is_content = (
        "[[" in attributes
        or any(child.kind in {"link", "markup"} for child in page.children(node, start, content_start))
        or page.holds_tag(start, content_start)
    )
    if is_content:
        return Cell(start, end)
    written = attributes.replace(COMMENT_BLOT, "")
    spans = {name.lower(): int(number[:6]) for name, number in _SPAN.findall(written)}
    return Cell(
        content_start,
        end,
        columns=min(max(spans.get("colspan", 1), 1), _WIDEST),
        # A row span of 0 reaches to the end of the table.
        rows=min(spans.get("rowspan", 1) or _HIGHEST, _HIGHEST),
    )


def read_page(text: str) -> Page:
    """The tree of a page. As MediaWiki reads tables before links, no link is longer than its cell."""
    nodes = found(text)
    page = Page(text, nodes)
    links = [node for node in nodes if node.kind == "link" and _PERHAPS_CUT.search(text, node.start, node.end)]
    ends = _ends_at_html(page, links)
    if links and _PERHAPS_TABLE.search(text):
        linkless = Page(text, [replace(node) for node in nodes if node.kind != "link"])
        ends |= _ends_of_cells(page, linkless, links)
    if not ends:
        return page
    left = (_left_of(page, node, ends[node]) if node in ends else [node] for node in nodes)
    return Page(text, sorted(chain.from_iterable(left), key=lambda node: (node.start, -node.end)))


def _ends_at_html(page: Page, links: Sequence[Node]) -> dict[Node, int]:
    """The links that continue after a cell of an HTML table, each with the end of that cell."""
    found = ((link, _HTML_CELL.search(page.mask(link))) for link in links)
    return {link: link.start + edge.start() for link, edge in found if edge and not edge["table"]}


def _ends_of_cells(page: Page, linkless: Page, links: Sequence[Node]) -> dict[Node, int]:
    """The links that continue after the cell in which they begin, each with the end of that cell.

    A picture is cut at the end of its row only: MediaWiki shows one that other cells cut whole.
    """
    links_in: dict[Node, list[Node]] = {}
    for link in links:
        links_in.setdefault(linkless.around(link.start, link.end), []).append(link)
    ends: dict[Node, int] = {}
    for holder, held in links_in.items():
        spans = table_spans(linkless, holder, holder.start, holder.end)
        for start, end in spans:
            table = read_table(linkless, holder, (start, end), spans)
            cells = [(cell.start, cell.end, row.end) for row in table.rows for cell in row.cells]
            if table.caption:
                cells.append((table.caption.start, table.caption.end, table.caption.end))
            cells.sort()
            for link in held[bisect_left(held, start, key=_start) : bisect_left(held, end, key=_start)]:
                index = bisect_right(cells, link.start, key=lambda cell: cell[0]) - 1
                _, cell_end, row_end = cells[index] if index >= 0 else (0, 0, 0)
                is_cut = link.start < cell_end < link.end
                if is_cut and (row_end < link.end or not is_file_link(page, link)):
                    ends[link] = cell_end
    return ends


def _start(node: Node) -> int:
    return node.start


def _left_of(page: Page, link: Node, end: int) -> list[Node]:
    """The remainder of a link that is cut at `end`: its brackets and target, which are not shown. Empty if MediaWiki
    shows them as written.
    """
    is_file = is_file_link(page, link)
    texts = [after for _, after in page.pipes(link) if after <= end]
    if not texts or (not is_file and any(child.kind == "link" for child in link.children)):
        return []
    text_start = texts[-1] if is_file else texts[0]
    return [Node("markup", link.start, text_start), Node("markup", link.end - 2, link.end)]


def filled_rows(table: Table) -> list[list[Cell]]:
    """The grid as a browser draws it: a cell is in each column and row that it spans."""
    grid: list[list[Cell]] = []
    hanging: dict[int, tuple[int, Cell]] = {}  # column -> rows left, cell from above
    for row in table.rows:
        filled: list[Cell] = []
        waiting = list(reversed(row.cells))
        still_hanging: dict[int, tuple[int, Cell]] = {}
        last_hanging = max(hanging, default=-1)
        while waiting or len(filled) <= last_hanging:
            column = len(filled)
            if column in hanging:
                left, cell = hanging[column]
                width = 1
            elif waiting:
                cell = waiting.pop()
                left, width = cell.rows, cell.columns
            else:
                # Nothing is written below a cell further to the right.
                left, width, cell = 1, 1, Cell(row.end, row.end)
            if left > 1:
                columns = range(column, min(column + width, _WIDEST))
                still_hanging |= dict.fromkeys(columns, (left - 1, cell))
            filled += [cell] * width
        grid.append(filled)
        hanging = still_hanging
    return grid
