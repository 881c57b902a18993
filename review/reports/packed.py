"""Final verdicts as the database packs them: a text for each group of rows, three characters for each verdict.

A count for each group, template, model and verdict would be more rows than a page has time for: with 400 groups of
instances, five templates and ten models 60,000, and for each instance as many as there are responses. A text for each
group is as quick to make and to read, and tells which verdicts are of one instance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Aggregate, Case, F, IntegerField, Model, QuerySet, TextField, Value, When
from django.db.models.expressions import CombinedExpression

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

    def where(self, kept: np.ndarray) -> "PackedVerdicts":
        """Those of the verdicts for which `kept` is true."""
        columns = (self.group, self.template, self.model, self.verdict)
        return PackedVerdicts(self.groups, *(column[kept] for column in columns))


def packed_verdicts(verdicts: QuerySet[Any], *by: str, **annotations: F | CombinedExpression) -> PackedVerdicts:
    """The final verdicts of this queryset, grouped by annotations and then fields of it, read in one query."""
    template, model = _Numbered.of("template", PromptTemplate), _Numbered.of("model", LanguageModel)
    whens = [When(verdict=value, then=Value(number)) for value, number in ORDER.items()]
    packed = Packed(template.number, model.number, Case(*whens, output_field=IntegerField()))
    found = verdicts.annotate(**annotations).values_list(*annotations, *by).annotate(packed=packed)
    rows = list(found)
    letters = "".join(row[-1] for row in rows).encode("utf-32-le")
    numbers = np.frombuffer(letters, dtype=np.uint32).reshape(-1, 3).astype(int) - FIRST
    return PackedVerdicts(
        groups=[row[:-1] for row in rows],
        group=np.repeat(np.arange(len(rows)), [len(row[-1]) // 3 for row in rows]),
        template=template.keys(numbers[:, 0]),
        model=model.keys(numbers[:, 1]),
        verdict=numbers[:, 2],
    )


@dataclass(frozen=True, slots=True)
class _Numbered:
    """Rows by a number that fits into a character: their primary key or, where one is too large, their position."""

    number: F | Case
    positions: np.ndarray | None

    @classmethod
    def of(cls, name: str, rows: type[Model]) -> "_Numbered":
        keys = sorted(rows._default_manager.order_by().values_list("pk", flat=True))
        if not keys or keys[-1] <= LAST - FIRST:
            return cls(F(name), None)
        whens = [When(**{name: key}, then=Value(number)) for number, key in enumerate(keys)]
        return cls(Case(*whens, output_field=IntegerField()), np.array(keys))

    def keys(self, numbers: np.ndarray) -> np.ndarray:
        return numbers if self.positions is None else self.positions[numbers]
