"""For admins: models, templates, runs, responses."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response as Answer

from core.api.doors import LINES_ONLY, AdminDoor, JSONLines, Sent, gives, lists, takes
from core.api.forms import body_of, filled_in, questionnaire_of
from core.api.serializers import ChangedOut, change_of
from core.engine.queries.parameters import Numbers
from core.lists.bulk import all_of
from core.lists.filters import Filters, RowField
from core.refusals import Refusal

from ..catalogue.language_models import add_model, change_model, is_used, offer_model
from ..catalogue.prompt_templates import add_template
from ..files.exports import JUDGMENT_FORMATS, RESPONSE_FORMATS, response_records
from ..forms import BudgetForm, JudgeRunForm, RunForm, TemplateForm
from ..model_form import ModelForm
from ..models import LanguageModel, ModelKind, PromptTemplate, Response, Run, RunKind, RunState
from ..responses.listing import ResponseFilters, judged, shown_responses
from ..runs import runs as rules
from ..runs.blinding import refuse_names
from ..runs.bulk import RunAction, change_runs
from ..runs.plan import plan_run
from ..runs.progress.progress import progress_of
from ..runs.visibility import hides_outcomes, refuse_plan
from ..tasks import wake_workers
from ..views.templates import NEW
from .serializers import ModelOut, ResponseOut, RunOut, TemplateOut, WholeRunOut


class Models(AdminDoor):
    confirms = True

    @lists(ModelOut)
    def get(self, request: Any) -> Answer:
        """All models that answer or judge, newest first."""
        return self.page(LanguageModel.objects.all(), "-pk", gives=ModelOut)

    @takes(body_of(ModelForm), ModelOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Answer:
        """Add a model at an endpoint. Its key stays in a variable of the server: only the name is sent."""
        values = filled_in(ModelForm, sent, instance=LanguageModel())
        return Answer(ModelOut(add_model(actor=request.user, **values)).data, status=201)


class OneModel(AdminDoor):
    confirms = True

    @gives(ModelOut)
    def get(self, request: Any, pk: int) -> Answer:
        """One model."""
        return Answer(ModelOut(get_object_or_404(LanguageModel, pk=pk)).data)

    @takes(body_of(ModelForm), ModelOut)
    def patch(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Change a model at an endpoint; omitted members are unchanged. Settings that determine a used model's
        answers cannot change.
        """
        row = get_object_or_404(LanguageModel, pk=pk)
        if row.kind != ModelKind.ENDPOINT:
            raise Refusal(f"{row} has no settings to change.")
        values = filled_in(ModelForm, sent, instance=row, is_used=is_used(row))
        return Answer(ModelOut(change_model(model=row, actor=request.user, **values)).data)


class OfferIn(Sent):
    """Allow or forbid new runs to use it."""

    is_offered = serializers.BooleanField()


