"""Keeps a page of any size readable: huge tables and endless pages are cut, away from the important parts, with a
note.
"""

import html

from . import sanitise
from .article_html import note
from .page_tree import Element, serialise

MOST_CELLS = 3_000  # cells of a table; a longer table is shown in part
ROWS_AT_THE_TOP = 60
ROWS_AROUND = 20  # on either side of the tagged row
CELLS_A_ROW = 200
LONGEST_PAGE = 1_000_000  # characters of HTML
LONGEST_TEXT = 100_000  # characters of a single block that is longer than a page may be


def cut_tables(root: Element) -> None:
    for table in [one for one in root.elements() if one.name == "table"]:
        rows = _rows(table)
        if sum(len(row.children) for row in rows) > MOST_CELLS:
            _cut_rows(table, rows)


def _rows(table: Element) -> list[Element]:
    """The table's own rows, without those of nested tables."""
    rows = []
    for child in table.children:
        if isinstance(child, Element):
            if child.name == "tr":
                rows.append(child)
            elif child.name in ("tbody", "thead", "tfoot"):
                rows += [row for row in child.children if isinstance(row, Element) and row.name == "tr"]
    return rows


def _cut_rows(table: Element, rows: list[Element]) -> None:
    kept = set(range(min(ROWS_AT_THE_TOP, len(rows))))
    for number, row in enumerate(rows):
        if holds_tagged(row):
            kept |= set(range(max(0, number - ROWS_AROUND), min(len(rows), number + ROWS_AROUND + 1)))
    body = Element("tbody")
    left_out = 0
    for number, row in enumerate(rows):
        if number in kept:
            if left_out:
                body.children.append(_row_note(left_out))
            left_out = 0
            row.children = _cut_cells(row)
            body.children.append(row)
        else:
            left_out += 1
    if left_out:
        body.children.append(_row_note(left_out))
    captions = [one for one in table.children if isinstance(one, Element) and one.name == "caption"]
    table.children = [*captions, body]


def _cut_cells(row: Element) -> list[Element | str]:
    tagged = next((at for at, cell in enumerate(row.children) if _is_tagged(cell)), 0)
    start = max(0, min(tagged - CELLS_A_ROW // 2, len(row.children) - CELLS_A_ROW))
    return row.children[start : start + CELLS_A_ROW]


def _is_tagged(child: Element | str) -> bool:
    return isinstance(child, Element) and holds_tagged(child)


def _row_note(count: int) -> Element:
    words = "1 row is not shown here; the article has it."
    if count != 1:
        words = f"{count:,} rows are not shown here; the article has them."
    attributes = {"class": f"{sanitise.ASIDE} {sanitise.NOTE}", "colspan": "20"}
    return Element("tr", children=[Element("td", attributes, [words])])


def cut_page(root: Element) -> bool:
    """Cut an endless page down to the part around the tagged paragraph, or to its beginning; returns whether it was
    cut.
    """
    holder = holder_of_blocks(root)
    sizes = [len(child) if isinstance(child, str) else len(serialise(child)) + 9 for child in holder.children]
    if sum(sizes) <= LONGEST_PAGE:
        return False
    tagged = next((at for at, child in enumerate(holder.children) if _is_tagged(child)), 0)
    first, last, room = tagged, tagged, LONGEST_PAGE - sizes[tagged]
    while room > 0 and (first > 0 or last < len(sizes) - 1):
        if first > 0 and (last == len(sizes) - 1 or tagged - first <= last - tagged):
            first, room = first - 1, room - sizes[first - 1]
        else:
            last, room = last + 1, room - sizes[last + 1]
    kept = [_shortened(child) for child in holder.children[first : last + 1]]
    before = [note("The beginning of the page is not shown here: it is too long.")] if first > 0 else []
    behind = [note("The rest of the page is not shown here: it is too long.")] if last < len(sizes) - 1 else []
    holder.children = [*before, *kept, *behind]
    return True


def holder_of_blocks(root: Element) -> Element:
    """The element whose children are the page's blocks: the innermost one around nearly everything."""
    while True:
        children = [child for child in root.children if isinstance(child, Element)]
        if len(children) != 1 or children[0].name not in ("div", "section"):
            return root
        root = children[0]


def _shortened(child: Element | str) -> Element | str:
    """The first words of a single block that is longer than a page may be."""
    if isinstance(child, str):
        return child[:LONGEST_TEXT]
    if len(serialise(child)) <= LONGEST_PAGE:
        return child
    attributes = {"class": sanitise.TAGGED} if holds_tagged(child) else {}
    return Element("p", attributes, [html.escape(child.text()[:LONGEST_TEXT], quote=False), " …"])


def holds_tagged(element: Element) -> bool:
    return sanitise.TAGGED in element.classes or any(sanitise.TAGGED in one.classes for one in element.elements())
