"""Agreement between reviewers: pairs of judgments, counted by the database, read by `review.statistics.agreement`.

Agreement is measured before adjudication: a pair is written once both judgments are fixed, and never changes.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.db.models import Case, Count, F, QuerySet, SmallIntegerField, Value, When
from django.db.models.functions import Greatest, Least

from core.models import User
from judging.models import LanguageModel, PromptTemplate
from judging.protocol.verdicts import Verdict

from ..statistics.agreement import Agreement, agreement
from .clusters import ORDER, POOLED, ClusterCounts, K, cluster_of, instances_are_many, narrowed, verdicts_in
from .kinds import in_order
from .scope import Scope

BREAKDOWNS = {
    "template": "Prompt template",
    "model": "Model",
    "reviewers": "Pair of reviewers",
    "reasoning": "Reasoning type",
}
GROUPED_BY = {
    "template": ("template",),
    "model": ("model",),
    "reviewers": ("person", "other"),
    "reasoning": ("reasoning_type",),
}
REASONING_LABELS = {"EXP": "Explicit", "IMP": "Implicit", "": "Not set"}
# How many groups a page has at most. Each is resampled on its own, and many of them a little more coarsely.
GROUPS_ON_A_PAGE = 20
MANY_GROUPS, POOLED_OF_MANY = 12, 200
# A table has a column for each verdict; `cell` counts one more, for no verdict.
CELLS = K + 1

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class DoubleJudged:
    """Responses of one group (a template, a model, ...) that were judged twice."""

    key: Key
    label: str
    agreement: Agreement
    verdicts: tuple[Verdict, ...]
    # Pairs in which a reviewer could not judge. They are in no coefficient.
    cannot_judge: int

    def as_data(self) -> dict[str, Any]:
        return {
            "group": self.label,
            "verdicts": [verdict.value for verdict in self.verdicts],
            "cannot_judge": self.cannot_judge,
            **asdict(self.agreement),
        }


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The total and its groups by one thing; `pages` is how many pages the groups fill."""

    by: str
    overall: DoubleJudged
    groups: list[DoubleJudged]
    pages: int = 1


@dataclass(slots=True)
class _Counted:
    """The pairs of one group: those with two verdicts, by cluster, and the others."""

    both: ClusterCounts = field(default_factory=ClusterCounts)
    cannot_judge: int = 0

    def add(self, cluster: int, cell: int, count: int) -> None:
        first, second = divmod(cell, CELLS)
        if first < K and second < K:
            self.both.add(cluster, first, second, count)
        else:
            self.cannot_judge += count

    @classmethod
    def of_all(cls, parts: Iterable["_Counted"]) -> "_Counted":
        total = cls()
        for part in parts:
            total.cannot_judge += part.cannot_judge
            total.both.extend(part.both)
        return total


def pairs_in_person_order(scope: Scope) -> QuerySet[Any]:
    """Pairs with their two people ordered by primary key and, as `cell`, the position of both verdicts in the table.

    Who was dealt slot 1 is chance, and the same two people share one table. The cell is a number because a database
    groups half a million rows far faster by a few bytes than by words.
    """
    one, other = _column_of("verdict_1"), _column_of("verdict_2")
    forward = When(reviewer_1__lt=F("reviewer_2"), then=one * CELLS + other)
    return scope.pairs().annotate(
        person=Least("reviewer_1", "reviewer_2"),
        other=Greatest("reviewer_1", "reviewer_2"),
        cell=Case(forward, default=other * CELLS + one, output_field=SmallIntegerField()),
    )


def _column_of(verdict: str) -> Case:
    """The verdict's column in the table, or the one after the last if the reviewer could not judge."""
    whens = [When(**{verdict: value}, then=Value(column)) for value, column in ORDER.items()]
    return Case(*whens, default=Value(K), output_field=SmallIntegerField())


