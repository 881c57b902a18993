"""Final verdicts counted by template, model and kind of conflict, each with the intervals of its shares."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from django.db.models import Count

from annotation.content.instances import SAME_PASSAGE
from judging.models import LanguageModel, Mark, PromptTemplate
from judging.protocol.verdicts import Verdict

from ...models import REASONING_NUMBERS
from ...statistics.estimates import Estimate, Undefined
from ...statistics.rounding import percent
from ...statistics.shares import NOTHING_COUNTED, share_estimates
from ..clusters import K
from ..kinds import REASONING_TYPES, SUBSETS, in_order, subsets_of, wants_different_passages
from ..scope import Scope
from .columns import VerdictColumns, numbered, read_verdicts


@dataclass(slots=True)
class VerdictCounts:
    """Responses by verdict; `responses` includes those without one, and `no_answer` counts those of them that were
    cut, empty, refused or filtered. `shares` are the verdicts' shares with their intervals, and `clusters` the counts
    for each cluster of instances, shape (clusters, verdicts).
    """

    verdicts: dict[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))
    responses: int = 0
    no_answer: int = 0
    shares: dict[Verdict, Estimate | Undefined] = field(
        default_factory=lambda: dict.fromkeys(Verdict, NOTHING_COUNTED)
    )
    clusters: np.ndarray = field(default_factory=lambda: np.zeros((0, K)))

    @property
    def n(self) -> int:
        return sum(self.verdicts.values())

    @property
    def unlabelled(self) -> int:
        return max(self.responses - self.n, 0)

    def percent(self, verdict: Verdict):
        return percent(self.verdicts[verdict], self.n)

    def title(self, verdict: Verdict) -> str:
        """The text of a cell's tooltip: the counts behind it."""
        return f"{self.verdicts[verdict]:,} of {self.n:,} with a final verdict{self.beside}"

    @property
    def beside(self) -> str:
        if not self.unlabelled:
            return ""
        of_them = f", {self.no_answer:,} of them no answer" if self.no_answer else ""
        return f"; {self.unlabelled:,} without{of_them}"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Counts by (template, model, subset), with their rows, in the order of the tables."""

    counts: Mapping[tuple[int, int, str], VerdictCounts]
    templates: list[PromptTemplate]
    models: list[LanguageModel]
    # Responses to templates for different passages whose instance has one passage only.
    same_passage: int = 0
    # Whether a model answered a template in more than one run.
    several_runs: bool = False

    def of(self, template: PromptTemplate, model: LanguageModel, subset: str) -> VerdictCounts:
        return self.counts.get((template.pk, model.pk, subset)) or VerdictCounts()

    def answered(self, template: PromptTemplate) -> list[LanguageModel]:
        return [model for model in self.models if (template.pk, model.pk, "all") in self.counts]

    @property
    def rows(self) -> list[tuple[PromptTemplate, LanguageModel]]:
        return [(template, model) for template in self.templates for model in self.answered(template)]


def count_verdicts(scope: Scope, *, wanted: Callable[[PromptTemplate], bool] = lambda template: True) -> Verdicts:
    """The final verdicts of the scope, counted by the database."""
    templates = {template.pk: template for template in PromptTemplate.objects.all() if wanted(template)}
    counts: dict[tuple[int, int, str], VerdictCounts] = defaultdict(VerdictCounts)
    runs: dict[tuple[int, int], set[int]] = defaultdict(set)
    same_passage = 0
    columns = read_verdicts(scope.final_verdicts())
    columns = replace(columns, instance=scope.units.dealt(columns.instance))
    _count(counts, columns.where(counted_in_tables(columns, templates.values())))

    def wants_others(template: int, subcategory: str) -> bool:
        return subcategory == SAME_PASSAGE and wants_different_passages(templates[template])

    def cells(template: int, model: int, reasoning_type: str, subcategory: str) -> list[VerdictCounts]:
        if template not in templates or wants_others(template, subcategory):
            return []
        return [counts[template, model, subset] for subset in subsets_of(reasoning_type)]

    facets_of_response = ("template", "model", "instance__category", "instance__subcategory")
    responses = scope.responses().values_list(*facets_of_response, "run").annotate(count=Count("*"))
    for template, model, kind, subcategory, run, count in responses:
        runs[template, model].add(run)
        for cell in cells(template, model, kind, subcategory):
            cell.responses += count
        if template in templates and wants_others(template, subcategory):
            same_passage += count
    for template, model, kind, subcategory, _, count in responses.exclude(mark=Mark.COMPLETE):
        for cell in cells(template, model, kind, subcategory):
            cell.no_answer += count
    used = {template for template, _, _ in counts}
    models = LanguageModel.objects.filter(pk__in={model for _, model, _ in counts})
    several_runs = any(len(of) > 1 for (template, _), of in runs.items() if template in templates)
    ordered = in_order(templates[pk] for pk in used)
    return Verdicts(dict(counts), ordered, list(models), same_passage, several_runs)


def counted_in_tables(columns: VerdictColumns, templates: Iterable[PromptTemplate]) -> np.ndarray:
    """The verdicts that belong to tables of these templates: those with one passage are reported over instances whose
    passages differ.
    """
    templates = list(templates)
    one_passage = [template.pk for template in templates if wants_different_passages(template)]
    wanted = np.isin(columns.template, [template.pk for template in templates])
    return wanted & ~(columns.same_passage & np.isin(columns.template, one_passage))


def _count(counts: dict[tuple[int, int, str], VerdictCounts], columns: VerdictColumns) -> None:
    """Add up the verdicts of each template, model and kind of conflict, in total and by cluster of instances."""
    if not len(columns.verdict):
        return
    templates, template = numbered(columns.template)
    models, model = numbered(columns.model)
    clusters, cluster = numbered(columns.instance)
    shape = (len(clusters), len(templates) * len(models), K)
    where = np.ravel_multi_index((cluster, template * len(models) + model, columns.verdict), shape)
    for subset in SUBSETS:
        of_subset = where
        if subset != "all":
            of_subset = where[columns.reasoning == REASONING_NUMBERS[REASONING_TYPES[subset]]]
        found = np.bincount(of_subset, minlength=int(np.prod(shape))).astype(float).reshape(shape)
        for number, estimates in enumerate(share_estimates(found)):
            own = found[:, number]
            if not own.any():
                continue
            here = counts[int(templates[number // len(models)]), int(models[number % len(models)]), subset]
            here.clusters = own
            here.verdicts = dict(zip(Verdict, own.sum(axis=0).astype(int).tolist(), strict=True))
            here.shares = dict(zip(Verdict, estimates, strict=True))


def added_up(parts: Iterable[VerdictCounts]) -> VerdictCounts:
    """All of them together, without intervals; their clusters are the same, in the same order."""
    parts = list(parts)
    total = VerdictCounts(clusters=sum((part.clusters for part in parts if len(part.clusters)), np.zeros((1, K))))
    for part in parts:
        total.responses += part.responses
        for verdict, count in part.verdicts.items():
            total.verdicts[verdict] += count
    return total
