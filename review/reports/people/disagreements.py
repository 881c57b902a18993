"""Counts of disagreements of annotators by field, for the page that lists them."""

from urllib.parse import urlencode

from annotation.reviewing.disagreements import Count, DisagreementFilters, DisagreementList, counts
from annotation.reviewing.first_submissions import FirstSubmitted
from core.languages import say, say_count

from ...statistics.rounding import percent
from ..layout import Cell, Column, Table, estimate_cells, with_interval
from .annotated_twice import Choice, agreement_on_choices

# The newest tags: more take longer than the rest of the page.
TAGS_COUNTED = 500


def counted_disagreements(listing: DisagreementList) -> Table | None:
    """The counts of the newest tags that the tag type and the people leave; None if there is no tag."""
    filters = listing.filters
    tags = filters.tags(listing.reader).values_list("tag_id", flat=True)[:TAGS_COUNTED]
    annotated = listing.first_submissions(tags)
    pairs = [two for annotations in annotated for two in filters.pairs(annotations)]
    if not pairs:
        return None
    units: list[list[FirstSubmitted]] = [[two.one, two.other] for two in pairs] if filters.people else annotated
    choices = agreement_on_choices(units)
    columns = [
        Column(say("Field"), words=True),
        Column(say("Differ"), title=say("Pairs of annotations of one tag that differ")),
        Column(say("Of"), title=say("Pairs of annotations of one tag with a value in both")),
        Column("%"),
        *with_interval(Column(say("Kappa"), say("Cohen's kappa"))),
        *with_interval(Column(say("Alpha"), say("Krippendorff's alpha"))),
    ]
    rows = [_row(each, choices, filters) for each in counts(pairs)]
    return Table(say("Disagreements by field"), columns, rows)


def _row(count: Count, choices: dict[str, Choice], filters: DisagreementFilters) -> list[Cell]:
    chosen = {name: value for name, value in filters.chosen.items() if value} | {"field": count.code}
    title = say(
        "{differ:,} of {pairs}", differ=count.differ, pairs=say_count(count.of, "{count:,} pair", "{count:,} pairs")
    )
    return [
        Cell(count.label, say("Only disagreements in this field"), f"?{urlencode(chosen)}"),
        Cell(count.differ),
        Cell(count.of),
        Cell(percent(count.differ, count.of) if count.of else None, title),
        *_coefficients(choices, count.code),
    ]


def _coefficients(choices: dict[str, Choice], code: str) -> list[Cell]:
    if code not in choices:
        return [Cell(None)] * 4
    choice = choices[code]
    title = say("n {n:,}", n=choice.n)
    return [*estimate_cells(choice.kappa, title=title), *estimate_cells(choice.alpha, title=title)]
