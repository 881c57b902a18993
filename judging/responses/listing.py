"""The list of responses for admins: filtered, counted by mark."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from django import forms
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import cached_property
from django.utils.text import Truncator

from annotation.models import Instance
from core.lists.filters import SUBMITS, Filters, RowField, SearchField
from core.lists.pages import ChipCounts, Window
from core.lists.search import found_in, search_note

from ..models import LanguageModel, Mark, ModelJudgment, PromptTemplate, Response, Run

# What narrows the list down. By question, then model and template: the answers to one question stand together.
FILTERS = ("q", "run", "model", "template", "mark", "instance")
IN_ORDER = ("instance_id", "model_id", "template_id", "pk")
# The filters that an index has, the most telling ones first, with the order in it.
BY_INDEX = {
    "instance": IN_ORDER,
    "mark": IN_ORDER,
    "run": ("instance_id", "model_id", "template_id", "repetition"),
    "model": ("instance_id", "template_id", "pk"),
    "template": ("instance_id", "model_id", "pk"),
}


@cache
def mark_counts() -> ChipCounts[str]:
    """How many responses have each mark."""
    rows = Response.objects.all()
    return ChipCounts({mark: (Window(rows.filter(mark=mark), IN_ORDER, is_whole=True), rows) for mark in Mark.values})


class ResponseFilters(Filters):
    """The filters of the list of responses."""

    q = SearchField(label="Question")
    search_note = search_note("questions", "instances")
    run = RowField(widget=forms.Select(attrs=SUBMITS))
    model = RowField(widget=forms.Select(attrs=SUBMITS))
    template = RowField(widget=forms.Select(attrs=SUBMITS))
    mark = forms.ChoiceField(choices=Mark.choices, widget=forms.HiddenInput)
    instance = RowField()

    def in_any_mark(self) -> QuerySet[Response]:
        """The responses that pass all filters except the mark."""
        responses = Response.objects.all()
        for name in ("run", "model", "template", "instance"):
            if value := self.chosen[name]:
                responses = responses.filter(**{name: value})
        return responses.filter(instance__in=self.sought) if self.chosen["q"] else responses

    @cached_property
    def sought(self) -> list[int]:
        """The instances that the search found."""
        return found_in(Instance.objects.all(), "question", self.chosen["q"]) if self.chosen["q"] else []

    def responses(self) -> QuerySet[Response]:
        found = self.in_any_mark()
        return found.filter(mark=self.chosen["mark"]) if self.chosen["mark"] else found

    def listed(self) -> QuerySet[Response]:
        """The responses in no order, with what the list shows about each."""
        shown = ("key", "text", "mark", "repetition", "instance__question", "model__name", "template__code")
        return self.responses().select_related("instance", "model", "template").only(*shown, "template__version")

    def window(self) -> Window:
        """The responses among which the chosen ones are, by question, model and template: those that the best index
        names."""
        names = [name for name in FILTERS if self.chosen[name]]
        if self.chosen["q"]:
            return Window(Response.objects.filter(instance__in=self.sought), IN_ORDER, is_whole=names == ["q"])
        for name, order in BY_INDEX.items():
            # Most responses are complete: that tells least.
            if self.chosen[name] and not (name == "mark" and len(names) > 1 and self.chosen[name] == Mark.COMPLETE):
                rows = Response.objects.filter(**{name: self.chosen[name]})
                return Window(rows, order, is_whole=names == [name])
        return Window(Response.objects.all(), IN_ORDER, is_whole=True)

    def offer_what_there_is(self) -> None:
        """Set the choices: runs, models and templates with responses."""
        models = LanguageModel.objects.filter(Exists(Response.objects.filter(model=OuterRef("pk"))))
        templates = PromptTemplate.objects.filter(Exists(Response.objects.filter(template=OuterRef("pk"))))
        self.offer(
            run=("every run", [(each.pk, run_words(each)) for each in runs_with_responses()]),
            model=("every model", [(each.pk, each.name) for each in models]),
            template=("every template", [(each.pk, f"{each.label} {each.name}") for each in templates]),
        )


def judged(responses: Iterable[Response]) -> list[tuple[Response, list[ModelJudgment]]]:
    """Each response with what judge models said of it, in one query. (A prefetch costs many times as much.)"""
    shown = list(responses)
    said = defaultdict(list)
    judgments = ModelJudgment.objects.filter(response__in=shown).select_related("model").defer("text", "reasoning")
    for judgment in judgments.order_by("pk"):
        said[judgment.response_id].append(judgment)
    return [(response, said[response.pk]) for response in shown]


def run_words(run: Run) -> str:
    return f"{run.pk}: {Truncator(run.name).chars(40)}" if run.name else str(run.pk)


def runs_with_responses() -> QuerySet[Run]:
    return Run.objects.filter(Exists(Response.objects.filter(run=OuterRef("pk"))))
