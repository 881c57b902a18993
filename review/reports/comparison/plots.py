"""Plots of model against model: the differences of all pairs as a grid, and with their intervals."""

from collections.abc import Sequence

from core.languages import Text, say, translated
from judging.models import LanguageModel

from ...statistics.estimates import Estimate
from ..drawing.plots import Grid, GridField, Intervals, Point, intervals
from ..drawing.points import MINUS, ends_in_words, signed
from .pairs import Compared

# Possible ends of the scale of differences.
REACHES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def matrix(heading: str, models: Sequence[LanguageModel], own: Sequence[Compared]) -> Grid:
    """The grid of rows minus columns, with significant differences shaded."""
    fields: dict[tuple[int, int], GridField] = {}
    for each in own:
        value = each.found.difference.value or 0.0
        for one, other, sign in ((each.first, each.second, 1), (each.second, each.first, -1)):
            call = say("told apart") if each.is_told else say("too close to call")
            title = say(
                "{one} less {other}: {difference} points, {call}; {discordant_words}",
                one=one,
                other=other,
                difference=signed(sign * value),
                call=call,
                discordant_words=each.discordant_words,
            )
            level = min(10, 4 + round(abs(value) * 10)) if each.is_told else 0
            fields[one.pk, other.pk] = GridField(signed(sign * value), level, title)
    present = [model for model in models if any(model.pk in key for key in fields)]
    lines = [
        (model.name, [fields.get((model.pk, other.pk), GridField("")) for other in present]) for model in present
    ]
    return Grid(
        name=say(
            "Differences in percentage points, {heading}",
            heading=Text(f"{heading[0].lower()}{heading[1:]}", lambda: translated(heading)),
        ),
        columns=[model.name for model in present],
        lines=lines,
        about=say(
            "Row less column, in percentage points of correct responses. Shaded: told apart; the "
            "others are too close to call."
        ),
    )


def reach_of(compared: Sequence[Compared]) -> float:
    """The reach of the scale of all forest plots of a page in both directions."""
    found = [each.found.difference for each in compared]
    ends = [abs(end) for each in found for end in (each.value, each.interval.low, each.interval.high) if end]
    return next((reach for reach in REACHES if reach >= max(ends, default=0.0)), 1.0)


def forest(own: Sequence[Compared], reach: float) -> Intervals:
    rows = []
    for each in own:
        difference = each.found.difference
        if not isinstance(difference, Estimate):
            continue
        low, high = difference.interval.low, difference.interval.high
        title = say(
            "{first} less {second}: {value} points{interval}",
            first=each.first,
            second=each.second,
            value=signed(difference.value),
            interval=ends_in_words(difference.interval),
        )
        point = Point(difference.value, low, high, title, "circle" if each.is_told else "ring")
        aside = say(
            "n {instances:,}, discordant {discordant:,}",
            instances=each.found.instances,
            discordant=each.found.discordant,
        )
        rows.append(("", f"{each.first} {MINUS} {each.second}", [point], aside))
    ticks = (-reach, -reach / 2, 0.0, reach / 2, reach)
    legend = [("circle", say("told apart")), ("ring", say("too close to call"))]
    names = [signed(tick, decimals=False) for tick in ticks]
    return intervals(
        say("Differences in percentage points, with their 95% intervals"),
        rows,
        ticks=ticks,
        legend=legend,
        names=names,
        has_zero=True,
    )
