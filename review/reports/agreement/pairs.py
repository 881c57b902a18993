"""Pairs of judgments, counted by template, model, people and verdicts."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from django.db.models import QuerySet

from ...models import CELLS, SAME
from ..clusters import POOLED, K, Units
from ..counting.columns import numbered, read_columns
from .strata import strata_of

# Up to this many distinct rows are counted without sorting.
MOST_COUNTED = 2_000_000


@dataclass(frozen=True, slots=True)
class CountedPairs:
    """The number of pairs of each kind, one row per kind, all columns as long as `counts`.

    `facets` has template, model and, if people are distinguished, both people, as primary keys; `cells` and
    `category` are the numbers in the table.
    """

    facets: np.ndarray
    clusters: np.ndarray
    cells: np.ndarray
    counts: np.ndarray
    category: np.ndarray

    def where(self, kept: np.ndarray) -> "CountedPairs":
        columns = (self.facets, self.clusters, self.cells, self.counts, self.category)
        return CountedPairs(*(column[kept] for column in columns))

    @property
    def templates(self) -> set[int]:
        return {int(template) for template in np.unique(self.facets[:, 0])}

    @property
    def _has_both(self) -> np.ndarray:
        return (self.cells // CELLS < K) & (self.cells % CELLS < K)

    @property
    def cannot_judge(self) -> int:
        """Pairs in which a reviewer gave no verdict."""
        return int(self.counts[~self._has_both].sum())

    def by_stratum(self) -> "ByStratum":
        """The pairs with two verdicts, by cluster and stratum."""
        both = self.where(self._has_both)
        if not len(both.counts):
            return ByStratum(np.zeros((0, 0, K, K)), np.zeros(0, dtype=int), [], np.zeros(0, dtype=bool))
        stratum, first_rows = strata_of(both.facets, both.counts)
        names, cluster = numbered(both.clusters)
        shape = (len(names), len(first_rows), K, K)
        where = np.ravel_multi_index((cluster, stratum, both.cells // CELLS, both.cells % CELLS), shape)
        tables = np.bincount(where, weights=both.counts, minlength=int(np.prod(shape)))
        people = both.facets[:, 2:]
        first = people[np.array(first_rows)][stratum]
        mixed = np.bincount(stratum, (people != first).any(axis=1), len(first_rows)) > 0
        if not people.shape[1]:
            mixed[:] = True
        return ByStratum(tables.reshape(shape), names, [int(both.facets[row, 0]) for row in first_rows], mixed)


@dataclass(frozen=True, slots=True)
class ByStratum:
    """One table for each cluster and stratum, shape (clusters, strata, 3, 3), the cluster's names, each stratum's
    template, and whether the pairs of a stratum may be of different people."""

    tables: np.ndarray
    clusters: np.ndarray
    templates: list[int]
    mixed: np.ndarray


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Pairs, one after the other: primary keys of instance, template and model and, if they were read, of both
    people; and the numbers of the cell and of the category, as the table has them."""

    instance: np.ndarray
    cell: np.ndarray
    category: np.ndarray
    facets: np.ndarray

    @property
    def people(self) -> np.ndarray:
        return self.facets[:, 2:]

    def where(self, kept: np.ndarray) -> "PairColumns":
        return PairColumns(self.instance[kept], self.cell[kept], self.category[kept], self.facets[kept])

    def counted(self, *, many: bool, with_people: bool, units: Units, pooled: int = POOLED) -> CountedPairs:
        """The pairs by their common values. If instances are `many`, their units are dealt into `pooled` clusters."""
        cluster = units.unit(self.instance) % pooled if many else self.instance
        facets = self.facets if with_people else self.facets[:, :2]
        (clusters, cells, category, *columns), counts = counted_rows([cluster, self.cell, self.category, *facets.T])
        return CountedPairs(np.column_stack(columns), clusters, cells, counts, category)


def read_pairs(pairs: QuerySet[Any], *, with_people: bool) -> PairColumns:
    """The pairs of this queryset, with their people if asked for."""
    people = ("reviewer_1_id", "reviewer_2_id") if with_people else ()
    instance, cell, kind, *facets = read_columns(
        pairs, "instance_id", "cell", "kind", "template_id", "model_id", *people
    )
    return PairColumns(instance, cell, category=kind % SAME, facets=np.column_stack(facets))


def counted_rows(columns: Iterable[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """(the distinct rows, by columns; the frequency of each)."""
    names, positions = zip(*map(numbered, columns), strict=True)
    sizes = [max(1, len(each)) for each in names]
    joined = np.ravel_multi_index(positions, sizes)
    if prod(sizes) <= MOST_COUNTED:
        counts = np.bincount(joined)
        keys = np.flatnonzero(counts)
        counts = counts[keys]
    else:
        keys, counts = np.unique(joined, return_counts=True)
    return [name[at] for name, at in zip(names, np.unravel_index(keys, sizes), strict=True)], counts
