"""Renders the rows of a report's tables and plots on a page.

A page has thousands of cells and marks. Rendering them here costs a tenth of rendering them in a template.
"""

from collections.abc import Sequence
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from core.languages import say, translated
from core.languages.texts import local_number

from ..reports.drawing.plots import Bar, GridField, Intervals, Line, Mark, Segment
from ..reports.layout import Cell, Column, in_cell

register = template.Library()

SHAPES = {
    "diamond": '<path class="mark mark-diamond" d="M0 -6L6 0L0 6L-6 0Z"></path>',
    "ring": '<circle class="mark mark-ring" r="4.5"></circle>',
    "circle": '<circle class="mark mark-circle" r="5"></circle>',
}


def _shown(text: str) -> str:
    """The text in the reader's language, escaped."""
    return escape(translated(text))


def _nothing() -> str:
    return f'<span class="visually-hidden">{_shown(say("nothing"))}</span>'


@register.filter
def drawn(thumbnail: str) -> SafeString:
    """A thumbnail as it was drawn: each part of it is ours."""
    return mark_safe(thumbnail)  # noqa: S308


@register.filter
def row_cells(line: Sequence[tuple[Column, bool, Cell]]) -> SafeString:
    """The cells of one row: (column, whether it begins a group, cell)."""
    # Each part is one of our own tags, or escaped.
    return mark_safe("".join(_cell(*each) for each in line))  # noqa: S308


def _cell(column: Column, begins: bool, cell: Cell) -> str:
    title = f' title="{_shown(cell.title)}"' if cell.title else ""
    # A number has nothing to escape.
    value = _shown(cell.value) if isinstance(cell.value, str) else local_number(in_cell(cell.value))
    if column.words:
        if cell.href and value:
            value = f'<a href="{escape(cell.href)}">{value}</a>'
        # A heading cell without text is an ordinary cell.
        return f'<th scope="row"{title}>{value}</th>' if value else f"<td{title}></td>"
    if cell.href and cell.value is not None:
        value = f'<a href="{escape(cell.href)}">{value}</a>'
    hatched = " hatched" if cell.value is None or cell.reason else ""
    return f'<td class="number{hatched}{" begins-group" if begins else ""}"{title}>{value}</td>'


@register.filter
def grid_fields(fields: Sequence[GridField]) -> SafeString:
    """The fields of one row of a grid."""
    # As above.
    return mark_safe("".join(map(_grid_field, fields)))  # noqa: S308


def _grid_field(field: GridField) -> str:
    title = f' title="{_shown(field.title)}"' if field.title else ""
    text = _shown(field.text)
    if field.href:
        text = f'<a href="{escape(field.href)}">{text}</a>'
    level = f"heat-{field.level}" if text else "hatched"
    return f'<td class="heat {level}"{title}>{text or _nothing()}</td>'


@register.filter
def bar_marks(bar: Bar) -> SafeString:
    """The segments of a bar, and below them the interval of the first."""
    # Positions, kinds and links are ours, text is escaped.
    return mark_safe("".join(map(_segment, bar.segments)) + (_bar_whisker(bar.whisker) if bar.whisker else ""))  # noqa: S308


def _segment(segment: Segment) -> str:
    kind = segment.kind
    drawn = (
        f"<title>{_shown(segment.title)}</title>"
        f'<rect class="share share-{kind}" x="{segment.x}" y="0.5" width="{segment.width}" height="21"></rect>'
    )
    if segment.label:
        drawn += (
            f'<text class="share-text share-text-{kind}" x="{segment.middle}" y="15" text-anchor="middle">'
            f"{_shown(segment.label)}</text>"
        )
    if segment.href:
        return f'<a href="{escape(segment.href)}" tabindex="-1">{drawn}</a>'
    return f"<g>{drawn}</g>"


def _bar_whisker(mark: Mark) -> str:
    lines = [(mark.low, mark.high, "26", "26"), (mark.low, mark.low, "23.5", "28.5")]
    lines += [(mark.high, mark.high, "23.5", "28.5"), (mark.x, mark.x, "22", "28.5")]
    drawn = "".join(
        f'<line class="bar-whisker" x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"></line>' for x1, x2, y1, y2 in lines
    )
    return f"<g><title>{_shown(mark.title)}</title>{drawn}</g>"


@register.simple_tag
def interval_marks(plot: Intervals, line: Line) -> SafeString:
    """The scale behind one line of a plot of intervals, and its marks."""
    scale = "".join(f'<line class="plot-grid" x1="{x}" x2="{x}" y1="0" y2="100%"></line>' for x, _ in plot.ticks)
    if plot.zero:
        scale += f'<line class="plot-zero" x1="{plot.zero}" x2="{plot.zero}" y1="0" y2="100%"></line>'
    top = 11 if len(line.marks) == 1 else 8
    marks = "".join(_mark(mark, 22 if number else top) for number, mark in enumerate(line.marks))
    # Positions and kinds are ours, the title is escaped.
    return mark_safe(scale + marks)  # noqa: S308


@register.simple_tag
def mark_shape(kind: str) -> SafeString:
    return mark_safe(SHAPES.get(kind, SHAPES["circle"]))  # noqa: S308


def _mark(mark: Mark, height: int) -> str:
    whisker = (
        f'<line class="plot-whisker plot-whisker-{mark.kind}" x1="{mark.low}" x2="{mark.high}" y1="0" y2="0"></line>'
        if mark.low
        else ""
    )
    return (
        f'<svg y="{height}" width="100%" height="1" overflow="visible"><g>'
        f"<title>{_shown(mark.title)}</title>{whisker}"
        f'<svg x="{mark.x}" y="0" width="1" height="1" overflow="visible">{mark_shape(mark.kind)}</svg></g></svg>'
    )
