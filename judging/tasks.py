"""The worker's tasks. A message contains nothing: the rows say what there is to do."""

from celery import shared_task
from celery.signals import worker_shutting_down

from core.waking import wake

from .catalogue.needs import report_settings
from .models import BatchState, CallBatch, Run, RunState
from .runs.pump import pump_calls, stopping
from .runs.runs import go_on_starting
from .waking import wake_others


@shared_task(ignore_result=True)
def call_models() -> None:
    """Make the remaining calls. The clock sends this every few seconds, and starting a run sends it at once; a lost,
    duplicate or late message does no harm."""
    report_settings()
    pump_calls()


@shared_task(ignore_result=True)
def send_batches() -> None:
    """Send batches of calls, and ask for those at their providers. The clock sends this."""
    if not has_batches():
        return
    # Imported only here: it loads the client of endpoints, which takes a worker 40 MB.
    from .call_batches.advancing import advance_batches

    advance_batches()


def has_batches() -> bool:
    """Whether a run sends its calls in batches, or a batch is not over."""
    return (
        CallBatch.objects.exclude(state=BatchState.ENDED).exists()
        or Run.objects.filter(in_batches=True, state=RunState.RUNNING).exists()
    )


@shared_task(ignore_result=True)
def start_runs() -> None:
    """Called by the clock: continues runs whose process died while writing their calls."""
    go_on_starting()


def wake_workers() -> None:
    """Wake workers at once rather than waiting some seconds for the clock."""
    wake(call_models)
    wake_others()
    if has_batches():
        wake(send_batches)


@worker_shutting_down.connect
def stop_taking_calls(**_kwargs) -> None:
    """A worker that is told to stop takes no more calls, and lands those in flight."""
    stopping.set()
