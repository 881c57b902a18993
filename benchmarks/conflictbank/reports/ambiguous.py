"""The number of items that would have two right answers: drawn here, and drawn as the published code draws them."""

from core.languages import say
from review.reports.layout import Cell, Column, Report, Section, Table
from review.reports.scope import Scope

from ..choosing import VERSIONS
from ..models import Conflict
from ..release.drawing import Ambiguity, ambiguities
from .metrics import percent
from .tables import MISLEADING

MOST = 10_000
EMPTY = say(
    "There are no claims. Import facts with manage.py import_facts FILE and make claims with manage.py make_claims "
    "--seed N: how many items would have two right answers then appears here."
)


def ambiguous(scope: Scope) -> Report:
    """Items with two right answers among those drawn from the first conflicts."""
    found = ambiguities(Conflict.objects.all(), most=MOST)
    drawn = any(each.items for each in found)
    return Report(
        title=say("Items with two right answers"),
        lead=[_in_words(each) for each in found] if drawn else [],
        sections=[Section("", table=_table(found))],
        data={VERSIONS[each.version]: data_of(each) for each in found},
        records=[{"version": VERSIONS[each.version], **data_of(each)} for each in found],
        notes=[MISLEADING],
        empty=EMPTY,
        about=say(
            "The options of {most:,} items are drawn both ways, with the same replaced object: of the first "
            "conflicts or, if there are fewer, of all of them with several seeds, beginning with that of the "
            "claims. An option is right if it is, by its label or an alias, an object that is true of the "
            "subject. The published code draws the other objects from all objects of the relation.",
            most=MOST,
        ),
    )


def data_of(each: Ambiguity) -> dict[str, int]:
    return {
        "items": each.items,
        "two right answers": each.ours,
        "two right answers as published": each.published,
        "too few objects": each.too_few,
    }


def _in_words(each: Ambiguity) -> str:
    return say(
        "With {versions}, {ours:,} of {items:,} items have two right answers; drawn as published, "
        "{published:,} would.",
        versions=VERSIONS[each.version],
        ours=each.ours,
        items=each.items,
        published=each.published,
    )


def _table(found: list[Ambiguity]) -> Table:
    columns = [
        Column(say("Options"), words=True),
        Column(say("Items")),
        Column(say("Two right")),
        Column("%"),
        Column(
            say("As published"), title=say("Items with two right answers, drawn as the published code draws them")
        ),
        Column(say("% as published")),
        Column(say("Too few objects"), title=say("Conflicts whose relation has too few other objects")),
    ]
    rows = [
        [
            Cell(VERSIONS[each.version]),
            Cell(each.items),
            Cell(each.ours),
            Cell(percent(each.ours, each.items)),
            Cell(each.published),
            Cell(percent(each.published, each.items)),
            Cell(each.too_few),
        ]
        for each in found
    ]
    return Table(say("Items with two right answers"), columns, rows)
