"""Final verdicts packed by the database: a text for each group of rows, mostly one character for each verdict.

A count for each group, template, model and verdict would be more rows than a page has time for: with 400 groups of
instances, five templates and ten models 60,000, and for each instance as many as there are responses. A text for each
group is as quick to make and to read, and tells which verdicts are of one instance.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any

import numpy as np
from django.db.models import Aggregate, Case, F, IntegerField, Model, QuerySet, TextField, Value, When
from django.db.models.expressions import Combinable

from judging.models import LanguageModel, PromptTemplate

from ...models import ONE_PASSAGE
from ..clusters import K

# Characters begin after those that a database or a wire may treat in a way of its own, and end before surrogates.
FIRST, LAST = 0x100, 0xD7FF
SIZE = LAST - FIRST + 1
# How many numbers `Facets.conflict` may have.
CONFLICTS = 2 * ONE_PASSAGE


@dataclass(frozen=True, slots=True)
class Small:
    """A number below `size`. If there is room, it shares a character with its neighbours."""

    number: Combinable
    size: int = SIZE


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
    """Final verdicts, one after the other: primary keys of instance (or the number of its group), template and model,
    and the numbers of the verdict and of the reasoning type, as the table has them."""

    instance: np.ndarray
    template: np.ndarray
    model: np.ndarray
    verdict: np.ndarray
    reasoning: np.ndarray
    same_passage: np.ndarray

    def where(self, kept: np.ndarray) -> "PackedVerdicts":
        """The verdicts for which `kept` is true."""
        return PackedVerdicts(*(getattr(self, each.name)[kept] for each in fields(self)))


def packed_verdicts(verdicts: QuerySet[Any]) -> PackedVerdicts:
    """The final verdicts of this queryset, read in one query."""
    template, model = Numbered.of("template", PromptTemplate), Numbered.of("model", LanguageModel)
    numbers = (template.small, model.small, Small(F("conflict"), CONFLICTS), Small(F("verdict_number"), K))
    found, group, unpacked = packed_numbers(verdicts, ("instance",), *numbers)
    instances = np.array([instance for (instance,) in found], dtype=int)
    conflict = unpacked[:, 2]
    return PackedVerdicts(
        instance=instances[group],
        template=template.keys(unpacked[:, 0]),
        model=model.keys(unpacked[:, 1]),
        verdict=unpacked[:, 3],
        reasoning=conflict % ONE_PASSAGE,
        same_passage=conflict >= ONE_PASSAGE,
    )


def packed_numbers(
    rows: QuerySet[Any], by: Sequence[str], *numbers: Combinable | Small, **of_groups: Aggregate
) -> tuple[list[tuple[Any, ...]], np.ndarray, np.ndarray]:
    """Numbers of all rows, read in one query: (the groups by these fields, with the aggregates of each; the position
    of each row's group; the numbers, shape (rows, numbers)). The order of rows in a group is undefined.
    """
    parts = _characters_of(each if isinstance(each, Small) else Small(each) for each in numbers)
    found = list(rows.values_list(*by).annotate(**of_groups, packed=Packed(*map(_joined, parts))))
    letters = "".join(row[-1] for row in found).encode("utf-32-le")
    characters = np.frombuffer(letters, dtype=np.uint32).reshape(-1, len(parts)).astype(int) - FIRST
    columns = [column for part, joined in zip(parts, characters.T, strict=True) for column in _parted(part, joined)]
    sizes = [len(row[-1]) // len(parts) for row in found]
    return [row[:-1] for row in found], np.repeat(np.arange(len(found)), sizes), np.stack(columns, axis=1)


def _characters_of(numbers: Iterable[Small]) -> list[list[Small]]:
    """The numbers in their order, combined where several fit into one character."""
    characters: list[list[Small]] = []
    room = 0
    for number in numbers:
        if number.size <= room:
            characters[-1].append(number)
        else:
            characters.append([number])
            room = SIZE
        room //= number.size
    return characters


def _joined(numbers: Sequence[Small]) -> Combinable:
    """One number for several: each is a digit, whose base is its size."""
    return reduce(lambda joined, small: joined * small.size + small.number, numbers[1:], numbers[0].number)


def _parted(numbers: Sequence[Small], joined: np.ndarray) -> list[np.ndarray]:
    """The separate numbers of a joined one."""
    columns = []
    for small in reversed(numbers[1:]):
        joined, column = np.divmod(joined, small.size)
        columns.append(column)
    return [joined, *reversed(columns)]


def numbered_groups(
    groups: Sequence[tuple[Any, ...]], group: np.ndarray, number: int
) -> tuple[list[Any], np.ndarray]:
    """The distinct values of one field of the groups, in order, and the position among them for each row, whose group
    is in `group`. Groups are sorted rather than rows, which are many more.
    """
    names = sorted({row[number] for row in groups})
    order = {name: at for at, name in enumerate(names)}
    return names, np.array([order[row[number]] for row in groups], dtype=int)[group]


def numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values, in order, and the position of each; quick if few values occur often."""
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
    size: int
    positions: np.ndarray | None

    @property
    def small(self) -> Small:
        return Small(self.number, self.size)

    @classmethod
    def of(cls, name: str, rows: type[Model]) -> "Numbered":
        keys = sorted(rows._default_manager.order_by().values_list("pk", flat=True))
        if not keys or keys[-1] <= LAST - FIRST:
            return cls(F(name), keys[-1] + 1 if keys else 1, None)
        whens = [When(**{name: key}, then=Value(number)) for number, key in enumerate(keys)]
        return cls(Case(*whens, output_field=IntegerField()), len(keys), np.array(keys))

    def keys(self, numbers: np.ndarray) -> np.ndarray:
        return numbers if self.positions is None else self.positions[numbers]
