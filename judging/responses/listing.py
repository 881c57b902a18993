"""The list of responses for admins: filtered, counted by mark."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django import forms
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.functional import cached_property
from django.utils.text import Truncator

from annotation.models import Instance
from core.engine.queries.conditions import is_one_of
from core.engine.queries.parameters import Numbers
from core.languages import say
from core.lists.filters import SUBMITS, Filters, RowField, SearchField, TickedField
from core.lists.pages import ChipCounts, Window
from core.lists.search import found_in, search_note
from core.refusals import Refusal

from ..models import LanguageModel, Mark, ModelJudgment, PromptTemplate, Response, Run
from ..protocol.tasks import benchmarks_of, judged_tasks

# The filters of the list. By question, then model and template: the answers to one question stand together.
FILTERS = ("q", "run", "model", "template", "mark", "instance", "ticked")
IN_ORDER = ("instance_id", "model_id", "template_id", "pk")
# The filters that an index serves, the most selective first, each with the order in its index.
BY_INDEX = {
    "instance": IN_ORDER,
    "mark": IN_ORDER,
    "run": ("instance_id", "model_id", "template_id", "repetition"),
    "model": ("instance_id", "template_id", "pk"),
    "template": ("instance_id", "model_id", "pk"),
}


@dataclass(frozen=True, slots=True)
class TickedAct:
    """An action on selected responses: a button, and the name of the page that it opens with their keys."""

    words: str
    page: str


_acts: list[TickedAct] = []


def register_act(act: TickedAct) -> None:
    """Register an app's action on selected responses."""
    _acts.append(act)


def ticked_acts() -> Sequence[TickedAct]:
    return tuple(_acts)


@cache
def mark_counts() -> ChipCounts[str]:
    """The number of responses with each mark."""
    rows = Response.objects.all()
    return ChipCounts({mark: (Window(rows.filter(mark=mark), IN_ORDER, is_whole=True), rows) for mark in Mark.values})


class ResponseFilters(Filters):
    """The filters of the list of responses."""

    q = SearchField(label=say("Question"))
    search_note = search_note(say("questions"), say("instances"))
    run = RowField(label=say("Run"), widget=forms.Select(attrs=SUBMITS))
    model = RowField(label=say("Model"), widget=forms.Select(attrs=SUBMITS))
    template = RowField(label=say("Prompt"), widget=forms.Select(attrs=SUBMITS))
    mark = forms.ChoiceField(choices=Mark.choices, widget=forms.HiddenInput)
    instance = RowField()
    ticked = TickedField(label=say("Keys of responses"))

    def in_any_mark(self) -> QuerySet[Response]:
        """The responses that pass all filters except the mark."""
        responses = Response.objects.all()
        for name in ("run", "model", "template", "instance"):
            if value := self.chosen[name]:
                responses = responses.filter(**{name: value})
        if self.chosen["ticked"]:
            responses = responses.filter(pk__in=self.ticked_rows)
        return responses.filter(is_one_of("instance", self.sought)) if self.chosen["q"] else responses

    @cached_property
    def sought(self) -> Numbers:
        """The instances found by the search."""
        return found_in(Instance.objects.all(), "question", self.chosen["q"]) if self.chosen["q"] else Numbers()

    @cached_property
    def ticked_rows(self) -> list[int]:
        """The selected responses. Raises Refusal (404) if one of them does not exist."""
        there = dict(Response.objects.filter(key__in=self.chosen["ticked"]).values_list("key", "pk"))
        for key in self.chosen["ticked"]:
            if key not in there:
                raise Refusal(say("There is no response {key}. Nothing was done.", key=key), status=404)
        return sorted(there.values())

    def responses(self) -> QuerySet[Response]:
        found = self.in_any_mark()
        return found.filter(mark=self.chosen["mark"]) if self.chosen["mark"] else found

    def window(self) -> Window:
        """A superset of the chosen responses, by question, model and template, served by the best index."""
        names = [name for name in FILTERS if self.chosen[name]]
        if self.chosen["ticked"]:
            return Window(Response.objects.filter(pk__in=self.ticked_rows), IN_ORDER, is_whole=names == ["ticked"])
        if self.chosen["q"]:
            return Window(
                Response.objects.filter(is_one_of("instance", self.sought)), IN_ORDER, is_whole=names == ["q"]
            )
        for name, order in BY_INDEX.items():
            # Most responses are complete, so this filter is the least selective.
            if self.chosen[name] and not (name == "mark" and len(names) > 1 and self.chosen[name] == Mark.COMPLETE):
                rows = Response.objects.filter(**{name: self.chosen[name]})
                return Window(rows, order, is_whole=names == [name])
        return Window(Response.objects.all(), IN_ORDER, is_whole=True)

    def offer_what_there_is(self) -> None:
        """Set the choices: runs, models and templates with responses."""
        models = _with_responses(LanguageModel.objects.all(), "model")
        templates = _with_responses(PromptTemplate.objects.all(), "template").only("code", "version", "name")
        self.offer(
            run=(say("every run"), [(each.pk, run_words(each)) for each in runs_with_responses().only("name")]),
            model=(say("every model"), list(models.values_list("pk", "name"))),
            template=(say("every prompt"), [(each.pk, f"{each.label} {each.name}") for each in templates]),
        )


def shown_responses(responses: Collection[int]) -> list[Response]:
    """These responses, given by primary key, unordered, with the values that the list shows."""
    shown = ("key", "text", "mark", "marks_left", "repetition", "answer_part", "composition")
    related = ("instance__question", "model__name", "template__code", "template__version")
    found = Response.objects.filter(pk__in=responses).order_by().select_related("instance", "model", "template")
    return list(found.only(*shown, *related))


def judged(responses: Iterable[Response]) -> list[tuple[Response, list[ModelJudgment]]]:
    """Each response with its judge models' judgments."""
    shown = list(responses)
    said = judgments_of([response.pk for response in shown])
    return [(response, said[response.pk]) for response in shown]


def judgments_of(responses: Collection[int]) -> dict[int, list[ModelJudgment]]:
    """Judge models' judgments of these responses, with the names of the models, by response; in one query. (A
    prefetch costs many times as much.)
    """
    said = defaultdict(list)
    judgments = ModelJudgment.objects.filter(response__in=responses).select_related("model")
    for judgment in judgments.only("response", "verdict", "model__name").order_by("pk"):
        said[judgment.response_id].append(judgment)
    return said


def run_words(run: Run) -> str:
    return f"{run.pk}: {Truncator(run.name).chars(40)}" if run.name else str(run.pk)


def runs_with_responses() -> QuerySet[Run]:
    return _with_responses(Run.objects.all(), "run")


def runs_that_get_verdicts() -> QuerySet[Run]:
    """Of runs with responses, those of benchmarks with a task whose responses get verdicts."""
    return runs_with_responses().filter(Q(release=None) | Q(release__benchmark__in=benchmarks_of(judged_tasks())))


def _with_responses(rows: QuerySet[Any], name: str) -> QuerySet[Any]:
    """The runs, models or templates with responses."""
    # In the order of the index, or SQLite would look through all responses for a row without any: it expects to find
    # one at once where few rows have them all.
    theirs = Response.objects.filter(**{name: OuterRef("pk")}).order_by(*BY_INDEX[name])
    return rows.alias(any=Subquery(theirs.values("pk")[:1])).filter(any__isnull=False)
