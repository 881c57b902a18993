"""The plots of a report as pictures for print, SVG, PDF or PNG, by Matplotlib. No rows here.

Legible in grey: verdicts have a hatch of their own, marks their shape, and a field of a heat map its number. Letters
are drawn as outlines, so a picture looks the same everywhere: in Matplotlib's own font, and those that it lacks
(Chinese, for example) in one of FALLBACKS, if that is installed. A picture that lacks letters says so.
"""

import io
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from core.languages import say
from core.refusals import Refusal

from .plots import Amounts, Bars, Grid, HeatMap, Intervals, Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("svg", "pdf", "png")
# The data of the file itself, without the time: the same plot is the same file for good.
UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
DOTS_PER_INCH = 200
# Matplotlib's settings are the process's, and threads answer requests.
_ONE_AT_A_TIME = Lock()
SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "text.parse_math": False,  # a model may be called "a$b$"
    "svg.hashsalt": "wikicontradict",  # the program's name: the same plot is the same file for good
    "pdf.fonttype": 42,  # letters as TrueType, which publishers ask for
    "hatch.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
OWN_FONT = "DejaVu Sans"
FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Sans SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Thai",
    "Unifont",
)
INK, LINE = "#1a1a1a", "#bbbbbb"
# Of the segments of bars by their kinds: colour, hatch, ink.
FILLS = {
    "correct": ("#4d4d4d", "", "white"),
    "partially_correct": ("#d9d9d9", "////", INK),
    "incorrect": ("white", "", INK),
}
NAMES = {"correct": "Correct", "partially_correct": "Partially correct", "incorrect": "Incorrect"}
MARKS = {"circle": ("o", INK), "ring": ("o", "white"), "diamond": ("D", INK)}
LONGEST_LABEL = 44
MOST_LINES = 200
MISSING_NAMED = 5


def picture(plot: Plot, kind: str, *, title: str) -> bytes:
    """A plot as a file of one of KINDS, under the title of its report. Raises Refusal if it has more lines than a
    picture has room for, or if Matplotlib is not installed."""
    try:
        import matplotlib  # takes 60 MB, so only processes that draw import it
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise Refusal(
            say(
                "Pictures for print need Matplotlib, which is not installed on this server. An admin can install the "
                "extra “pictures”. The plots on the page do without it."
            )
        ) from None

    draw = _DRAWN_BY[type(plot)]
    with _ONE_AT_A_TIME, matplotlib.rc_context(SETTINGS | {"font.family": _fonts()}):
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        draw(plot, figure)
        figure.suptitle(f"{_short(title, 80)}\n{_short(plot.name, 90)}", fontsize=9)
        if missing := _missing_letters(figure):
            _say_what_is_missing(figure, missing)
        out = io.BytesIO()
        figure.savefig(out, format=kind, dpi=DOTS_PER_INCH, metadata=UNDATED[kind], facecolor="white")
    return out.getvalue()


