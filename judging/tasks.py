"""The doors of the worker. A message holds nothing: what there is to do stands in the rows."""

from celery import shared_task
from celery.signals import worker_shutting_down
from django.db import transaction

from judging.worker import pump_calls, stopping


@shared_task(ignore_result=True)
def call_models() -> None:
    """Make the calls that are left. The clock sends it every few seconds, whoever starts a run at once; lost, doubled
    or late, it does no harm."""
    pump_calls()


def wake_workers() -> None:
    """So that nobody waits for the clock, which would wake them within seconds; without a broker that has to do."""
    transaction.on_commit(call_models.delay, robust=True)


@worker_shutting_down.connect
def stop_taking_calls(**_kwargs) -> None:
    """A worker that is asked to end takes no more calls, and lands those that are on their way."""
    stopping.set()
