"""How a worker is told that something waits. Nothing else in the project sends a message.

What there is to do stands in the rows, and the clock takes up whatever waits without a message
(`CELERY_BEAT_SCHEDULE`). So a message that cannot be sent costs some seconds, never the work, and is no error.
"""

import logging
from functools import partial

from celery import Task
from django.db import transaction
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)

# One more try, for a connection that the broker closed since it was last used.
RETRIES = {"max_retries": 1, "interval_start": 0, "interval_step": 0}


def wake(task: Task, *arguments: int, expires: float | None = None) -> None:
    """Have a worker run `task` with these arguments, once the present transaction is committed.

    `expires` is how many seconds later the message means nothing any more. Raises nothing when the broker is away.
    """
    transaction.on_commit(partial(wake_now, task, *arguments, expires=expires))


def wake_now(task: Task, *arguments: int, expires: float | None = None) -> None:
    """As `wake`, for tasks: what they read of the rows is committed already."""
    try:
        task.apply_async(arguments, expires=expires, retry=True, retry_policy=RETRIES)
    except OperationalError as error:  # Celery's name for whatever keeps a broker from taking a message
        log.warning("No worker was told of %s%s; the clock will: %s", task.name, arguments, error)
