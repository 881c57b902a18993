"""Agreement between reviewers: pairs of judgments, counted by the database, read by `review.statistics.agreement`.

Agreement is measured before adjudication: a pair is written once both judgments are fixed, and never changes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from django.db.models import QuerySet

from core.languages import say
from core.models import User
from judging.models import LanguageModel, PromptTemplate
from judging.protocol.verdicts import Verdict

from ...models import CATEGORY_NUMBERS
from ...statistics.agreement.agreement import Agreement, agreement
from ...statistics.agreement.stratified import Stratified, stratified_agreement, stratified_kappa
from ...statistics.estimates import Undefined
from ..clusters import POOLED, Units, instances_are_many, narrowed, verdicts_in
from ..kinds import FEW, in_order, of_page
from ..scope import Scope
from .pairs import CountedPairs, PairColumns, counted_rows, read_pairs

BREAKDOWNS = {
    "template": say("Prompt"),
    "model": say("Model"),
    "reviewers": say("Pair of reviewers"),
    "reasoning": say("Reasoning type"),
}
# Labels by the number of the category.
REASONING_LABELS = {
    CATEGORY_NUMBERS[code]: label
    for code, label in (("EXP", say("Explicit")), ("IMP", say("Implicit")), ("", say("Not set")))
}
# Each group is resampled separately; with many groups, a little more coarsely.
MANY_GROUPS, POOLED_OF_MANY = 12, 200
PEOPLE_IN_MATRIX = 12

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class DoubleJudged:
    """Responses of one group (a template, a model, ...) that were judged twice: their agreement within strata of one
    template, model and pair of people, and that of all of them in one table."""

    key: Key
    label: str
    agreement: Agreement
    stratified: Stratified
    verdicts: tuple[Verdict, ...]
    # Pairs in which a reviewer could not judge. They are in no coefficient.
    cannot_judge: int

    @property
    def is_small(self) -> bool:
        return self.agreement.n < FEW

    def as_data(self) -> dict[str, Any]:
        return {
            "group": self.label,
            "verdicts": [verdict.value for verdict in self.verdicts],
            "cannot_judge": self.cannot_judge,
            **asdict(self.agreement),
            "stratified": asdict(self.stratified),
        }


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The total and its groups by one dimension; `pages` is the number of pages of groups."""

    by: str
    overall: DoubleJudged
    groups: list[DoubleJudged]
    pages: int = 1
    # Reviewers by reviewers, of those with the most responses; only where it is broken down by pairs of them.
    matrix: "ReviewerMatrix | None" = None


@dataclass(frozen=True, slots=True)
class Together:
    """The verdicts of two people on the responses that both judged: the number of responses, and kappa within
    strata.
    """

    key: Key
    label: str
    n: int
    kappa: float | Undefined

    @property
    def is_small(self) -> bool:
        return self.n < FEW


@dataclass(frozen=True, slots=True)
class ReviewerMatrix:
    """`of` has each pair that judged any response together, by the positions of both in `people`, the earlier one
    first."""

    people: list[User]
    of: dict[tuple[int, int], Together]


def break_down(scope: Scope, by: str, *, page: int | None = None) -> Breakdown:
    """Agreement overall and by template, model, pair of reviewers or reasoning type; all groups if `page` is None."""
    pairs, many = scope.pairs(), instances_are_many()
    columns = read_pairs(pairs, with_people=not many or by == "reviewers")
    whole = columns.counted(many=many, with_people=not many, units=scope.units)
    together, pages = [], 1
    if by == "reviewers":
        together = _by_frequency(columns)
        shown, pages = of_page(together, page)
        counted = _of_reviewers(columns, [key for key, _ in shown], many, scope.units)
    else:
        counted = {key: whole.where(kept) for key, kept in _groups(whole, by)}
    offers = {row.pk: set(row.offered_verdicts or Verdict) for row in PromptTemplate.objects.all()}
    templates, same_two = whole.templates, _are_of_the_same_two(pairs)

    def measured(key: Key, label: str, of: CountedPairs) -> DoubleJudged:
        own = set(key) if key and by == "template" else templates
        offered = {verdict for template in own for verdict in offers[template]}
        ordered = same_two or (bool(key) and by == "reviewers")
        return _measured(key, label, of, offered, offers=offers, ordered=ordered, units=None if many else scope.units)

    groups = [measured(key, label, counted[key]) for key, label in _labels(by, counted)]
    matrix = _matrix(columns, together, scope.units) if together else None
    return Breakdown(by, measured((), say("All"), whole), groups, pages, matrix)


def _groups(whole: CountedPairs, by: str) -> list[tuple[Key, np.ndarray]]:
    """Each template, model, pair of people or reasoning type, and its rows."""
    if by == "reviewers":
        people = whole.facets[:, 2:]
        keys = {(int(one), int(other)) for one, other in people}
        return [(key, (people == key).all(axis=1)) for key in sorted(keys)]
    values = {"template": whole.facets[:, 0], "model": whole.facets[:, 1], "reasoning": whole.category}[by]
    found = sorted(set(values.tolist()))
    return [((value,), values == value) for value in found]


