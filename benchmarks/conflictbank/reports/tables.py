"""ConflictBank's ratios: by model and condition (Figures 3 and 4), by the order of two texts (Figure 5), with and
without descriptions (Figure 8), and by style and relation.

All ratios are over readable answers to items that the model knows. Intervals resample items.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from core.languages import say
from core.words import plural
from review.reports.layout import Cell, Column, Note, Report, Section, Table, Value
from review.reports.scope import Scope
from review.statistics.estimates import Estimate, Undefined
from review.statistics.rounding import half_up

from ..conditions import CONDITIONS, ORDERS
from .cells import COLUMNS, RATIO, Figures, figures, grouped, ratio_plot
from .metrics import Difference, difference
from .readings import Asking, askings_of

EMPTY = say(
    "There are no answers to items of ConflictBank. Import its published file with manage.py import_conflictbank "
    "FILE, and have models answer with manage.py start_run, or import answers with manage.py "
    "import_conflictbank_answers."
)
KNOWN_IS = say(
    "An item is known to a model that chooses the default option both without evidence and with default evidence. "
    "OAR, CAR, “uncertain” and “other” are shares of the readable answers to known items; M_R = OAR / (OAR + CAR), "
    "from counts, is not defined where both are 0. Bits: the mean entropy of the four options. Intervals resample "
    "items. "
    "The protocols “option” (log-probabilities of the first token) and “text” are never mixed."
)
MISLEADING = Note(say("The conflict evidence of these items is made to mislead: it is not true."))
NOTHING_KNOWN = say("It knows none of the items, so no condition has a share.")
Found = TypeVar("Found")
OF_ORDER = say("An item that was asked in both orders counts once for each.")


def known_in_words(asking: Asking) -> str:
    return say(
        "{name} knows {known:,} of {items} (protocol “{protocol}”).",
        name=asking.name,
        known=len(asking.known),
        items=plural(asking.of, "item"),
        protocol=asking.protocol,
    )


def heading_of(asking: Asking) -> str:
    return say(
        "{name}: {known:,} of {items} known",
        name=asking.name,
        known=len(asking.known),
        items=plural(asking.of, "item"),
    )


def cells_of(asking: Asking) -> list[Figures]:
    """The figures of a model by condition and, for two texts, by their order."""
    found = []
    for condition in asking.asked():
        for order in ("", *(ORDERS if condition.has_order else ())):
            answers = asking.known_answers(condition.code, order)
            if answers is not None:
                found.append(figures(condition.code, answers, order))
    return found


def _report(
    title: str,
    askings: Sequence[Asking],
    sections: Sequence[Section],
    data: Mapping[str, Any],
    records: Sequence[Mapping[str, Value]],
    of_scope: Sequence[Note],
    *,
    about: str = "",
) -> Report:
    return Report(
        title=title,
        lead=[known_in_words(asking) for asking in askings],
        sections=sections,
        data=data,
        records=records,
        notes=[MISLEADING, *of_scope],
        empty=EMPTY,
        about=f"{KNOWN_IS} {about}".strip(),
    )


def _known_data(asking: Asking) -> dict[str, object]:
    return {"protocol": asking.protocol, "known": len(asking.known), "of": asking.of}


def _record_of(asking: Asking, each: Figures) -> dict[str, Value]:
    who: dict[str, Value] = {
        "model": asking.model.name,
        "protocol": asking.protocol,
        "known": len(asking.known),
        "of": asking.of,
        "condition": each.name,
    }
    return who | each.record


# --- Figures 3 and 4 ------------------------------------------------------------------------------------------------


def ratios(scope: Scope) -> Report:
    """The ratios of each model under each condition."""
    askings, of_scope = askings_of(scope), scope.notes()
    cells = [(asking, cells_of(asking)) for asking in askings]
    return _report(
        say("Whom models believe"),
        askings,
        [_section(heading_of(asking), asking, found) for asking, found in _known_first(cells)],
        {
            asking.name: {
                **_known_data(asking),
                "cells": {each.name: each.expected for each in found},
                "other": {each.name: each.counts.other for each in found},
                "intervals": {each.name: each.intervals for each in found},
            }
            for asking, found in cells
        },
        [_record_of(asking, each) for asking, found in cells for each in found],
        of_scope,
        about=OF_ORDER,
    )


def _known_first(found: Sequence[tuple[Asking, Found]]) -> list[tuple[Asking, Found]]:
    """The same pairs, those of models that know none of the items last."""
    return sorted(found, key=lambda pair: not len(pair[0].known))


def _section(heading: str, asking: Asking, found: Sequence[Figures]) -> Section:
    """Plot and table of a model; a sentence if it knows none of the items."""
    if not len(asking.known):
        return Section(heading, about=NOTHING_KNOWN)
    return Section(
        heading,
        plots=[ratio_plot(say("M_R of {name}", name=asking.name), list(grouped(found, "")))],
        table=Table(
            heading,
            [Column(say("Condition"), words=True), *COLUMNS],
            [[Cell(each.label), *each.cells] for each in found],
        ),
    )


# --- Figure 5 -------------------------------------------------------------------------------------------------------


def by_order(scope: Scope) -> Report:
    """The ratios where two texts are shown, by the text that comes first."""
    return _compared(
        scope,
        say("Which of two texts comes first"),
        say("Conflict evidence last minus conflict evidence first, over items that are readable in both orders"),
        [(code, ORDERS[0], code, ORDERS[1]) for code, condition in CONDITIONS.items() if condition.has_order],
        about=OF_ORDER,
    )


# --- Figure 8 -------------------------------------------------------------------------------------------------------


def by_description(scope: Scope) -> Report:
    """The ratios with and without a description of time or meaning."""
    return _compared(
        scope,
        say("With and without descriptions"),
        say("With description minus without, over items that are readable under both"),
        [
            (code, "", code.removesuffix("_description"), "")
            for code, condition in CONDITIONS.items()
            if condition.has_description
        ],
    )


Pair = tuple[str, str, str, str]
Compared = tuple[Figures, Figures, Difference]


def _compared(scope: Scope, title: str, compared: str, pairs: Sequence[Pair], *, about: str = "") -> Report:
    """Two cells side by side for each pair of (condition, order, condition, order), and their difference by item."""
    askings, of_scope = askings_of(scope), scope.notes()
    found = [(asking, list(_pairs_of(asking, pairs))) for asking in askings]
    cells = [(asking, _both_sides(some)) for asking, some in found]
    return _report(
        title,
        askings,
        [
            section
            for asking, some in _known_first(found)
            if some
            for section in _compared_sections(asking, some, compared)
        ],
        {
            asking.name: {
                **_known_data(asking),
                "cells": {each.name: each.expected for each in both},
                "intervals": {each.name: each.intervals for each in both},
                "differences": {
                    f"{one.name} - {other.name}": difference_data(by_item) for one, other, by_item in some
                },
            }
            for (asking, some), (_, both) in zip(found, cells, strict=True)
        },
        [_record_of(asking, each) for asking, both in cells for each in both],
        of_scope,
        about=about,
    )


def _both_sides(found: Sequence[Compared]) -> list[Figures]:
    return [each for one, other, _ in found for each in (one, other)]


def _pairs_of(asking: Asking, pairs: Sequence[Pair]) -> Iterator[Compared]:
    for condition, order, other_condition, other_order in pairs:
        one = asking.known_answers(condition, order)
        other = asking.known_answers(other_condition, other_order)
        if one is not None and other is not None:
            both = figures(condition, one, order), figures(other_condition, other, other_order)
            yield (*both, difference(one, other))


def _compared_sections(asking: Asking, found: Sequence[Compared], compared: str) -> list[Section]:
    figures_of = _section(heading_of(asking), asking, _both_sides(found))
    return [figures_of, _differences(asking, found, compared)] if len(asking.known) else [figures_of]


def _differences(asking: Asking, found: Sequence[Compared], compared: str) -> Section:
    columns = [
        Column(say("Compared"), words=True),
        Column(say("Items")),
        *(column for name in ("OAR", "CAR", RATIO) for column in (Column(name), Column("95%", name))),
    ]
    rows = [
        [Cell(f"{one.label} − {other.label}"), Cell(by_item.items), *_difference_cells(by_item)]
        for one, other, by_item in found
    ]
    return Section(
        "",
        about=say("{compared}, in percentage points.", compared=compared),
        table=Table(say("{name}: {compared}", name=asking.name, compared=compared), columns, rows),
    )


def _difference_cells(by_item: Difference) -> Iterator[Cell]:
    for name in ("OAR", "CAR", RATIO):
        number = by_item.measures[name]
        if isinstance(number, Undefined):
            yield Cell(None, reason=number.reason)
            yield Cell(None)
            continue
        yield Cell(points(number.value))
        ends = number.interval
        yield (
            Cell(None, reason=ends.reason)
            if isinstance(ends, Undefined)
            else Cell(say("{low} to {high}", low=points(ends.low), high=points(ends.high)))
        )


def points(share: float) -> Value:
    """A difference of shares in percentage points, with two decimals."""
    return half_up(100 * share, 2)


def difference_data(by_item: Difference) -> dict[str, object]:
    """A difference for JSON, in percentage points."""
    return {"items": by_item.items, **{name: _number_data(number) for name, number in by_item.measures.items()}}


def _number_data(number: Estimate | Undefined) -> dict[str, object] | None:
    if isinstance(number, Undefined):
        return None
    ends = number.interval
    return {
        "value": points(number.value),
        "interval": None if isinstance(ends, Undefined) else [points(ends.low), points(ends.high)],
    }
