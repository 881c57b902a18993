"""The memorisation ratio by the style of the conflict evidence and by the relation of the item."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from core.languages import say
from review.reports.layout import Cell, Column, Report, Section, Table, Value
from review.reports.scope import Scope

from ..conditions import Condition
from ..items import STYLES
from .cells import RATIO, Figures, figures
from .facts import columns_of, styles_of
from .metrics import among
from .readings import Asking, askings_of
from .tables import EMPTY, KNOWN_IS, MISLEADING, heading_of, known_in_words

STYLE, RELATION = "style", "relation"
BREAKDOWNS = {STYLE: say("By style of the conflict evidence"), RELATION: say("By relation")}
# The number of relations shown: those with the most known items.
MOST = 40

# From the columns of the items (relation, styles) and a condition to the group of each item.
GroupOf = Callable[[tuple[str, str], Condition], str]


def _style(columns: tuple[str, str], condition: Condition) -> str:
    return styles_of(columns[1]).get(condition.cause, "")


def _relation(columns: tuple[str, str], condition: Condition) -> str:
    return columns[0]


GROUP_OF: Mapping[str, GroupOf] = {STYLE: _style, RELATION: _relation}
Rows = list[tuple[str, str, Figures]]


def by_group(scope: Scope, *, by: str = "", page: int = 1) -> Report:
    """The figures of each group under each condition with conflict evidence, in one breakdown or in all."""
    askings = askings_of(scope)
    wanted = [by] if by in BREAKDOWNS else list(BREAKDOWNS)
    found = [(asking, each, rows_of(asking, each)) for asking in askings for each in wanted]
    of_scope = scope.notes()
    return Report(
        title=say("By style and relation"),
        lead=[known_in_words(asking) for asking in askings],
        sections=[_section(asking, each, rows) for asking, each, rows in found if rows],
        data={
            asking.name: {BREAKDOWNS[each]: _by_group(rows) for owner, each, rows in found if owner is asking}
            for asking in askings
        },
        records=[_record(asking, each, row) for asking, each, rows in found for row in rows],
        notes=[MISLEADING, *of_scope],
        empty=EMPTY,
        about=say(
            "{known_is} Of many relations, the {most} with the most known items are shown.",
            known_is=KNOWN_IS,
            most=MOST,
        ),
        breakdowns=list(BREAKDOWNS.items()),
    )


def rows_of(asking: Asking, by: str) -> Rows:
    """(group, condition, figures) for each group and condition with any answer, the largest groups first."""
    columns, group_of = columns_of(asking.known), GROUP_OF[by]
    rows: Rows = []
    sizes: dict[str, int] = {}
    for condition in asking.asked():
        answers = asking.known_answers(condition.code) if condition.cause else None
        if answers is None:
            continue
        for group, items in _groups(columns, condition, group_of):
            within = among(answers, items)
            if len(within.items):
                sizes[group] = max(sizes.get(group, 0), len(items))
                rows.append((group, condition.code, figures(condition.code, within)))
    kept = sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST]
    order = {group: number for number, group in enumerate(kept)}
    return sorted((row for row in rows if row[0] in order), key=lambda row: order[row[0]])


def _groups(
    columns: Mapping[int, tuple[str, str]], condition: Condition, group_of: GroupOf
) -> Iterator[tuple[str, np.ndarray]]:
    """The items of each group."""
    found: dict[str, list[int]] = {}
    for pk, each in columns.items():
        found.setdefault(group_of(each, condition), []).append(pk)
    return ((group, np.array(items)) for group, items in found.items() if group)


def _section(asking: Asking, by: str, rows: Rows) -> Section:
    heading = f"{heading_of(asking)}, {BREAKDOWNS[by].lower()}"
    columns = [
        *(
            Column(say("Group"), words=True),
            Column(say("Condition"), words=True),
            Column("n"),
            Column(say("Unreadable")),
        ),
        *(Column("OAR"), Column("CAR"), Column(RATIO), Column("95%")),
    ]
    table = [[Cell(STYLES.get(group, group)), Cell(each.label), *_cells(each)] for group, _, each in rows]
    return Section(heading, table=Table(heading, columns, table))


def _cells(each: Figures) -> list[Cell]:
    n, unreadable, original, counter, *_ = each.cells
    return [n, unreadable, original, counter, *each.ratio_cells]


def _by_group(rows: Rows) -> dict[str, dict[str, dict[str, int | float | None]]]:
    found: dict[str, dict[str, dict[str, int | float | None]]] = {}
    for group, condition, each in rows:
        found.setdefault(group, {})[condition] = each.expected
    return found


def _record(asking: Asking, by: str, row: tuple[str, str, Figures]) -> dict[str, Value]:
    group, condition, each = row
    who: dict[str, Value] = {"model": asking.model.name, "protocol": asking.protocol, "by": by, "group": group}
    return who | {"condition": condition} | each.record
