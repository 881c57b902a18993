"""Pairs of judgments as the database packs them (see `packed`), counted by template, model, people and verdicts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F, QuerySet

from core.models import User
from judging.models import LanguageModel, PromptTemplate

from .clusters import POOLED, K, cluster_of
from .packed import FIRST, Numbered, Packed
from .strata import strata_of

# A table has a column for each verdict; `cell` counts one more, for no verdict.
CELLS = K + 1


@dataclass(frozen=True, slots=True)
class CountedPairs:
    """How many pairs there are of each kind, one row for each kind, all columns as long as `counts`.

    `facets` has template, model and, where people are told apart, both people, as primary keys; `cells` is
    first * CELLS + second, the verdicts' positions in their order; `reasoning` the reasoning type, if asked for.
    """

    facets: np.ndarray
    clusters: np.ndarray
    cells: np.ndarray
    counts: np.ndarray
    reasoning: np.ndarray

    def where(self, kept: np.ndarray) -> "CountedPairs":
        columns = (self.facets, self.clusters, self.cells, self.counts, self.reasoning)
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

    def by_stratum(self) -> tuple[np.ndarray, list[int]]:
        """Of the pairs with two verdicts one table for each cluster and stratum, shape (clusters, strata, 3, 3), and
        each stratum's template."""
        both = self.where(self._has_both)
        if not len(both.counts):
            return np.zeros((0, 0, K, K)), []
        stratum, first_rows = strata_of(both.facets, both.counts)
        names, cluster = np.unique(both.clusters, return_inverse=True)
        shape = (len(names), len(first_rows), K, K)
        where = np.ravel_multi_index((cluster, stratum, both.cells // CELLS, both.cells % CELLS), shape)
        tables = np.bincount(where, weights=both.counts, minlength=int(np.prod(shape)))
        return tables.reshape(shape), [int(both.facets[row, 0]) for row in first_rows]


def count_pairs(
    pairs: QuerySet[Any], *, many: bool, with_people: bool, with_reasoning: bool = False, pooled: int | None = None
) -> CountedPairs:
    """The pairs (with `person`, `other` and `cell`, see `pairs_in_person_order`), counted in one query. If instances
    are `many`, they are dealt into `pooled` clusters."""
    numbered = [Numbered.of("template", PromptTemplate), Numbered.of("model", LanguageModel)]
    if with_people:
        numbered += [Numbered.of("person", User), Numbered.of("other", User)]
    by = ["cluster", *(["reasoning_type"] if with_reasoning else [])]
    clustered = pairs.annotate(cluster=cluster_of("instance_id", many=many, groups=pooled or POOLED))
    packed = Packed(F("cell"), *(each.number for each in numbered))
    rows = list(clustered.values_list(*by).annotate(packed=packed))
    width = 1 + len(numbered)
    letters = "".join(row[-1] for row in rows).encode("utf-32-le")
    numbers = np.frombuffer(letters, dtype=np.uint32).reshape(-1, width).astype(np.int64) - FIRST
    row = np.repeat(np.arange(len(rows)), [len(each[-1]) // width for each in rows])
    first, counts = _alike(np.column_stack([row, numbers]))
    facets = [each.keys(numbers[first, 1 + column]) for column, each in enumerate(numbered)]
    named = np.array([each[:-1] for each in rows], dtype=object).reshape(-1, len(by))
    return CountedPairs(
        facets=np.column_stack(facets),
        clusters=named[row[first], 0].astype(np.int64),
        cells=numbers[first, 0],
        counts=counts,
        reasoning=named[row[first], -1] if with_reasoning else np.zeros(len(first)),
    )


def _alike(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of all rows that are alike, and how many they are."""
    joined = np.zeros(len(columns), dtype=np.int64)
    for column in columns.T:
        joined = joined * (int(column.max(initial=0)) + 1) + column
    _, first, counts = np.unique(joined, return_index=True, return_counts=True)
    return first, counts
