"""Reads columns of many rows into arrays, from which reports are counted.

With 400 groups of instances, five templates and ten models there would be as many groups of equal rows as the page
has time for rows, so the rows themselves are read: a million in half a second.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.db.models.expressions import Combinable

from judging.models import PromptTemplate

from ...models import SAME
from ..kinds import leaves_out

READ_AT_ONCE = 10_000
# Up to this value, distinct numbers are found without sorting.
HIGHEST_COUNTED = 1_000_000


@dataclass(frozen=True, slots=True)
class VerdictColumns:
    """Final verdicts, one after the other: primary keys of instance (or the number of its group), template and model,
    and the numbers of the verdict and of the category, as the table has them."""

    instance: np.ndarray
    template: np.ndarray
    model: np.ndarray
    verdict: np.ndarray
    category: np.ndarray
    is_same: np.ndarray

    def where(self, kept: np.ndarray) -> "VerdictColumns":
        """The verdicts for which `kept` is true."""
        return VerdictColumns(*(getattr(self, each.name)[kept] for each in fields(self)))


def read_verdicts(verdicts: QuerySet[Any]) -> VerdictColumns:
    """The final verdicts of this queryset."""
    instance, template, model, kind, verdict = read_columns(
        verdicts, "instance_id", "template_id", "model_id", "kind", "verdict_number"
    )
    return VerdictColumns(
        instance=instance,
        template=template,
        model=model,
        verdict=verdict,
        category=kind % SAME,
        is_same=kind >= SAME,
    )


def read_columns(rows: QuerySet[Any], *columns: str | Combinable) -> np.ndarray:
    """Whole numbers of all rows, shape (columns, rows), in undefined order, read in one query."""
    found = rows.order_by().values_list(*columns).iterator(chunk_size=READ_AT_ONCE)
    numbers = np.fromiter(chain.from_iterable(found), dtype=np.int64)
    return np.ascontiguousarray(numbers.reshape(-1, len(columns)).T)


def numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values, in order, and the position of each; quick if the values are small."""
    if not len(values) or values.max() > HIGHEST_COUNTED:
        return np.unique(values, return_inverse=True)
    names = np.flatnonzero(np.bincount(values))
    positions = np.zeros(names[-1] + 1, dtype=int)
    positions[names] = np.arange(len(names))
    return names, positions[values]


def counted_in_tables(columns: VerdictColumns, templates: Iterable[PromptTemplate]) -> np.ndarray:
    """The verdicts that belong to tables of these templates: some are reported without instances of a subcategory."""
    templates = list(templates)
    one_passage = [template.pk for template in templates if leaves_out(template)]
    wanted = np.isin(columns.template, [template.pk for template in templates])
    return wanted & ~(columns.is_same & np.isin(columns.template, one_passage))
