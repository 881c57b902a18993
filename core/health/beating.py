"""A worker's signs of life, from its own timer: it stops when the worker's main loop does."""

import logging
import threading
from typing import Any

from celery import __version__ as celery_version
from celery.signals import worker_ready
from celery.worker import state

from ..models import SignKind
from .signs import SIGN_EVERY, give_sign_and_hang_up, look_after_others, process_name, touch

log = logging.getLogger(__name__)

_writing = threading.Lock()


@worker_ready.connect
def begin_to_beat(sender: Any, **_options: object) -> None:
    """Give a sign now and regularly. Celery clears its timer when it loses the broker, and is ready anew after it."""
    beat()
    sender.timer.call_repeatedly(SIGN_EVERY, beat)


def beat() -> None:
    """Renew the file here, and the row in a thread of its own: a database that is slow must not hold up the loop."""
    try:
        touch(SignKind.WORKER)
    except OSError as error:
        log.warning("The worker's sign of life could not be written: %s", error)
    threading.Thread(target=write_row, name="sign-of-life", daemon=True).start()
    look_after_others()


def write_row() -> None:
    """Write the worker's row, unless another thread is still waiting to."""
    if not _writing.acquire(blocking=False):
        return
    try:
        active = len(state.active_requests)
        give_sign_and_hang_up(SignKind.WORKER, process_name(), active=active, celery=celery_version)
    except Exception as error:
        log.warning("The worker's sign of life could not be written: %s", error)
    finally:
        _writing.release()
