"""Drafts for the annotators' desk as paid calls like all others: in a run of their own, under its budget and the
model's limits, taken, sent and landed by the same workers, kept with every attempt."""

from django.db import transaction
from django.utils import timezone

from annotation.errors import Refusal
from annotation.models import Event, MachineDraft
from annotation.project import lock_project
from judging.models import Call, CallState, LanguageModel, ModelKind, Run, RunKind, RunState
from judging.runs import change_state, set_budget

NO_BUDGET_LEFT = "The budget for drafts is used up. An admin can raise it under Settings."


def models_that_draft() -> list[str]:
    offered = LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT)
    return list(offered.values_list("name", flat=True))


@transaction.atomic
def ask(draft: MachineDraft) -> None:
    """Write down the call for a draft; a worker makes it. Raises Refusal where the model cannot be asked now."""
    model = LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT, name=draft.model).first()
    if model is None:
        raise Refusal(f"The model {draft.model} is not offered any more. An admin can name another under Settings.")
    Call.objects.create(run=run_of_drafts(model), model=model, machine_draft=draft)


def run_of_drafts(model: LanguageModel) -> Run:
    """The run that all drafts belong to until an admin cancels it, with the budget of the settings and this model.

    Raises Refusal where it is paused, or its budget is used up. Call it in a transaction.
    """
    budget = lock_project().drafting_budget  # the lock: one run, not two
    run = Run.objects.filter(kind=RunKind.DRAFT).exclude(state=RunState.CANCELLED).first()
    if run is None:
        run = Run.objects.create(
            kind=RunKind.DRAFT, name="Drafts at the desk", state=RunState.RUNNING, started_at=timezone.now()
        )
        Event.record("started", run, after={"state": run.state})
    run.language_models.add(model)
    if run.budget != budget:
        set_budget(run=run, budget=budget)
        if run.state == RunState.STOPPED:
            change_state(run, RunState.RUNNING, among=[RunState.STOPPED], action="resumed", actor=None)
    if message := why_not(run):
        raise Refusal(message)
    return run


def why_not(run: Run) -> str:
    """Why a run of drafts makes no calls; empty if it does."""
    if run.state == RunState.STOPPED:
        return NO_BUDGET_LEFT
    return "" if run.state == RunState.RUNNING else "An admin has stopped drafts for now."


@transaction.atomic
def trouble(draft: MachineDraft) -> str:
    """Why a draft's call brought no reply, in a line; empty while a reply may come by itself.

    A call that waits in a run that makes none is given up: nobody wants the draft any more when it goes on.
    """
    call = Call.objects.select_related("run").filter(machine_draft=draft).first()
    if call is None:
        return "The call for this draft is not there any more."
    if call.state == CallState.PENDING and (message := why_not(call.run)):
        waiting = Call.objects.filter(pk=call.pk, state=CallState.PENDING)
        return message if waiting.update(state=CallState.CANCELLED, ended_at=timezone.now()) else ""
    if call.state == CallState.CANCELLED:
        return "An admin has stopped drafts for now."
    if call.state == CallState.IN_DOUBT:
        return f"In doubt: {call.error} Asking again may be paid twice; a reply that still comes is shown here."
    return call.error if call.state == CallState.FAILED else ""
