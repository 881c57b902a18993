"""Admins' actions on several runs together."""

from collections.abc import Callable, Sequence

from django.db import models

from core.languages import say
from core.lists.bulk import do_to_all
from core.refusals import Refusal

from ..models import Call, Run
from .repeating import refuse_cancelled, retry_failed
from .runs import Actor, cancel_pending, end_run, pause_run, resume_run


class RunAction(models.TextChoices):
    PAUSE = "pause", say("Pause")
    RESUME = "resume", say("Continue")
    RETRY = "retry", say("Repeat failed calls")
    CANCEL = "cancel", say("Cancel")


RULES: dict[str, Callable[..., object]] = {
    RunAction.PAUSE: pause_run,
    RunAction.RESUME: resume_run,
    RunAction.CANCEL: end_run,
}


def change_runs(*, runs: Sequence[Run], action: str, actor: Actor) -> int:
    """Apply this to all of the runs, or to none: raises Refusal, naming the run, if its state does not allow it.
    Returns the number of runs; for failed calls, the number of repeated calls.

    As with one run, remaining calls are cancelled or reopened afterwards, in pieces.
    """
    if action == RunAction.RETRY:
        do_to_all(runs, refuse_cancelled, name=_name)
        return sum(retry_failed(run=run, actor=actor) for run in runs)
    if action not in RULES:
        raise Refusal(say("Choose an action for the selected runs. Nothing was changed."), status=400)
    count = do_to_all(runs, lambda run: RULES[action](run=run, actor=actor), name=_name)
    if action == RunAction.CANCEL:
        cancel_pending(Call.objects.filter(run__in=runs))
    return count


def _name(run: Run) -> str:
    return say("Run {number}", number=run.pk)
