"""Suggestions for the annotators' desk as paid calls like all others: in a separate run, under its budget and the
model's limits, taken, sent and landed by the same workers, and kept with every attempt.
"""

from django.db import transaction
from django.utils import timezone

from annotation.models import ModelSuggestion
from core.languages import say
from core.models import Event
from core.project import lock_project
from core.refusals import Refusal

from ..models import Call, CallState, JudgingAction, LanguageModel, ModelKind, Run, RunKind, RunState
from .runs import change_state, set_budget

NO_BUDGET_LEFT = "The budget for suggestions is used up. An admin can raise it under Settings."


def models_that_suggest() -> list[str]:
    offered = LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT)
    return list(offered.values_list("name", flat=True))


@transaction.atomic
def ask(suggestion: ModelSuggestion) -> None:
    """Record the call for a suggestion; a worker makes it. Raises Refusal if the model cannot be asked now."""
    model = LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT, name=suggestion.model).first()
    if model is None:
        raise Refusal(
            say(
                "The model {model} is no longer offered. An admin can name another under Settings.",
                model=suggestion.model,
            )
        )
    Call.objects.create(run=run_of_suggestions(model), model=model, purpose="suggestion", model_suggestion=suggestion)


def run_of_suggestions(model: LanguageModel) -> Run:
    """The run that all suggestions belong to until an admin cancels it, with the settings' budget and this model.

    Raises Refusal if it is paused or its budget is used up. Call it in a transaction.
    """
    budget = lock_project().suggestion_budget  # the lock: one run, not two
    run = Run.objects.filter(kind=RunKind.SUGGESTION).exclude(state=RunState.CANCELLED).first()
    if run is None:
        run = Run.objects.create(
            kind=RunKind.SUGGESTION, name="Suggestions at the desk", state=RunState.RUNNING, started_at=timezone.now()
        )
        Event.record(JudgingAction.STARTED, run, after={"state": run.state})
    run.language_models.add(model)
    if run.budget != budget:
        set_budget(run=run, budget=budget)
        if run.state == RunState.STOPPED:
            change_state(run, RunState.RUNNING, among=[RunState.STOPPED], action=JudgingAction.RESUMED, actor=None)
    if message := why_not(run):
        raise Refusal(message)
    return run


def why_not(run: Run) -> str:
    """The reason why the run of suggestions makes no calls; "" if it does."""
    if run.state == RunState.STOPPED:
        return NO_BUDGET_LEFT
    return "" if run.state == RunState.RUNNING else "An admin has stopped suggestions for now."


@transaction.atomic
def trouble(suggestion: ModelSuggestion) -> str:
    """The reason why a suggestion's call has no reply, in one line; "" while a reply may still come.

    A call waiting in a stopped run is given up: by the time the run continues, nobody needs the suggestion.
    """
    call = Call.objects.select_related("run").filter(model_suggestion=suggestion).first()
    if call is None:
        return say("The call for this suggestion no longer exists.")
    if call.state == CallState.PENDING and (message := why_not(call.run)):
        waiting = Call.objects.filter(pk=call.pk, state=CallState.PENDING)
        return message if waiting.update(state=CallState.CANCELLED, ended_at=timezone.now()) else ""
    if call.state == CallState.CANCELLED:
        return "An admin has stopped suggestions for now."
    if call.state == CallState.IN_DOUBT:
        return f"In doubt: {call.error} Asking again may be paid twice; a reply that still comes is shown here."
    return call.error if call.state == CallState.FAILED else ""
