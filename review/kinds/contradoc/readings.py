"""The readings that ContraDoc's tables count: added up in the database, by model, template and document."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from annotation.kinds.contradoc import item
from annotation.models import ReleasedInstance
from judging.models import LanguageModel, PromptTemplate

from ...reports.kinds import in_order
from ...reports.scope import Scope
from .facts import Facts, facts_of
from .metrics import Tally

BINARY_TASK, TOP_K_TASK, FIND_TASK = "contradoc-binary", "contradoc-topk", "contradoc-find"
GIVEN_TASK = "contradoc-given"
POSITIVE = item.SIDES[item.POSITIVE]


@dataclass(frozen=True, slots=True)
class Counted:
    """Readable readings of one document that came to the same."""

    instance: int
    tally: Tally


@dataclass(slots=True)
class Row:
    """What one model came to with one template."""

    model: LanguageModel
    template: PromptTemplate
    # Whether only this template is in the report, so that the model's name says it all.
    is_alone: bool = True
    # How many replies cannot be read, by document.
    unread: Counter[int] = field(default_factory=Counter)
    found: list[Counted] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.model.name if self.is_alone else f"{self.model.name}, {self.template.label}"

    @property
    def unreadable(self) -> int:
        return self.unread.total()

    @property
    def tallies(self) -> list[Tally]:
        return [each.tally for each in self.found]


COLUMNS = (
    "response__model",
    "response__template",
    "response__instance",
    "response__instance__group",
    "response__instance__category",
    "problem",
    "answer",
    "hit",
    "rank",
    "strict_hit",
)


def rows_of(scope: Scope, task: str) -> list[Row]:
    """What the replies to a task came to, by template and model; of each response the reading that counts."""
    rows: dict[tuple[int, int], Row] = {}
    templates = {each.pk: each for each in PromptTemplate.objects.filter(task=task)}
    models = LanguageModel.objects.in_bulk()
    for *who, instance, group, category, problem, answer, hit, rank, strict, count in _counted(scope, task):
        model, template = who
        key = (template, model)
        if key not in rows:
            rows[key] = Row(models[model], templates[template])
        if problem:
            rows[key].unread[instance] += count
        else:
            tally = Tally(group, category == POSITIVE, answer, bool(hit), rank or 0, bool(strict), count)
            rows[key].found.append(Counted(instance, tally))
    is_alone = len({template for template, _ in rows}) == 1
    for row in rows.values():
        row.is_alone = is_alone
    order = {template.pk: number for number, template in enumerate(in_order(templates.values()))}
    return sorted(rows.values(), key=lambda row: (order[row.template.pk], row.model.name))


def _counted(scope: Scope, task: str) -> Iterator[tuple[Any, ...]]:
    found = scope.readings(task).values_list(*COLUMNS)
    return found.annotate(count=Count("pk")).iterator(chunk_size=5_000)


def positive_facts(scope: Scope, found: Iterable[Row]) -> list[Facts]:
    """The positive documents of the release, or else those that the rows are about."""
    instances = {each.instance for row in found for each in row.found}
    if scope.release:
        released = ReleasedInstance.objects.filter(release=scope.release)
        instances = set(released.values_list("instance", flat=True))
    return [facts for facts in facts_of(instances).values() if facts.is_positive]
