"""Tables 2 and 3 of the paper: final verdicts by model, prompt template, and kind of conflict.

The paper's rules: templates with one passage (2 and 3) are reported over instances whose two passages differ; an
instance whose reasoning type is not known counts in "all" only; percentages are of the responses with a final
verdict, half up to one decimal. A response without one is counted beside them and is never "incorrect".
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Count

from core.lists.pages import plural
from judging.models import LanguageModel, Mark, PromptTemplate
from judging.protocol.verdicts import Verdict

from ..statistics.rounding import percent
from .kinds import (
    REASONING_TYPES,
    SHORT,
    SUBSETS,
    headline,
    in_order,
    shares,
    subsets_of,
    template_key,
    wants_different_passages,
)
from .layout import Cell, Column, Note, Report, Section, Table, Value
from .links import ResponseFilter, response_list
from .plots import Bars, Share, bar
from .scope import Scope

TABLE_3 = ("5.1", "5.2", "5.3", "5.4")


@dataclass(slots=True)
class VerdictCounts:
    """Responses by verdict; `responses` counts those without one, too, and `no_answer` those of them that were cut,
    empty, refused or filtered."""

    verdicts: dict[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))
    responses: int = 0
    no_answer: int = 0

    @property
    def n(self) -> int:
        return sum(self.verdicts.values())

    @property
    def unlabelled(self) -> int:
        return max(self.responses - self.n, 0)

    def percent(self, verdict: Verdict):
        return percent(self.verdicts[verdict], self.n)

    def title(self, verdict: Verdict) -> str:
        """The text of a cell's tooltip: what it was counted from."""
        return f"{self.verdicts[verdict]:,} of {self.n:,} with a final verdict{self.beside}"

    @property
    def beside(self) -> str:
        if not self.unlabelled:
            return ""
        of_them = f", {self.no_answer:,} of them no answer" if self.no_answer else ""
        return f"; {self.unlabelled:,} without{of_them}"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Counts by (template, model, subset), with the rows that they are of, in the order of the tables."""

    counts: Mapping[tuple[int, int, str], VerdictCounts]
    templates: list[PromptTemplate]
    models: list[LanguageModel]
    # Responses to templates for different passages whose instance has one passage only.
    same_passage: int = 0
    # Whether a model answered a template in more than one run.
    several_runs: bool = False

    def of(self, template: PromptTemplate, model: LanguageModel, subset: str) -> VerdictCounts:
        return self.counts.get((template.pk, model.pk, subset), VerdictCounts())

    def answered(self, template: PromptTemplate) -> list[LanguageModel]:
        return [model for model in self.models if (template.pk, model.pk, "all") in self.counts]


def count_verdicts(scope: Scope, *, wanted: Callable[[PromptTemplate], bool] = lambda template: True) -> Verdicts:
    """The final verdicts of the scope, counted by the database."""
    templates = {template.pk: template for template in PromptTemplate.objects.all() if wanted(template)}
    counts: dict[tuple[int, int, str], VerdictCounts] = defaultdict(VerdictCounts)
    runs: dict[tuple[int, int], set[int]] = defaultdict(set)
    same_passage = 0

    def cells(template: int, model: int, reasoning_type: str, same: bool) -> list[VerdictCounts]:
        if template not in templates or (same and wants_different_passages(templates[template])):
            return []
        return [counts[template, model, subset] for subset in subsets_of(reasoning_type)]

    final = scope.final_verdicts().values_list("template", "model", "reasoning_type", "same_passage", "verdict")
    for *facets, verdict, count in final.annotate(count=Count("*")):
        for cell in cells(*facets):
            cell.verdicts[Verdict(verdict)] += count
    facets_of_response = ("template", "model", "instance__reasoning_type", "instance__same_passage")
    responses = scope.responses().values_list(*facets_of_response, "run").annotate(count=Count("*"))
    for template, model, kind, same, run, count in responses:
        runs[template, model].add(run)
        for cell in cells(template, model, kind, same):
            cell.responses += count
        if same and template in templates and wants_different_passages(templates[template]):
            same_passage += count
    for template, model, kind, same, _, count in responses.exclude(mark=Mark.COMPLETE):
        for cell in cells(template, model, kind, same):
            cell.no_answer += count
    used = {template for template, _, _ in counts}
    models = LanguageModel.objects.filter(pk__in={model for _, model, _ in counts})
    several_runs = any(len(of) > 1 for (template, _), of in runs.items() if template in templates)
    ordered = in_order(templates[pk] for pk in used)
    return Verdicts(dict(counts), ordered, list(models), same_passage, several_runs)


def table_2(scope: Scope) -> Report:
    """Final verdicts by model and template; the variants of template 5 are in Table 3."""
    return _report(scope, "Final verdicts by model and prompt template", "table2", lambda code: code not in TABLE_3)


def table_3(scope: Scope) -> Report:
    return _report(scope, "Final verdicts for the variants of template 5", "table3", lambda code: code in TABLE_3)


def _report(scope: Scope, title: str, name: str, belongs: Callable[[str], bool]) -> Report:
    verdicts = count_verdicts(scope, wanted=lambda template: belongs(template.code))
    labelled = any(counts.n for counts in verdicts.counts.values())
    return Report(
        title=title,
        lead=_sentences(verdicts) if labelled else (),
        sections=[Section("", plots=[_plot(scope, verdicts)], table=_table(scope, verdicts, title))],
        data=_data(verdicts, name) | {"set_aside": [aside.reason for aside in scope.set_aside_with_reasons()]},
        records=_records(verdicts),
        notes=[*_notes(verdicts), *scope.notes()],
        about="C correct, P partially correct, I incorrect, in percent of the responses with a final verdict. "
        "“No verdict” counts responses that have none yet; they are in no percentage.",
        empty="No response here has a final verdict. Judge a run in a round, or import a human evaluation with "
        "manage.py import_human_evaluation FILE; the shares of correct, partially correct and incorrect responses "
        "then appear here by model and template.",
    )


def _sentences(verdicts: Verdicts) -> list[str]:
    """Who does best and worst at one template, and what implicit conflicts do there."""
    final = {
        template: sum(verdicts.of(template, model, "all").n for model in verdicts.models)
        for template in verdicts.templates
    }
    template = headline(final)
    rated = [(verdicts.of(template, model, "all"), model) for model in verdicts.answered(template)]
    rated = [(counts, model) for counts, model in rated if counts.n]
    correct = Verdict.CORRECT
    rated.sort(key=lambda pair: (-pair[0].verdicts[correct] / pair[0].n, pair[1].name))
    (best, first), (worst, last) = rated[0], rated[-1]
    sentence = (
        f"With template {template.label} ({template.name}), {first} is correct in {best.percent(correct)} % of "
        f"{plural(best.n, 'response')}"
    )
    if len(rated) > 1:
        sentence += f", the most of {len(rated)} models; {last} in {worst.percent(correct)} % of {worst.n:,}"
    kinds = {
        kind: _sum(verdicts.of(template, model, kind) for model in verdicts.answered(template))
        for kind in REASONING_TYPES
    }
    sentences = [f"{sentence}."]
    if all(counts.n for counts in kinds.values()):
        sentences.append(
            f"Over all models, {kinds['exp'].percent(correct)} % are correct where the conflict is explicit and "
            f"{kinds['imp'].percent(correct)} % where it is implicit."
        )
    return sentences


def _sum(parts: Iterable[VerdictCounts]) -> VerdictCounts:
    total = VerdictCounts()
    for part in parts:
        total.responses += part.responses
        for verdict, count in part.verdicts.items():
            total.verdicts[verdict] += count
    return total


def _notes(verdicts: Verdicts) -> list[Note]:
    notes = []
    total = _sum(counts for (_, _, subset), counts in verdicts.counts.items() if subset == "all")
    if total.unlabelled:
        words = plural(total.unlabelled, "response has", "responses have")
        notes.append(
            Note(f"{words} no final verdict, of {total.responses:,}; in no percentage, and never incorrect.")
        )
    if verdicts.several_runs:
        notes.append(
            Note("Responses of several runs of one model are counted together; choose a run to separate them.")
        )
    if verdicts.same_passage:
        words = plural(verdicts.same_passage, "response")
        notes.append(
            Note(
                f"{words} to templates with one passage are left out, as both passages of the instance are the same."
            )
        )
    return notes


def _filter(scope: Scope, template: PromptTemplate, model: LanguageModel, subset: str) -> ResponseFilter:
    return ResponseFilter(
        scope=scope,
        template=template.pk,
        model=model.pk,
        subset="" if subset == "all" else subset,
        passages="different" if wants_different_passages(template) else "",
    )


def _plot(scope: Scope, verdicts: Verdicts) -> Bars:
    bars = []
    for template in verdicts.templates:
        for number, model in enumerate(verdicts.answered(template)):
            counts = verdicts.of(template, model, "all")
            chosen = _filter(scope, template, model, "all")
            shares = [
                Share(
                    verdict.value,
                    counts.verdicts[verdict],
                    f"{model}, template {template.label}: {verdict.label.lower()}, {counts.title(verdict)}",
                    response_list(replace(chosen, verdict=verdict.value)),
                )
                for verdict in Verdict
            ]
            heading = f"Template {template.label}: {template.name}" if number == 0 else ""
            bars.append(bar(model.name, shares, aside=f"n {counts.n:,}", group=heading))
    return Bars("Shares of verdicts", bars)


def _table(scope: Scope, verdicts: Verdicts, title: str) -> Table:
    columns = [Column("Template", words=True), Column("Model", words=True)]
    for name in SUBSETS.values():
        columns += [
            Column("n", name, title="Responses with a final verdict"),
            Column("No verdict", name, title="Responses without a final verdict; in no percentage"),
            *(Column(SHORT[verdict], name, title=f"{verdict.label}, in percent of n") for verdict in Verdict),
        ]
    rows = []
    for template in verdicts.templates:
        for model in verdicts.answered(template):
            row = [Cell(template.label, title=template.name), Cell(model.name)]
            for subset in SUBSETS:
                row += _cells(template, verdicts.of(template, model, subset), _filter(scope, template, model, subset))
            rows.append(row)
    return Table(title, columns, rows)


def _cells(template: PromptTemplate, counts: VerdictCounts, chosen: ResponseFilter) -> list[Cell]:
    """n, without verdict, and the share of each verdict; a verdict that was neither offered nor given has none."""
    offered = template.offered_verdicts or tuple(Verdict)
    return [
        Cell(counts.n, f"Of {counts.responses:,} responses", response_list(replace(chosen, verdict="any"))),
        Cell(counts.unlabelled, counts.beside.strip("; "), response_list(replace(chosen, verdict="none"))),
        *(
            Cell(
                counts.percent(verdict) if verdict in offered or counts.verdicts[verdict] else None,
                counts.title(verdict),
                response_list(replace(chosen, verdict=verdict.value)),
            )
            for verdict in Verdict
        ),
    ]


def _data(verdicts: Verdicts, name: str) -> dict[str, Any]:
    """In the shape of the numbers published with the benchmark; what it has no field for is given separately."""
    table: dict[str, dict[str, dict[str, Any]]] = {}
    without: dict[str, dict[str, dict[str, int]]] = {}
    for template in verdicts.templates:
        for model in verdicts.answered(template):
            of_subset = {subset: verdicts.of(template, model, subset) for subset in SUBSETS}
            key = template_key(template)
            table.setdefault(key, {})[model.name] = {
                subset: {
                    "n": counts.n,
                    **shares([counts.verdicts[verdict] for verdict in Verdict]),
                }
                for subset, counts in of_subset.items()
            }
            without.setdefault(key, {})[model.name] = {
                subset: counts.unlabelled for subset, counts in of_subset.items()
            }
    return {name: table, "unlabelled": without}


def _records(verdicts: Verdicts) -> list[dict[str, Value]]:
    return [
        {
            "template": template.label,
            "model": model.name,
            "instances": subset,
            "n": counts.n,
            "unlabelled": counts.unlabelled,
            **{verdict.value: counts.verdicts[verdict] for verdict in Verdict},
            **{f"{verdict.value}_percent": counts.percent(verdict) for verdict in Verdict},
        }
        for template in verdicts.templates
        for model in verdicts.answered(template)
        for subset in SUBSETS
        for counts in [verdicts.of(template, model, subset)]
    ]
