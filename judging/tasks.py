"""The doors of the worker. A message holds nothing: what there is to do stands in the rows."""

from celery import shared_task
from celery.signals import worker_shutting_down

from core.waking import wake

from .runs.pump import pump_calls, stopping
from .runs.runs import go_on_starting


@shared_task(ignore_result=True)
def call_models() -> None:
    """Make the calls that are left. The clock sends it every few seconds, whoever starts a run at once; lost, doubled
    or late, it does no harm."""
    pump_calls()


@shared_task(ignore_result=True)
def start_runs() -> None:
    """Called by the clock: takes up runs whose process died while it wrote their calls."""
    go_on_starting()


def wake_workers() -> None:
    """So that nobody waits for the clock, which would wake them within seconds."""
    wake(call_models)


@worker_shutting_down.connect
def stop_taking_calls(**_kwargs) -> None:
    """A worker that is asked to end takes no more calls, and lands those that are on their way."""
    stopping.set()