class ModelOffer(AdminDoor):
    @takes(OfferIn, ModelOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Offer a model for new runs, or stop offering it. Runs that use it continue."""
        row = get_object_or_404(LanguageModel, pk=pk)
        return Answer(ModelOut(offer_model(model=row, actor=request.user, **sent)).data)


class Templates(AdminDoor):
    @lists(TemplateOut)
    def get(self, request: Any) -> Answer:
        """The prompt templates that a new run may use, of all benchmarks: the current version of each, and every
        published wording of a task."""
        return self.page(PromptTemplate.objects.offered(), "pk", gives=TemplateOut)

    @takes(body_of(TemplateForm), TemplateOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Answer:
        """A new template or, with an existing code, its next version. Earlier versions are unchanged."""
        template = questionnaire_of(TemplateForm, sent, initial=NEW).template()
        return Answer(TemplateOut(add_template(actor=request.user, template=template)).data, status=201)


# --- Runs ---------------------------------------------------------------------------------------------------------


class RunFilters(Filters):
    """The filters of runs. A release is given by its number in its name, other rows by their `id`."""

    release = RowField(label="The number of a release")
    model = RowField(label="The id of a model of the run")
    template = RowField(label="The id of a prompt")
    round = RowField(label="The id of a round in which responses of the run are judged")
    state = forms.ChoiceField(choices=RunState.choices)
    kind = forms.ChoiceField(choices=RunKind.choices)

    COLUMNS: ClassVar = {
        "release": "release__number",
        "model": "language_models",
        "template": "templates",
        "round": "rounds",
        "state": "state",
        "kind": "kind",
    }

    def among(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        for name, column in self.COLUMNS.items():
            if self.chosen[name] != "":
                runs = runs.filter(pk__in=Run.objects.filter(**{column: self.chosen[name]}).order_by().values("pk"))
        return runs


class Runs(AdminDoor):
    @lists(RunOut, RunFilters)
    def get(self, request: Any) -> Answer:
        """All runs, newest first."""
        rows = Run.objects.select_related("created_by", "release").prefetch_related("language_models")
        filters = self.filters(RunFilters)
        if filters.chosen["round"] != "":
            refuse_names(request.user)
        return self.page(filters.among(rows), "-pk", gives=RunOut)

    @takes(body_of(RunForm), WholeRunOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Answer:
        """Plan a run in which models answer. Nothing is asked before it is started."""
        return _whole(request, rules.create_run(actor=request.user, **filled_in(RunForm, sent)).pk, status=201)


class JudgeRuns(AdminDoor):
    @takes(body_of(JudgeRunForm), WholeRunOut, status=201)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Answer:
        """Plan a run in which models judge the responses of other runs, or some of them (`responses`)."""
        run = rules.create_judge_run(actor=request.user, **filled_in(JudgeRunForm, sent))
        return _whole(request, run.pk, status=201)


def _whole(request: Any, pk: int, *, status: int = 200) -> Answer:
    run = get_object_or_404(Run.objects.select_related("created_by", "release"), pk=pk)
    is_planned = run.state == RunState.PLANNED
    if is_planned:
        refuse_plan(run, request.user)
    has_progress = not is_planned and not hides_outcomes(run, request.user)
    run.plan = plan_run(run) if is_planned else None  # type: ignore[attr-defined]
    run.progress = progress_of(run, reader=request.user) if has_progress else None  # type: ignore[attr-defined]
    return Answer(WholeRunOut(run).data, status=status)


class OneRun(AdminDoor):
    @gives(WholeRunOut)
    def get(self, request: Any, pk: int) -> Answer:
        """A run with its plan or its progress."""
        return _whole(request, pk)


def _change(request: Any, pk: int, rule: Callable, **values: Any) -> Answer:
    rule(run=get_object_or_404(Run, pk=pk), actor=request.user, **values)
    wake_workers()
    return _whole(request, pk)


class RunStart(AdminDoor):
    @takes(None, WholeRunOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Start a planned run: from now on it asks, and may cost money."""
        return _change(request, pk, rules.start_run)


class RunsChange(AdminDoor):
    @takes(change_of(RunAction), ChangedOut)
    def post(self, request: Any, sent: Mapping[str, Any]) -> Answer:
        """Pause several runs (`pause`), resume them (`resume`), repeat their failed calls (`retry`) or cancel
        them (`cancel`): all, or none."""
        chosen = all_of(Run.objects.all(), sent["ids"])
        count = change_runs(runs=chosen, action=sent["action"], actor=request.user)
        wake_workers()
        return Answer({"changed": count})


class RunPause(AdminDoor):
    @takes(None, WholeRunOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Pause a run. Replies to calls in flight are kept."""
        return _change(request, pk, rules.pause_run)


class RunResume(AdminDoor):
    @takes(None, WholeRunOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Resume a paused run."""
        return _change(request, pk, rules.resume_run)


class RunCancel(AdminDoor):
    @takes(None, WholeRunOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Cancel a run. Replies so far are kept."""
        return _change(request, pk, rules.cancel_run)


class RunBudget(AdminDoor):
    @takes(body_of(BudgetForm), WholeRunOut)
    def post(self, request: Any, sent: Mapping[str, Any], pk: int) -> Answer:
        """Set another budget; null for none."""
        return _change(request, pk, rules.set_budget, budget=filled_in(BudgetForm, sent)["budget"])


class RunJudgments(AdminDoor):
    renderer_classes = (JSONLines,)

    @gives(OpenApiTypes.STR, LINES_ONLY)
    def get(self, request: Any, pk: int) -> HttpResponseBase:
        """The judgments of a run's judge models, one per line."""
        refuse_names(request.user)
        run = get_object_or_404(Run, pk=pk)
        return self.lines(f"judgments-run-{pk}", JUDGMENT_FORMATS["jsonl"](run.judgments.all()))


# --- Responses ----------------------------------------------------------------------------------------------------


class Responses(AdminDoor):
    renderer_classes = (JSONRenderer, JSONLines)

    @lists(ResponseOut, ResponseFilters, streams=True)
    def get(self, request: Any) -> HttpResponseBase:
        """Responses by question, model and template. As JSON Lines, the records of the export."""
        refuse_names(request.user)
        filters = self.filters(ResponseFilters)
        if self.wants_lines:
            return self.lines("responses", RESPONSE_FORMATS["jsonl"](filters.responses()))
        return self.page(filters.responses(), gives=ResponseOut, window=filters.window(), fetch=_with_verdicts)


def _with_verdicts(responses: Numbers) -> Iterable[Response]:
    for response, said in judged(shown_responses(responses)):
        response.said = said  # type: ignore[attr-defined]
        yield response


class OneResponse(AdminDoor):
    @gives(OpenApiTypes.OBJECT)
    def get(self, request: Any, key: UUID) -> Answer:
        """The whole record of a response, as in exports."""
        refuse_names(request.user)
        record = next(response_records(Response.objects.filter(key=key)), None)
        if record is None:
            raise Http404
        return Answer(record)
