"""The worker's work for ContraDoc besides calls to models."""

from celery import shared_task
from django.conf import settings

from core.waking import wake
from judging.making.local_work import alone

from .measuring import measure_here, waiting_here


@shared_task(ignore_result=True)
def measure() -> None:
    """Measure texts with the models in folders of this machine. The clock sends this; without such models it does
    nothing."""
    if any(settings.LOCAL_MODELS.values()) and waiting_here().exists():
        # Imported only here: the libraries take a worker hundreds of MB.
        from .local_models import load_local

        alone(lambda: measure_here(load_local))


def wake_measuring() -> None:
    """Have a worker measure immediately, if there are local models."""
    if any(settings.LOCAL_MODELS.values()):
        wake(measure)
