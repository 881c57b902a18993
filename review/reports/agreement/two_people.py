"""Agreement of answers given in pairs, by different people for each item: each table is of two people."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ...statistics.agreement.agreement import Agreement, agreement
from ...statistics.agreement.stratified import stratified_agreement
from ...statistics.estimates import count_tables
from ..counting.columns import numbered
from .strata import strata_of


class TwoAnswers(NamedTuple):
    """The answers of two people, the one with the older account first, and their cluster of related items."""

    cluster: int
    people: tuple[int, int]
    answers: tuple[Any, Any]


def two_by_two(cluster: int, given: Iterable[tuple[int, Any]]) -> list[TwoAnswers]:
    """Every pair of answers to one item, given as (person, answer) in any order."""
    in_order = sorted(given, key=lambda each: each[0])
    return [
        TwoAnswers(cluster, (one, other), (first, second))
        for (one, first), (other, second) in combinations(in_order, 2)
    ]


def agreement_of_people(pairs: Sequence[TwoAnswers], options: Sequence[Hashable]) -> Agreement:
    """The agreement of these pairs, whose answers are among the options.

    Two people have one table. With more people, both kappas are the mean of those of each two people, weighted by
    their numbers of answers; pairs of people with fewer than ten answers share one table that counts each pair of
    answers half each way. Raw agreement, AC1 and alpha need no order and take all pairs together.
    """
    position = {option: number for number, option in enumerate(options)}
    k = len(options)
    cluster = np.array([pair.cluster for pair in pairs], dtype=int)
    people = np.array([pair.people for pair in pairs], dtype=int).reshape(-1, 2)
    given = np.array([[position[each] for each in pair.answers] for pair in pairs], dtype=int).reshape(-1, 2)
    tables = count_tables(cluster, given[:, 0], given[:, 1], shape=(k, k))
    if not len(pairs) or (people == people[0]).all():
        return agreement(tables)
    whole = agreement(tables, ordered=False)
    stratum, first_rows = strata_of(np.column_stack([np.zeros_like(people), people]), np.ones(len(pairs)))
    first = people[np.array(first_rows)][stratum]
    mixed = np.bincount(stratum, (people != first).any(axis=1), len(first_rows)) > 0
    names, at = numbered(cluster)
    counts = np.zeros((len(names), len(first_rows), k, k))
    np.add.at(counts, (at, stratum, given[:, 0], given[:, 1]), 1)
    within = stratified_agreement(counts, np.full(len(first_rows), k), either_way=mixed)
    weighted = within.weighted_kappa if k > 2 else whole.weighted_kappa
    return replace(whole, kappa=within.kappa, weighted_kappa=weighted)
