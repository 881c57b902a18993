"""What admins do with several runs at once."""

from collections.abc import Sequence

from django.db import models

from core.lists.bulk import do_to_all
from core.refusals import Refusal

from ..models import Call, Run
from .repeating import refuse_cancelled, retry_failed
from .runs import Actor, cancel_pending, end_run, pause_run, resume_run


class RunAction(models.TextChoices):
    PAUSE = "pause", "Pause"
    RESUME = "resume", "Continue"
    RETRY = "retry", "Repeat failed calls"
    CANCEL = "cancel", "Cancel"


def change_runs(*, runs: Sequence[Run], action: str, actor: Actor) -> int:
    """Do this with all of the runs, or with none: raises Refusal, naming the run, if its state does not allow it.
    Returns how many runs there were; for failed calls, how many calls are repeated.

    As with one run, remaining calls are cancelled or reopened afterwards, in pieces.
    """
    if action == RunAction.PAUSE:
        return do_to_all(runs, lambda run: pause_run(run=run, actor=actor), name=_name)
    if action == RunAction.RESUME:
        return do_to_all(runs, lambda run: resume_run(run=run, actor=actor), name=_name)
    if action == RunAction.CANCEL:
        count = do_to_all(runs, lambda run: end_run(run=run, actor=actor), name=_name)
        cancel_pending(Call.objects.filter(run__in=runs))
        return count
    if action == RunAction.RETRY:
        do_to_all(runs, refuse_cancelled, name=_name)
        return sum(retry_failed(run=run, actor=actor) for run in runs)
    raise Refusal("Choose what to do with the ticked runs. Nothing was changed.", status=400)


def _name(run: Run) -> str:
    return f"Run {run.pk}"
