"""Thumbnails of plots: a small SVG of the same geometry, without text, for the list of reports. No rows here.

Decorative: the headline beside it has the numbers. Colours come from the page's style sheet.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .plots import Amounts, Bars, Grid, HeatMap, Intervals, Line, Plot

WIDTH, HEIGHT, MARGIN = 96, 60, 4
# The maximum number of lines of a plot, and of fields in a row, that a thumbnail shows.
LINES, FIELDS = 6, 10


def thumbnail(plot: Plot) -> str:
    """The plot as an SVG element. Every part of it is our own: positions and names of verdicts."""
    drawn = "".join(_DRAWN_BY[type(plot)](plot))
    return (
        f'<svg class="thumbnail" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" aria-hidden="true" '
        f'focusable="false">{drawn}</svg>'
    )


def _across(position: str) -> float:
    """A position in percent, in units of the thumbnail."""
    return _width(position, MARGIN)


def _width(share: str, before: float = 0) -> float:
    return round(before + float(share.rstrip("%")) * (WIDTH - 2 * MARGIN) / 100, 2)


def _rows(count: int) -> list[float]:
    """The top of each line; a line is 8 units high."""
    return [round(HEIGHT / max(count, 3) * (number + 0.5) - 4, 2) for number in range(count)]


def _bars(plot: Bars) -> Iterable[str]:
    bars = plot.bars[:LINES]
    for bar, top in zip(bars, _rows(len(bars)), strict=True):
        for each in bar.segments:
            size = f'x="{_across(each.x)}" y="{top}" width="{_width(each.width)}" height="8"'
            yield f'<rect class="share share-{each.kind}" {size}></rect>'


def _intervals(plot: Intervals) -> Iterable[str]:
    for tick, _ in plot.ticks[:: len(plot.ticks) - 1 or 1]:
        yield f'<path class="plot-grid" d="M{_across(tick)} 0V{HEIGHT}"></path>'
    if plot.zero:
        yield f'<path class="plot-zero" d="M{_across(plot.zero)} 0V{HEIGHT}"></path>'
    lines = [line for line in plot.lines if line.marks][:LINES]
    for line, top in zip(lines, _rows(len(lines)), strict=True):
        yield from _first_mark(line, top + 4)


def _first_mark(line: Line, middle: float) -> Iterable[str]:
    mark = line.marks[0]
    if mark.low:
        yield f'<path class="plot-whisker" d="M{_across(mark.low)} {middle}H{_across(mark.high)}"></path>'
    yield f'<circle class="mark" cx="{_across(mark.x)}" cy="{middle}" r="3.5"></circle>'


def _fields(levels: Sequence[Sequence[int]]) -> Iterable[str]:
    """Fields of a heat map, the stronger the higher their level from 0 to 10."""
    rows = [list(row[:FIELDS]) for row in levels[:LINES]]
    side = min(WIDTH / max((len(row) for row in rows), default=1), HEIGHT / max(len(rows), 1), 20)
    for down, row in enumerate(rows):
        for across, level in enumerate(row):
            corner = f'x="{across * side:.1f}" y="{down * side:.1f}" fill-opacity="{0.08 + 0.072 * level:.2f}"'
            yield f'<rect class="thumbnail-field" {corner} width="{side - 1.5:.1f}" height="{side - 1.5:.1f}"></rect>'


def _heat_map(plot: HeatMap) -> Iterable[str]:
    return _fields([[field.level for field in fields] for _, fields, _ in plot.lines])


def _grid(plot: Grid) -> Iterable[str]:
    return _fields([[field.level for field in fields] for _, fields in plot.lines])


def _amounts(plot: Amounts) -> Iterable[str]:
    rows = plot.rows[:LINES]
    for row, top in zip(rows, _rows(len(rows)), strict=True):
        yield f'<rect class="amount" x="{MARGIN}" y="{top}" width="{_width(row.width)}" height="8"></rect>'


_DRAWN_BY: dict[type, Callable[[Any], Iterable[str]]] = {
    Bars: _bars,
    Intervals: _intervals,
    HeatMap: _heat_map,
    Grid: _grid,
    Amounts: _amounts,
}
