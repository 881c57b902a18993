"""Searches a long list: by an index for texts that begin with some words, and anywhere within the newest texts."""

from typing import Any

from django.db.models import Func, QuerySet, TextField, Value

from ..engine.queries.conditions import is_found
from ..engine.queries.parameters import Numbers
from ..languages import say

# A search compares this many characters of what it looks for, and an index has no more of them.
MOST_SOUGHT = 100
# The maximum of rows that a search names, and of rows whose text it looks through.
MOST_FOUND, NEWEST_SEARCHED = 100, 1_000


class Beginning(Func):
    """The beginning of a text in lower case, ordered by character: an index holds it, and a search for texts that
    begin with some words is a range of that index.
    """

    output_field = TextField()
    arity = 1
    template = f"LOWER(SUBSTR(%(expressions)s, 1, {MOST_SOUGHT}))"

    def as_postgresql(self, compiler, connection, **extra):
        # Whatever language the database sorts by.
        return self.as_sql(compiler, connection, template=self.template + ' COLLATE "C"', **extra)


def found_in(rows: QuerySet[Any], field: str, sought: str) -> Numbers:
    """The rows whose `field` begins with these words, and those of the newest `NEWEST_SEARCHED` that have them
    anywhere: their primary keys, at most `MOST_FOUND` of each. The field needs an index of its `Beginning`."""
    rows, last = rows.order_by(), chr(0x10FFFF)
    beginnings = rows.annotate(beginning=Beginning(field)).filter(
        beginning__gte=Beginning(Value(sought)), beginning__lt=Beginning(Value(sought[: MOST_SOUGHT - 1] + last))
    )
    found = set(beginnings.order_by("beginning").values_list("pk", flat=True)[:MOST_FOUND])
    newest = rows.order_by("-pk").values("pk")[:NEWEST_SEARCHED]
    within = rows.filter(is_found("pk", newest), **{f"{field}__icontains": sought}).order_by("-pk")
    return Numbers(sorted(found | set(within.values_list("pk", flat=True)[:MOST_FOUND])))


def search_note(texts: str, rows: str) -> str:
    """A description of what `found_in` finds, for people."""
    return say(
        "The {texts} that begin with these words, and those of the newest {newest:,} {rows} that have them anywhere; "
        "at most {most} of each.",
        texts=texts,
        newest=NEWEST_SEARCHED,
        rows=rows,
        most=MOST_FOUND,
    )
