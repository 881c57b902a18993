"""The worker's work for ConflictBank besides calls to models."""

import logging

from celery import shared_task
from django.conf import settings

from core.refusals import Refusal
from core.waking import wake
from judging.making.local_folders import NLI, SENTENCE_ENCODER
from judging.making.local_work import alone

from ..claims.worker import wake_making
from ..evidence import local
from .training import train_waiting, waiting_here

log = logging.getLogger(__name__)


@shared_task(ignore_result=True)
def use_local_models() -> None:
    """Train classifiers, and measure pairs of texts, with the models in folders of this machine. The clock sends
    this; without such models it does nothing.
    """
    if has_folders():
        try:
            if waiting_here().exists() or local.waiting_here().exists():
                alone(work)
        except Refusal as refusal:
            log.warning("What waits for local models goes on waiting: %s", refusal)


def work() -> int:
    """Do all that waits for the local models; returns the number of rows done."""
    # Imported only here: the libraries take a worker hundreds of MB.
    from judging.making.local_models import load_encoder

    return train_waiting(load_encoder) + local.measure_pairs(local.load_measure)


def has_folders() -> bool:
    return any(settings.LOCAL_MODELS.get(measure) for measure in (NLI, SENTENCE_ENCODER))


def wake_all() -> None:
    """Have a worker do immediately what waits besides calls."""
    wake_making()
    wake_local()


def wake_local() -> None:
    """Have a worker use the local models immediately, if there are any."""
    if has_folders():
        wake(use_local_models)
