"""The readings counted in ContraDoc's tables, by model and template."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast, Coalesce

from annotation.models import Instance, ReleasedInstance
from judging.catalogue.score_fields import ScoreIs, ScoreNumber
from judging.models import LanguageModel, PromptTemplate
from review.reports.counting.columns import read_columns
from review.reports.kinds import in_order
from review.reports.scope import Scope

from .. import items as item
from .facts import Facts, facts_of
from .metrics import Scores, Tallies

BINARY_TASK, TOP_K_TASK, FIND_TASK = "contradoc-binary", "contradoc-topk", "contradoc-find"
GIVEN_TASK = "contradoc-given"
POSITIVE = item.SIDES[item.POSITIVE]


@dataclass
class Row:
    """One model's results with one template. `unread` has the document of each unreadable reply."""

    model: LanguageModel
    template: PromptTemplate
    tallies: Tallies
    unread: np.ndarray
    # Whether only this template is in the report, so that the model's name says it all.
    is_alone: bool = True

    @property
    def name(self) -> str:
        return self.model.name if self.is_alone else f"{self.model.name}, {self.template.label}"

    @property
    def unreadable(self) -> int:
        return len(self.unread)

    @cached_property
    def judged(self) -> Scores:
        return Scores.judged(self.tallies)

    @cached_property
    def found(self) -> Scores:
        return Scores.found(self.tallies)


# The outcome of a reading as one number: the sum of those that hold.
YES, HIT, STRICT, UNREADABLE, LIST_UNREAD = 1, 2, 4, 8, 16
FLAGS: dict[int, Q | ScoreIs] = {
    YES: ScoreIs("answer", "yes"),
    HIT: ScoreIs("hit"),
    STRICT: ScoreIs("strict_hit"),
    UNREADABLE: ~Q(problem=""),
    LIST_UNREAD: Q(value__has_key="list_problem"),
}
RANK = Coalesce(ScoreNumber("rank"), 0)
QUOTES = Coalesce(Cast(KeyTransform("count", "value"), IntegerField()), 0)


def _flag(number: int, holds: Q | ScoreIs) -> Case:
    return Case(When(holds, then=Value(number)), default=Value(0), output_field=IntegerField())


def rows_of(scope: Scope, task: str) -> list[Row]:
    """The results of the replies to a task, by template and model; for each response the reading that counts."""
    came_to = sum((_flag(number, holds) for number, holds in FLAGS.items()), start=Value(0))
    # Only judgments have evidence in a list; the quotes of other tasks are the value itself.
    quotes = QUOTES if task == FIND_TASK else Value(0)
    of_response = (f"response__{name}_id" for name in ("instance", "model", "template"))
    document, model, template, flags, rank, quotes_of = read_columns(
        scope.readings(task), *of_response, came_to, RANK, quotes
    )
    keys, at = np.unique(document, return_inverse=True)
    # Asked by themselves: PostgreSQL takes twice as long where it joins and compares their texts for each reading.
    known = Instance.objects.filter(benchmark=item.CODE).order_by().values_list("pk", "group", "category")
    about = {pk: (str(pk) if scope.by_instance else group, side) for pk, group, side in known}
    documents = [about[pk] for pk in keys.tolist()]
    names, source = np.unique(np.array([name for name, _ in documents], dtype=str), return_inverse=True)
    tallies = Tallies(
        sources=len(names),
        document=document,
        source=source[at],
        is_positive=np.array([side == POSITIVE for _, side in documents], dtype=bool)[at],
        said_yes=(flags & YES) > 0,
        hit=(flags & HIT) > 0,
        rank=rank,
        strict=(flags & STRICT) > 0,
        quotes=quotes_of,
        list_unread=(flags & LIST_UNREAD) > 0,
    )
    return _rows(tallies, model, template, (flags & UNREADABLE) > 0)


def _rows(tallies: Tallies, model: np.ndarray, template: np.ndarray, unreadable: np.ndarray) -> list[Row]:
    """The readings of each model and template: their keys and whether they are unreadable, in parallel lists."""
    models, templates = LanguageModel.objects.in_bulk(), PromptTemplate.objects.in_bulk(np.unique(template).tolist())
    order = np.lexsort((model, template))
    ends = np.flatnonzero(np.diff(model[order]) | np.diff(template[order])) + 1
    rows = []
    for positions in np.split(order, ends) if len(order) else ():
        first, unread = positions[0], unreadable[positions]
        kept, left_out = positions[~unread], tallies.document[positions[unread]]
        rows.append(Row(models[int(model[first])], templates[int(template[first])], tallies.where(kept), left_out))
    for row in rows:
        row.is_alone = len(templates) == 1
    order_of = {each.pk: number for number, each in enumerate(in_order(templates.values()))}
    return sorted(rows, key=lambda row: (order_of[row.template.pk], row.model.name))


def positive_facts(scope: Scope, found: Iterable[Row]) -> list[Facts]:
    """The positive documents of the release, otherwise those of the rows."""
    instances = {document for row in found for document in row.tallies.document.tolist()}
    if scope.release:
        released = ReleasedInstance.objects.filter(release=scope.release)
        instances = set(released.values_list("instance", flat=True))
    return [facts for facts in facts_of(instances).values() if facts.is_positive]