def break_down(scope: Scope, by: str, *, page: int | None = None) -> Breakdown:
    """Agreement overall and by template, model, pair of reviewers or reasoning type; all groups if `page` is None."""
    pairs, many = pairs_in_person_order(scope), instances_are_many()
    if by == "reviewers":
        keys, pages = _page_of_reviewers(pairs, page)
        counted = _count_reviewers(pairs, keys, many)
        whole = _count(pairs, (), many).get((), _Counted())
    else:
        pages, counted = 1, _count(pairs, GROUPED_BY[by], many)
        whole = _Counted.of_all(counted.values())
    offered = {row.pk: set(row.offered_verdicts or Verdict) for row in PromptTemplate.objects.all()}
    if by == "template":
        offered_at_all = {verdict for (template,) in counted for verdict in offered[template]}
    else:
        offered_at_all = _offered_in(pairs, offered)
    same_two = _are_of_the_same_two(pairs)

    def measured(key: Key, label: str, of: _Counted) -> DoubleJudged:
        verdicts = offered[key[0]] if key and by == "template" else offered_at_all
        return _measured(key, label, of, verdicts, ordered=same_two or (bool(key) and by == "reviewers"), many=many)

    groups = [measured(key, label, counted[key]) for key, label in _labels(by, counted)]
    return Breakdown(by, measured((), "All", whole), groups, pages)


def _offered_in(pairs: QuerySet[Any], offered: Mapping[int, Set[Verdict]]) -> set[Verdict]:
    """The verdicts that the templates of these pairs offer. The database stops at the first pair of each, where
    listing the templates would read them all."""
    templates = {verdict: [pk for pk, verdicts in offered.items() if verdict in verdicts] for verdict in Verdict}
    return {verdict for verdict in Verdict if pairs.filter(template__in=templates[verdict]).exists()}


def _are_of_the_same_two(pairs: QuerySet[Any]) -> bool:
    """Whether the first and the second reviewer are the same two people throughout."""
    first = pairs.values("person", "other").first()
    return first is not None and not pairs.exclude(**first).exists()


def _count(
    pairs: QuerySet[Any], fields: tuple[str, ...], many: bool, pooled: int | None = None
) -> dict[Key, _Counted]:
    """Counts of pairs by group, cluster of instances and verdicts, one row for each."""
    rows = pairs.annotate(cluster=cluster_of("instance_id", many=many, groups=pooled or POOLED))
    groups: dict[Key, _Counted] = {}
    for *key, cluster, cell, count in rows.values_list(*fields, "cluster", "cell").annotate(count=Count("*")):
        groups.setdefault(tuple(key), _Counted()).add(cluster, cell, count)
    return groups


def _page_of_reviewers(pairs: QuerySet[Any], page: int | None) -> tuple[list[Key], int]:
    """The pairs of people on a page, those with the most responses first, and the number of pages."""
    together = list(
        pairs.values_list("person", "other").annotate(count=Count("*")).order_by("-count", "person", "other")
    )
    keys: list[Key] = [(person, other) for person, other, _ in together]
    if page is None:
        return keys, 1
    start = (page - 1) * GROUPS_ON_A_PAGE
    return keys[start : start + GROUPS_ON_A_PAGE], max(1, -(-len(keys) // GROUPS_ON_A_PAGE))


def _count_reviewers(pairs: QuerySet[Any], keys: list[Key], many: bool) -> dict[Key, _Counted]:
    pairs = pairs.filter(person__in={key[0] for key in keys}, other__in={key[1] for key in keys})
    counted = _count(pairs, GROUPED_BY["reviewers"], many, POOLED_OF_MANY if len(keys) > MANY_GROUPS else None)
    return {key: counted[key] for key in keys if key in counted}


def _labels(by: str, keys: Iterable[Key]) -> list[tuple[Key, str]]:
    """Each key with its label, in the order of the table."""
    keys = list(keys)
    match by:
        case "template":
            rows = PromptTemplate.objects.filter(pk__in=[key[0] for key in keys])
            return [((row.pk,), f"Template {row.label}") for row in in_order(rows)]
        case "model":
            return [((row.pk,), row.name) for row in LanguageModel.objects.filter(pk__in=[key[0] for key in keys])]
        case "reviewers":
            people = User.objects.in_bulk({number for key in keys for number in key})
            return [(key, f"{people[key[0]]} and {people[key[1]]}") for key in keys]
    return [((code,), label) for code, label in REASONING_LABELS.items() if (code,) in keys]


def _measured(
    key: Key, label: str, counted: _Counted, offered: Iterable[Verdict], *, ordered: bool, many: bool
) -> DoubleJudged:
    tables = counted.both.tables()
    verdicts = verdicts_in(tables, offered)
    found = agreement(narrowed(tables, verdicts), ordered=ordered)
    return DoubleJudged(
        key=key,
        label=label,
        # How many instances a group of instances holds is not known.
        agreement=replace(found, instances=None) if many else found,
        verdicts=tuple(verdicts),
        cannot_judge=counted.cannot_judge,
    )
