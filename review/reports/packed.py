"""Final verdicts as the database packs them: a text for each group of rows, three characters for each verdict.

A count for each group, template, model and verdict would be more rows than a page has time for: with 400 groups of
instances, five templates and ten models 60,000, and for each instance as many as there are responses. A text for each
group is as quick to make and to read, and tells which verdicts are of one instance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Aggregate, Case, F, IntegerField, Max, Min, Model, QuerySet, TextField, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from judging.models import LanguageModel, PromptTemplate

from .clusters import ORDER

# Characters begin after those that a database or a wire may treat in a way of its own, and end before surrogates.
FIRST, LAST = 0x100, 0xD7FF


class Packed(Aggregate):
    """One character for each number of each row of a group: `numbers` are expressions from 0 to LAST - FIRST."""

    output_field = TextField()

    def __init__(self, *numbers: Any, **extra: Any) -> None:
        super().__init__(*(number + FIRST for number in numbers), **extra)

    def as_postgresql(self, compiler, connection, **context):
        return self._as_sql(compiler, connection, "string_agg({}, '')", "chr(({})::int)", **context)

    def as_sqlite(self, compiler, connection, **context):
        return self._as_sql(compiler, connection, "group_concat({}, '')", "char({})", **context)

    def _as_sql(self, compiler, connection, aggregate, character, **context):
        before, after = character.split("{}")
        template = aggregate.format(f"{before}%(expressions)s{after}")
        return super().as_sql(compiler, connection, template=template, arg_joiner=f"{after} || {before}", **context)


@dataclass(frozen=True, slots=True)
class PackedVerdicts:
    """Final verdicts, one after the other. `group` is the position of each one's group in `groups`, which has the
    values that were grouped by; `template` and `model` are primary keys, and `verdict` is the verdict's position in
    its order."""

    groups: Sequence[tuple[Any, ...]]
    group: np.ndarray
    template: np.ndarray
    model: np.ndarray
    verdict: np.ndarray

    def grouped_by(self, number: int) -> np.ndarray:
        """One of the values that were grouped by, for each verdict."""
        return np.array([group[number] for group in self.groups])[self.group]

    def numbered(self, number: int) -> tuple[list[Any], np.ndarray]:
        """The different values of one that was grouped by, in order, and the position among them for each verdict."""
        return numbered_groups(self.groups, self.group, number)

    def where(self, kept: np.ndarray) -> "PackedVerdicts":
        """Those of the verdicts for which `kept` is true."""
        columns = (self.group, self.template, self.model, self.verdict)
        return PackedVerdicts(self.groups, *(column[kept] for column in columns))


def packed_verdicts(verdicts: QuerySet[Any], *, pooled: int | None = None) -> PackedVerdicts:
    """The final verdicts of this queryset, read in one query. They are grouped by instance; a group is (instance or,
    with `pooled`, one of so many groups of instances; its reasoning type; whether both of its passages are one)."""
    template, model = Numbered.of("template", PromptTemplate), Numbered.of("model", LanguageModel)
    whens = [When(verdict=value, then=Value(number)) for value, number in ORDER.items()]
    numbers = (template.number, model.number, Case(*whens, output_field=IntegerField()))
    # All verdicts on an instance say the same of it. To group by a text, too, takes PostgreSQL three times as long.
    same = Max(Cast("same_passage", IntegerField()))
    found, group, unpacked = packed_numbers(verdicts, ("instance",), *numbers, kind=Min("reasoning_type"), same=same)
    return PackedVerdicts(
        groups=[(instance % pooled if pooled else instance, kind, bool(same)) for instance, kind, same in found],
        group=group,
        template=template.keys(unpacked[:, 0]),
        model=model.keys(unpacked[:, 1]),
        verdict=unpacked[:, 2],
    )


def packed_numbers(
    rows: QuerySet[Any], by: Sequence[str], *numbers: Combinable, **of_groups: Aggregate
) -> tuple[list[tuple[Any, ...]], np.ndarray, np.ndarray]:
    """Numbers of all rows, read in one query: (the groups by these fields, with the aggregates of each; the position
    of each row's group; the numbers, shape (rows, numbers)). Nothing is said of the order of rows in a group."""
    found = list(rows.values_list(*by).annotate(**of_groups, packed=Packed(*numbers)))
    letters = "".join(row[-1] for row in found).encode("utf-32-le")
    unpacked = np.frombuffer(letters, dtype=np.uint32).reshape(-1, len(numbers)).astype(int) - FIRST
    sizes = [len(row[-1]) // len(numbers) for row in found]
    return [row[:-1] for row in found], np.repeat(np.arange(len(found)), sizes), unpacked


def numbered_groups(
    groups: Sequence[tuple[Any, ...]], group: np.ndarray, number: int
) -> tuple[list[Any], np.ndarray]:
    """The different values of one field of the groups, in order, and the position among them for each row, of which
    `group` says to which it belongs. Groups are sorted rather than rows, which are many more."""
    names = sorted({row[number] for row in groups})
    order = {name: at for at, name in enumerate(names)}
    return names, np.array([order[row[number]] for row in groups], dtype=int)[group]


def numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values, in order, and the position among them of each; quick where few values occur often."""
    if not len(values) or values.max() > LAST:
        return np.unique(values, return_inverse=True)
    names = np.flatnonzero(np.bincount(values))
    positions = np.zeros(names[-1] + 1, dtype=int)
    positions[names] = np.arange(len(names))
    return names, positions[values]


@dataclass(frozen=True, slots=True)
class Numbered:
    """Rows by a number that fits into a character: their primary key or, where one is too large, their position."""

    number: F | Case
    positions: np.ndarray | None

    @classmethod
    def of(cls, name: str, rows: type[Model]) -> "Numbered":
        keys = sorted(rows._default_manager.order_by().values_list("pk", flat=True))
        if not keys or keys[-1] <= LAST - FIRST:
            return cls(F(name), None)
        whens = [When(**{name: key}, then=Value(number)) for number, key in enumerate(keys)]
        return cls(Case(*whens, output_field=IntegerField()), np.array(keys))

    def keys(self, numbers: np.ndarray) -> np.ndarray:
        return numbers if self.positions is None else self.positions[numbers]
