"""Counts of disagreements of annotators by field, for the page that lists them."""

from urllib.parse import urlencode

from annotation.reviewing.disagreements import Count, DisagreementFilters, counts
from annotation.reviewing.first_submissions import FirstSubmitted, first_submissions
from core.languages import say, say_count
from core.models import User

from ...statistics.rounding import percent
from ..layout import Cell, Column, Table, estimate_cells, with_interval
from .annotated_twice import AnnotatedTwice, measured

# The newest tags, as the page of the agreement of annotators compares them.
TAGS_COUNTED = 1_000


def counted_disagreements(filters: DisagreementFilters, *, reader: User) -> Table | None:
    """The counts of the newest tags that the tag type and the people leave; None if there is no tag."""
    tags = filters.tags(reader).values_list("tag_id", flat=True)[:TAGS_COUNTED]
    annotated = list(first_submissions(tags, reader=reader))
    pairs = [two for annotations in annotated for two in filters.pairs(annotations)]
    if not pairs:
        return None
    units: list[list[FirstSubmitted]] = [[two.one, two.other] for two in pairs] if filters.people else annotated
    whole = measured(say("All"), units, {})
    columns = [
        Column(say("Field"), words=True),
        Column(say("Differ"), title=say("Pairs of annotations of one tag that differ")),
        Column(say("Of"), title=say("Pairs of annotations of one tag with a value in both")),
        Column("%"),
        *with_interval(Column(say("Kappa"), say("Cohen's kappa"))),
        *with_interval(Column(say("Alpha"), say("Krippendorff's alpha"))),
    ]
    rows = [_row(each, whole, filters) for each in counts(pairs)]
    return Table(say("Disagreements by field"), columns, rows)


def _row(count: Count, whole: AnnotatedTwice, filters: DisagreementFilters) -> list[Cell]:
    chosen = {name: value for name, value in filters.chosen.items() if value} | {"field": count.code}
    title = say(
        "{differ:,} of {pairs}", differ=count.differ, pairs=say_count(count.of, "{count:,} pair", "{count:,} pairs")
    )
    return [
        Cell(count.label, say("Only disagreements in this field"), f"?{urlencode(chosen)}"),
        Cell(count.differ),
        Cell(count.of),
        Cell(percent(count.differ, count.of) if count.of else None, title),
        *_coefficients(whole, count.code),
    ]


def _coefficients(whole: AnnotatedTwice, code: str) -> list[Cell]:
    if code not in whole.choices:
        return [Cell(None)] * 4
    choice = whole.choices[code]
    title = say("n {n:,}", n=choice.n)
    return [*estimate_cells(choice.kappa, title=title), *estimate_cells(choice.alpha, title=title)]
