"""The list of responses for admins: filtered, counted by mark."""

from django import forms
from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet
from django.utils.text import Truncator

from core.lists import SUBMITS, Filters, RowField, SearchField

from ..models import LanguageModel, Mark, ModelJudgment, PromptTemplate, Response, Run


class ResponseFilters(Filters):
    """The filters of the list of responses."""

    q = SearchField(label="Question")
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
        if self.chosen["q"]:
            responses = responses.filter(instance__question__icontains=self.chosen["q"])
        return responses

    def count_marks(self) -> dict[str, int]:
        return dict(self.in_any_mark().order_by().values_list("mark").annotate(count=Count("pk")))

    def responses(self) -> QuerySet[Response]:
        found = self.in_any_mark()
        return found.filter(mark=self.chosen["mark"]) if self.chosen["mark"] else found

    def listed(self) -> QuerySet[Response]:
        """The responses in their order, with what the list shows about each."""
        judgments = ModelJudgment.objects.select_related("model").defer("text", "reasoning").order_by("pk")
        return (
            self.responses()
            .select_related("instance", "model", "template", "run")
            .prefetch_related(Prefetch("model_judgments", judgments))
            .order_by("instance", "template", "model", "repetition", "pk")
        )

    def offer_what_there_is(self) -> None:
        """Set the choices: runs with responses; models and templates of the chosen run's responses, or of all."""
        run = self.chosen["run"]
        there = Response.objects.filter(run=run) if run else Response.objects.all()
        models = LanguageModel.objects.filter(pk__in=there.values("model"))
        templates = PromptTemplate.objects.filter(pk__in=there.values("template"))
        self.offer(
            run=("every run", [(each.pk, run_words(each)) for each in runs_with_responses()]),
            model=("every model", [(each.pk, each.name) for each in models]),
            template=("every template", [(each.pk, f"{each.label} {each.name}") for each in templates]),
        )


def run_words(run: Run) -> str:
    return f"{run.pk}: {Truncator(run.name).chars(40)}" if run.name else str(run.pk)


def runs_with_responses() -> QuerySet[Run]:
    return Run.objects.filter(Exists(Response.objects.filter(run=OuterRef("pk"))))