def _are_of_the_same_two(pairs: QuerySet[Any]) -> bool:
    """Return whether the first and the second reviewer are the same two people throughout."""
    first = pairs.values("reviewer_1", "reviewer_2").first()
    return first is not None and not pairs.exclude(**first).exists()


def _by_frequency(columns: PairColumns) -> list[tuple[Key, int]]:
    """The pairs of people with their numbers of responses, the most first."""
    people, counts = counted_rows(columns.people.T)
    found = zip(zip(*(each.tolist() for each in people), strict=True), counts.tolist(), strict=True)
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _matrix(columns: PairColumns, together: list[tuple[Key, int]], units: Units) -> ReviewerMatrix:
    judged: Counter[int] = Counter()
    for key, count in together:
        for person in key:
            judged[person] += count
    chosen = [person for person, _ in judged.most_common(PEOPLE_IN_MATRIX)]
    people = sorted(User.objects.filter(pk__in=chosen), key=str)
    position = {person.pk: number for number, person in enumerate(people)}
    of_chosen = np.isin(columns.people, chosen)
    counted = columns.where(of_chosen[:, 0] & of_chosen[:, 1]).counted(
        many=True, with_people=True, units=units, pooled=1
    )
    of_pair = {key: counted.where(kept) for key, kept in _groups(counted, "reviewers")}
    found = {}
    for key, label in _labels("reviewers", of_pair):
        one, other = sorted(position[person] for person in key)
        tables = of_pair[key].by_stratum().tables.sum(axis=0)
        found[one, other] = Together(key, label, int(tables.sum()), stratified_kappa(tables))
    return ReviewerMatrix(people, found)


def _of_reviewers(columns: PairColumns, keys: list[Key], many: bool, units: Units) -> dict[Key, CountedPairs]:
    pooled = POOLED_OF_MANY if len(keys) > MANY_GROUPS else POOLED
    first, other = (sorted({key[number] for key in keys}) for number in range(2))
    kept = np.isin(columns.people[:, 0], first) & np.isin(columns.people[:, 1], other)
    counted = columns.where(kept).counted(many=many, with_people=True, units=units, pooled=pooled)
    there = dict(_groups(counted, "reviewers"))
    return {key: counted.where(there[key]) for key in keys if key in there}


def _labels(by: str, keys: Iterable[Key]) -> list[tuple[Key, str]]:
    """The label of each key, in the order of the table."""
    keys = list(keys)
    match by:
        case "template":
            rows = PromptTemplate.objects.filter(pk__in=[key[0] for key in keys])
            return [((row.pk,), say("Prompt {label}", label=row.label)) for row in in_order(rows)]
        case "model":
            return [((row.pk,), row.name) for row in LanguageModel.objects.filter(pk__in=[key[0] for key in keys])]
        case "reviewers":
            people = User.objects.in_bulk({number for key in keys for number in key})
            return [
                (key, say("{people} and {people2}", people=people[key[0]], people2=people[key[1]])) for key in keys
            ]
    return [((code,), label) for code, label in REASONING_LABELS.items() if (code,) in keys]


def _measured(
    key: Key,
    label: str,
    counted: CountedPairs,
    offered: set[Verdict],
    *,
    offers: Mapping[int, set[Verdict]],
    ordered: bool,
    units: Units | None,
) -> DoubleJudged:
    strata = counted.by_stratum()
    by_stratum, templates = strata.tables, strata.templates
    instances = int(np.count_nonzero(by_stratum.any(axis=(1, 2, 3)))) if by_stratum.size else 0
    if units is not None:
        by_stratum = _by_unit(by_stratum, units.unit(strata.clusters))
    tables = by_stratum.sum(axis=1)
    verdicts = verdicts_in(tables, offered)
    choices = [len(verdicts_in(by_stratum[:, number], offers[template])) for number, template in enumerate(templates)]
    found = agreement(narrowed(tables, verdicts), ordered=ordered, one_choice=len(set(choices)) < 2)
    return DoubleJudged(
        key=key,
        label=label,
        # The number of instances in a group is not known.
        agreement=replace(found, instances=None if units is None else instances),
        stratified=stratified_agreement(by_stratum, choices, either_way=strata.mixed & (not ordered)),
        verdicts=tuple(verdicts),
        cannot_judge=counted.cannot_judge,
    )


def _by_unit(tables: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Tables of instances, shape (instances, strata, k, k), added up for each unit."""
    names, at = np.unique(unit, return_inverse=True)
    found = np.zeros((len(names), *tables.shape[1:]))
    np.add.at(found, at, tables)
    return found
