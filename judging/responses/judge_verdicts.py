"""Judge models' judgments side by side: verdicts by template, unreadable ones separately, and differences between
judges.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from django import forms
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from core.languages import say
from core.lists.filters import Filters, RowField
from core.navigation import counted

from ..models import JudgePairSums, LanguageModel, ModelJudgment, OutputSums, PromptTemplate, Response, Run, RunKind
from ..protocol.verdicts import Verdict

UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge model in one judge run: a column."""

    run: Run
    model: LanguageModel
    number: int

    @property
    def key(self) -> tuple[int, int]:
        return self.run.pk, self.model.pk


@dataclass(slots=True)
class Cell:
    """The judgments of one judge on the responses to one template. Rates cover only the readable ones."""

    counts: Counter[str] = field(default_factory=Counter)

    @property
    def readable(self) -> int:
        return sum(self.counts[verdict] for verdict in Verdict)

    @property
    def unreadable(self) -> int:
        return self.counts[UNREADABLE]

    @property
    def verdicts(self) -> list[tuple[str, str, int]]:
        return [(verdict.value, str(verdict.label), self.counts[verdict]) for verdict in Verdict]


@dataclass(slots=True)
class Row:
    template: PromptTemplate | None
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two judges on responses for which both gave a readable verdict."""

    one: Judge
    other: Judge
    judged: int
    same: int


@dataclass(slots=True)
class VerdictTable:
    judges: list[Judge]
    rows: list[Row]
    total: Row
    agreements: list[Agreement]

    @property
    def unreadable(self) -> int:
        return sum(cell.unreadable for cell in self.total.cells)


def judges_of(runs: list[Run]) -> list[Judge]:
    pairs = [(run, model) for run in runs for model in run.language_models.all()]
    return [Judge(run, model, number) for number, (run, model) in enumerate(pairs, start=1)]


def comparable_runs(run: Run) -> QuerySet[Run]:
    """Other judge runs that judged at least one response of this one."""
    pairs = JudgePairSums.objects.visible().filter(count__gt=0)
    beside = Q(pk__in=pairs.filter(run=run).values("other_run")) | Q(pk__in=pairs.filter(other_run=run).values("run"))
    return Run.objects.filter(beside, kind=RunKind.JUDGE).exclude(pk=run.pk)


def judged_responses(runs: list[Run]) -> QuerySet[Response]:
    return Response.objects.filter(Exists(ModelJudgment.objects.filter(run__in=runs, response=OuterRef("pk"))))


def verdict_table(run: Run, others: list[Run]) -> VerdictTable:
    """The verdicts of a judge run, and beside them those of the judges of other runs on the same responses."""
    judges = judges_of([run, *others])
    cells: dict[tuple[int, int, int], Cell] = {}
    for template, run_id, model, verdict, n in _beside(run, others) if others else _alone(run):
        cells.setdefault((template, run_id, model), Cell()).counts[verdict or UNREADABLE] += n
    templates = PromptTemplate.objects.filter(pk__in={template for template, *_ in cells})
    rows = [
        Row(template, [cells.get((template.pk, *judge.key), Cell()) for judge in judges]) for template in templates
    ]
    total = [Cell(sum((row.cells[column].counts for row in rows), Counter())) for column in range(len(judges))]
    pairs = list(combinations(judges, 2))
    return VerdictTable(judges, rows, Row(None, total), [agreement(*pair) for pair in pairs])


def _alone(run: Run) -> QuerySet[Any, Any]:
    rows = OutputSums.objects.visible().filter(run=run, count__gt=0)
    return rows.values_list("template", "run", "model", "verdict").annotate(n=Sum("count")).order_by()


def _beside(run: Run, others: list[Run]) -> list[tuple[Any, ...]]:
    """The same for several runs, of the responses that the first one judged. Slow counts are refreshed less often."""
    judgments = ModelJudgment.objects.filter(run__in=[run, *others], response__in=judged_responses([run]))
    found = judgments.values_list("response__template", "run", "model", "verdict").annotate(n=Count("pk")).order_by()
    compared = [(each.pk, each.state) for each in (run, *others)]
    return counted(("verdicts beside others", *compared), lambda: list(found))


def agreement(one: Judge, other: Judge) -> Agreement:
    (run, model), (other_run, other_model) = sorted([one.key, other.key])
    pairs = JudgePairSums.objects.visible().filter(run=run, model=model, other_run=other_run, other_model=other_model)
    asked = {"judged": Sum("readable", default=0), "same": Sum("same", default=0)}
    return Agreement(one, other, **pairs.aggregate(**asked))


class VerdictFilters(Filters):
    """The filters of judged responses: all, those on which the judges differ, or those with a given verdict by any
    judge.
    """

    show = forms.ChoiceField(
        choices=[("differ", say("Judges differ")), (UNREADABLE, say("Unreadable")), *Verdict.choices],
        widget=forms.HiddenInput,
    )
    template = RowField()

    def responses(self, run: Run, others: list[Run]) -> QuerySet[Response]:
        responses, show = judged_responses([run]), self.chosen["show"]
        if self.chosen["template"]:
            responses = responses.filter(template=self.chosen["template"])
        judgments = ModelJudgment.objects.filter(run__in=[run, *others])
        if show == "differ":
            # For each response: a page has only a few.
            of_it = judgments.readable().order_by().filter(response=OuterRef("pk")).values("response")
            return responses.filter(Exists(of_it.annotate(n=Count("verdict", distinct=True)).filter(n__gt=1)))
        said = judgments.filter(response=OuterRef("pk"))
        if show == UNREADABLE:
            return responses.filter(Exists(said.unreadable()))
        return responses.filter(Exists(said.filter(verdict=show))) if show else responses


def with_judgments(
    responses: Iterable[Response], runs: list[Run]
) -> list[tuple[Response, list[ModelJudgment | None]]]:
    """Each response with one judgment (or None) per judge of the runs."""
    shown = list(responses)
    judgments: dict[tuple[int, int, int], Any] = {
        (each.response_id, each.run_id, each.model_id): each
        for each in ModelJudgment.objects.filter(run__in=runs, response__in=shown)
    }
    judges = judges_of(runs)
    return [(response, [judgments.get((response.pk, *judge.key)) for judge in judges]) for response in shown]
