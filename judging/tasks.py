"""Jobs of the worker. A message contains nothing: the rows define the work."""

import logging
import os
import threading
import time

from celery import shared_task
from celery.signals import worker_shutting_down

from core.models import Project
from core.waking import wake

from .catalogue.needs import report_settings
from .models import BatchState, CallBatch, Run, RunState
from .runs.pump import pump_calls, pumping, stopping
from .runs.runs import go_on_starting
from .waking import wake_others

log = logging.getLogger(__name__)

# Seconds for which a stopping worker waits for harvests, imports and the like once no call is in flight.
OTHERS_SECONDS = 12.0


@shared_task(ignore_result=True)
def call_models() -> None:
    """Make the remaining calls. The clock sends this every few seconds, and starting a run sends it immediately; a
    lost, duplicate or late message does no harm.
    """
    report_settings()
    pump_calls()


@shared_task(ignore_result=True)
def send_batches() -> None:
    """Send batches of calls, and poll their providers. The clock sends this."""
    if not has_batches():
        return
    # Imported only here: it loads the client of endpoints, which takes a worker 40 MB.
    from .call_batches.advancing import advance_batches

    advance_batches()


def has_batches() -> bool:
    """Return whether a run sends its calls in batches, or a batch is not over."""
    return (
        CallBatch.objects.exclude(state=BatchState.ENDED).exists()
        or Run.objects.filter(in_batches=True, state=RunState.RUNNING).exists()
    )


@shared_task(ignore_result=True)
def rank_counterparts() -> None:
    """Rank counterparts of tags in the queue with the local model that the settings choose, if any. The clock sends
    this.
    """
    if Project.get().counterparts_model:
        from .making.reranking import rank_waiting

        rank_waiting()


@shared_task(ignore_result=True)
def start_runs() -> None:
    """Continue runs whose process died while writing their calls. Called by the clock."""
    go_on_starting()


@shared_task(ignore_result=True)
def forget_replies() -> None:
    """Delete replies that were kept on disk long enough. Called by the clock."""
    from .runs.calls.journal import forget_old

    forget_old()


def wake_workers() -> None:
    """Wake workers immediately rather than waiting some seconds for the clock."""
    wake(call_models)
    wake_others()
    if has_batches():
        wake(send_batches)


@worker_shutting_down.connect
def stop_taking_calls(**_kwargs) -> None:
    """Have a stopping worker take no more calls, and land those in flight. However long these take, it waits for
    them, and afterwards for a moment for everything else, which another worker continues.
    """
    stopping.set()
    threading.Thread(target=end_after_calls, daemon=True).start()


def end_after_calls() -> None:
    with pumping:  # until the calls in flight have landed
        time.sleep(OTHERS_SECONDS)
    log.warning("This worker ends within other work: the next one continues with it once its lease has run out.")
    os._exit(0)
