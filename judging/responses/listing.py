"""The list of responses for admins: filtered, counted by mark, a page at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet

from core.outside import is_row_number, page_number

from ..models import LanguageModel, Mark, ModelJudgment, PromptTemplate, Response, Run

ON_A_PAGE = 50
MOST_PAGES = 100_000


@dataclass(frozen=True, slots=True)
class ResponseFilter:
    """What an admin wants to see, as it stands in the address of the page. What cannot be read is no filter."""

    run: str = ""
    model: str = ""
    template: str = ""
    mark: str = ""
    instance: str = ""
    q: str = ""
    page: int = 1

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "ResponseFilter":
        chosen: dict[str, Any] = {name: values.get(name, "").strip() for name in ("run", "model", "template")}
        chosen["instance"] = values.get("instance", "").strip()
        chosen = {name: value if is_row_number(value) else "" for name, value in chosen.items()}
        chosen["q"] = values.get("q", "").strip().replace("\0", "")[:500]
        chosen["mark"] = values.get("mark", "") if values.get("mark") in Mark.values else ""
        page = values.get("page", "")
        return cls(**chosen, page=page_number(page, most=MOST_PAGES))

    def in_any_mark(self) -> QuerySet[Response]:
        """The responses that pass all filters but the mark."""
        responses = Response.objects.all()
        for name in ("run", "model", "template", "instance"):
            if value := getattr(self, name):
                responses = responses.filter(**{name: int(value)})
        if self.q:
            responses = responses.filter(instance__question__icontains=self.q)
        return responses

    def responses(self) -> QuerySet[Response]:
        return self.in_any_mark().filter(mark=self.mark) if self.mark else self.in_any_mark()


def runs_with_responses() -> QuerySet[Run]:
    return Run.objects.filter(Exists(Response.objects.filter(run=OuterRef("pk"))))


@dataclass(slots=True)
class ResponsePage:
    """One page of the list with the counts above it, and what there is to choose from."""

    responses: list[Response]
    marks: list[tuple[str, str, int]]
    all_count: int
    total: int
    number: int
    pages: int
    models: list[LanguageModel] = field(default_factory=list)
    templates: list[PromptTemplate] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def following(self) -> int:
        return self.number + 1


def response_page(chosen: ResponseFilter) -> ResponsePage:
    counts = dict(chosen.in_any_mark().order_by().values_list("mark").annotate(count=Count("pk")))
    all_count = sum(counts.values())
    total = counts.get(chosen.mark, 0) if chosen.mark else all_count
    pages = max(1, -(-total // ON_A_PAGE))
    number = min(chosen.page, pages)
    judgments = ModelJudgment.objects.select_related("model").defer("text", "reasoning").order_by("pk")
    rows = (
        chosen.responses()
        .select_related("instance", "model", "template", "run")
        .prefetch_related(Prefetch("model_judgments", judgments))
        .order_by("instance", "template", "model", "repetition", "pk")[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
    )
    responses = Response.objects.filter(run=int(chosen.run)) if chosen.run else Response.objects.all()
    return ResponsePage(
        responses=list(rows),
        marks=[(mark.value, str(mark.label), counts.get(mark, 0)) for mark in Mark],
        all_count=all_count,
        total=total,
        number=number,
        pages=pages,
        models=list(LanguageModel.objects.filter(pk__in=responses.values("model"))),
        templates=list(PromptTemplate.objects.filter(pk__in=responses.values("template"))),
        runs=list(runs_with_responses()),
    )