@cache
def _fonts() -> list[str]:
    """The fonts to draw with, in the order of the search for a letter."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return [OWN_FONT, *(name for name in FALLBACKS if name in installed)]


def _missing_letters(figure: "Figure") -> str:
    """The letters of a figure that no installed font has, in their order."""
    from matplotlib.font_manager import FontProperties, findfont, get_font
    from matplotlib.text import Text

    fonts = [get_font(findfont(FontProperties(family=name))) for name in _fonts()]
    used = {letter for text in figure.findobj(Text) for letter in text.get_text() if letter.isprintable()}
    return "".join(sorted(letter for letter in used if not any(font.get_char_index(ord(letter)) for font in fonts)))


def _say_what_is_missing(figure: "Figure", missing: str) -> None:
    """A note with the number of missing letters, as these cannot be drawn."""
    codes = ", ".join(f"U+{ord(letter):04X}" for letter in missing[:MISSING_NAMED])
    more = f" and {len(missing) - MISSING_NAMED} more" if len(missing) > MISSING_NAMED else ""
    figure.supxlabel(f"Letters that no font on this server has are drawn as boxes: {codes}{more}", fontsize=7)


def _short(text: str, most: int = LONGEST_LABEL) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _number(position: str) -> float:
    """A position in percent, as in plots."""
    return float(position.rstrip("%"))


def _rows(figure: "Figure", lines: Sequence[Any], *, width: float = 6.8) -> "tuple[Axes, list[float]]":
    """Axes with a row for each line, and the height of each; a line that begins a group has its heading above."""
    if len(lines) > MOST_LINES:
        raise Refusal(
            say(
                "This plot has {count:,} lines, more than a picture has room for. Narrow the report.",
                count=len(lines),
            )
        )
    heights, at = [], 0.0
    axes = figure.add_subplot()
    for line in lines:
        if getattr(line, "group", ""):
            at += 0.9
            axes.text(0, at - 0.25, _short(line.group, 80), fontweight="bold", va="center", ha="left")
            at += 0.35
        at += 0.6
        heights.append(at)
        at += 0.6
    figure.set_size_inches(width, max(1.6, 0.22 * at + 0.9))
    axes.set_ylim(at + 0.2, -0.2)
    axes.set_yticks(heights, [_short(line.label) for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    aside = [_short(getattr(line, "aside", "") or getattr(line, "text", ""), 40) for line in lines]
    for height, text in zip(heights, aside, strict=True):
        axes.annotate(
            text, (1.01, height), xycoords=("axes fraction", "data"), va="center", fontsize=8, annotation_clip=False
        )
    return axes, heights


def _bars(plot: Bars, figure: "Figure") -> None:
    from matplotlib.patches import Patch

    axes, heights = _rows(figure, plot.bars)
    for bar, height in zip(plot.bars, heights, strict=True):
        for segment in bar.segments:
            colour, hatch, ink = FILLS[segment.kind]
            left, width = _number(segment.x), _number(segment.width)
            axes.barh(height, width, 0.6, left=left, color=colour, hatch=hatch, edgecolor=INK, linewidth=0.6)
            if segment.label:
                axes.text(
                    left + width / 2,
                    height,
                    segment.label,
                    color=ink,
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    bbox={"facecolor": colour, "edgecolor": "none", "pad": 0.8} if hatch else None,
                )
        if bar.whisker and bar.whisker.low:
            ends = [_number(bar.whisker.low), _number(bar.whisker.high)]
            axes.plot(ends, [height + 0.47] * 2, color=INK, linewidth=1, marker="|", markersize=4)
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 20), [f"{tick}%" for tick in range(0, 101, 20)])
    legend = [Patch(facecolor=FILLS[kind][0], hatch=FILLS[kind][1], edgecolor=INK) for kind in FILLS]
    figure.legend(legend, NAMES.values(), loc="outside lower center", ncols=3, frameon=False)


def _intervals(plot: Intervals, figure: "Figure") -> None:
    axes, heights = _rows(figure, plot.lines)
    for tick, _ in plot.ticks:
        axes.axvline(_number(tick), color=LINE, linewidth=0.5, zorder=0)
    if plot.zero:
        axes.axvline(_number(plot.zero), color=INK, linewidth=1, zorder=0)
    for line, height in zip(plot.lines, heights, strict=True):
        for number, mark in enumerate(line.marks):
            at = height + (number - (len(line.marks) - 1) / 2) * 0.34
            shape, fill = MARKS.get(mark.kind, MARKS["circle"])
            if mark.low:
                axes.plot([_number(mark.low), _number(mark.high)], [at, at], color=INK, linewidth=1.2, zorder=1)
            axes.plot(_number(mark.x), at, shape, color=INK, markerfacecolor=fill, markersize=5, zorder=2)
    axes.set_xlim(-1, 101)
    axes.set_xticks([_number(tick) for tick, _ in plot.ticks], [name for _, name in plot.ticks])
    if plot.legend:
        _legend_of_marks(plot.legend, figure)


def _legend_of_marks(legend: Sequence[tuple[str, str]], figure: "Figure") -> None:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], color=INK, marker=MARKS[kind][0], markerfacecolor=MARKS[kind][1], linestyle="none")
        for kind, _ in legend
    ]
    figure.legend(marks, [words for _, words in legend], loc="outside lower center", ncols=len(legend), frameon=False)


def _amounts(plot: Amounts, figure: "Figure") -> None:
    axes, heights = _rows(figure, plot.rows)
    for row, height in zip(plot.rows, heights, strict=True):
        axes.barh(height, _number(row.width), 0.6, color="#8c8c8c", edgecolor=INK, linewidth=0.6)
    axes.set_xlim(0, 100)
    axes.set_xticks([_number(tick) for tick, _ in plot.ticks], [name for _, name in plot.ticks])


def _heat_map(plot: HeatMap, figure: "Figure") -> None:
    names = [NAMES.get(kind, kind) for kind in plot.kinds]
    fields = [[(f"{field.count:,}", field.level) for field in line] for _, line, _ in plot.lines]
    axes = _fields(figure, names, names, fields)
    axes.set_ylabel(_short(f"Rows: {plot.rows_are}"))
    axes.set_xlabel(_short(f"Columns: {plot.columns_are}; n {plot.n:,}"))


def _grid(plot: Grid, figure: "Figure") -> None:
    fields = [[(field.text, field.level) for field in line] for _, line in plot.lines]
    axes = _fields(figure, [label for label, _ in plot.lines], plot.columns, fields)
    axes.set_xlabel(plot.about, fontsize=7.5)


def _fields(
    figure: "Figure", rows: Sequence[str], columns: Sequence[str], fields: Sequence[Sequence[tuple[str, int]]]
) -> "Axes":
    """Fields of text on grey, the darker the higher their level from 0 to 10."""
    figure.set_size_inches(max(4.2, 1.9 + 0.85 * len(columns)), max(2.2, 1.5 + 0.36 * len(rows)))
    axes = figure.add_subplot()
    axes.imshow([[level for _, level in line] for line in fields], cmap="Greys", vmin=0, vmax=16, aspect="auto")
    for row, line in enumerate(fields):
        for column, (text, _) in enumerate(line):
            axes.text(column, row, text, ha="center", va="center", color=INK, fontsize=8)
    slanted = any(len(name) > 10 for name in columns)
    axes.set_xticks(
        range(len(columns)),
        [_short(name, 28) for name in columns],
        rotation=30 if slanted else 0,
        ha="right" if slanted else "center",
    )
    axes.set_yticks(range(len(rows)), [_short(name, 32) for name in rows])
    axes.set_xticks([number - 0.5 for number in range(1, len(columns))], minor=True)
    axes.set_yticks([number - 0.5 for number in range(1, len(rows))], minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="both", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return axes


_DRAWN_BY: dict[type, Callable[[Any, Any], None]] = {
    Bars: _bars,
    Intervals: _intervals,
    HeatMap: _heat_map,
    Grid: _grid,
    Amounts: _amounts,
}
