"""What judge models said, side by side: verdicts by template, unreadable ones apart, and where judges differ."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet

from core.outside import is_row_number, page_number

from ..models import LanguageModel, ModelJudgment, PromptTemplate, Response, Run, RunKind
from ..protocol.verdicts import Verdict
from .listing import MOST_PAGES

UNREADABLE = "unreadable"
ON_A_PAGE = 50


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
    """The judgments of one judge on the responses to one template. Rates are of the readable ones only."""

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
    """Two judges on the responses that both have judged readably."""

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
    judged = ModelJudgment.objects.filter(run=OuterRef("pk"), response__in=judged_responses([run]))
    return Run.objects.filter(Exists(judged), kind=RunKind.JUDGE).exclude(pk=run.pk)


def judged_responses(runs: list[Run]) -> QuerySet[Response]:
    return Response.objects.filter(Exists(ModelJudgment.objects.filter(run__in=runs, response=OuterRef("pk"))))


def verdict_table(run: Run, others: list[Run]) -> VerdictTable:
    """The verdicts of a judge run, and beside them what the judges of other runs said of the same responses."""
    judges = judges_of([run, *others])
    judgments = ModelJudgment.objects.filter(run__in=[run, *others])
    if others:
        judgments = judgments.filter(response__in=judged_responses([run]))
    counts = judgments.values_list("response__template", "run", "model", "verdict").annotate(n=Count("pk")).order_by()
    cells: dict[tuple[int, int, int], Cell] = {}
    for template, run_id, model, verdict, n in counts:
        cells.setdefault((template, run_id, model), Cell()).counts[verdict or UNREADABLE] += n
    templates = PromptTemplate.objects.filter(pk__in={template for template, *_ in cells})
    rows = [
        Row(template, [cells.get((template.pk, *judge.key), Cell()) for judge in judges]) for template in templates
    ]
    total = [Cell(sum((row.cells[column].counts for row in rows), Counter())) for column in range(len(judges))]
    pairs = list(combinations(judges, 2))
    return VerdictTable(judges, rows, Row(None, total), [agreement(*pair) for pair in pairs])


def agreement(one: Judge, other: Judge) -> Agreement:
    readable = ModelJudgment.objects.readable().filter(run=one.run, model=one.model)
    by_other = ModelJudgment.objects.readable().filter(
        run=other.run, model=other.model, response=OuterRef("response")
    )
    both = readable.annotate(other=by_other.values("verdict")[:1]).filter(other__isnull=False)
    return Agreement(one, other, both.count(), both.filter(verdict=F("other")).count())


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """Which judged responses are shown. `show`: all, those the judges differ on, or a verdict of the first judge."""

    show: str = ""
    template: str = ""
    page: int = 1

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "VerdictFilter":
        show, template, page = (values.get(name, "") for name in ("show", "template", "page"))
        return cls(
            show=show if show in {"differ", UNREADABLE, *Verdict.values} else "",
            template=template if is_row_number(template) else "",
            page=page_number(page, most=MOST_PAGES),
        )

    def responses(self, run: Run, others: list[Run]) -> QuerySet[Response]:
        responses = judged_responses([run])
        if self.template:
            responses = responses.filter(template=int(self.template))
        judgments = ModelJudgment.objects.filter(run__in=[run, *others])
        if self.show == "differ":
            verdicts = judgments.readable().order_by().values("response").annotate(n=Count("verdict", distinct=True))
            return responses.filter(pk__in=verdicts.filter(n__gt=1).values("response"))
        said = judgments.filter(response=OuterRef("pk"))
        if self.show == UNREADABLE:
            return responses.filter(Exists(said.unreadable()))
        if self.show:
            return responses.filter(Exists(said.filter(verdict=self.show)))
        return responses


@dataclass(slots=True)
class JudgedPage:
    """Judged responses, each with one judgment (or none) a judge."""

    rows: list[tuple[Response, list[ModelJudgment | None]]]
    total: int
    number: int
    pages: int

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def following(self) -> int:
        return self.number + 1


def judged_page(run: Run, others: list[Run], chosen: VerdictFilter) -> JudgedPage:
    responses = chosen.responses(run, others)
    total = responses.count()
    pages = max(1, -(-total // ON_A_PAGE))
    number = min(chosen.page, pages)
    shown = list(
        responses.select_related("instance", "model", "template").order_by("instance", "template", "model", "pk")[
            (number - 1) * ON_A_PAGE : number * ON_A_PAGE
        ]
    )
    judgments: dict[tuple[int, int, int], Any] = {
        (each.response_id, each.run_id, each.model_id): each
        for each in ModelJudgment.objects.filter(run__in=[run, *others], response__in=shown)
    }
    judges = judges_of([run, *others])
    rows = [(response, [judgments.get((response.pk, *judge.key)) for judge in judges]) for response in shown]
    return JudgedPage(rows, total, number, pages)
