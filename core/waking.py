"""Tells a worker that work is waiting. Nothing else in the project sends messages.

The rows say what there is to do, and the clock (`CELERY_BEAT_SCHEDULE`) picks up whatever is waiting without a
message. So a message that cannot be sent delays the work by some seconds, but never loses it, and is not an error.
"""

import logging
from functools import partial

from celery import Task
from django.db import transaction
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)

# One retry, as the broker may have closed the connection since it was last used.
RETRIES = {"max_retries": 1, "interval_start": 0, "interval_step": 0}


def wake(task: Task, *arguments: int, expires: float | None = None) -> None:
    """Have a worker run `task` (a worker job) with these arguments once the current transaction is committed.

    The message lapses after `expires` seconds. Raises nothing if the broker is down.
    """
    transaction.on_commit(partial(wake_now, task, *arguments, expires=expires))


def wake_now(task: Task, *arguments: int, expires: float | None = None) -> None:
    """Like `wake`, but immediately; for worker jobs, whose rows are already committed."""
    try:
        task.apply_async(arguments, expires=expires, retry=True, retry_policy=RETRIES)
    # Celery raises the first for anything that keeps a broker from taking a message; a full disk keeps a folder of
    # messages from it. The row is committed already, so the request has succeeded.
    except (OperationalError, OSError) as error:
        log.warning("No worker was notified of %s%s; the schedule will start it: %s", task.name, arguments, error)
