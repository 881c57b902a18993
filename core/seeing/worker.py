"""One line of the log for each task of the worker that did something."""

import logging
import time
from typing import Any

import structlog
from celery import Task
from celery.signals import before_task_publish, task_failure, task_postrun, task_prerun

log = logging.getLogger(__name__)

# The clock has a worker look for work about once a second. A look that found none is over sooner, and gets no line.
FOUND_WORK_SECONDS = 1.0
REQUEST_ID = "request_id"

_running: dict[str, tuple[float, dict[str, Any]]] = {}


@before_task_publish.connect
def pass_on_number(headers: dict[str, Any] | None = None, **_options: object) -> None:
    """Send the number of the request that wakes the worker along with the message."""
    number = structlog.contextvars.get_contextvars().get(REQUEST_ID)
    if number and headers is not None:
        headers[REQUEST_ID] = number


@task_prerun.connect
def begin(task_id: str, task: Task, **_options: object) -> None:
    """Give all lines of this task its name and number."""
    bound = {"task": task.name, "task_id": task_id}
    if number := task.request.get(REQUEST_ID):
        bound[REQUEST_ID] = str(number)[:64]
    _running[task_id] = time.monotonic(), dict(structlog.contextvars.bind_contextvars(**bound))


@task_failure.connect
def tell_of_failure(exception: BaseException | None = None, args: Any = (), **_options: object) -> None:
    log.error("task failed", exc_info=exception, extra=_of(args))


@task_postrun.connect
def end(task_id: str, args: Any = (), state: str | None = None, **_options: object) -> None:
    """Write the line, and take the name off further lines."""
    began, tokens = _running.pop(task_id, (time.monotonic(), {}))
    seconds = time.monotonic() - began
    has_worked = bool(args) or seconds >= FOUND_WORK_SECONDS
    log.log(
        logging.INFO if has_worked else logging.DEBUG,
        "task",
        extra={"ms": round(seconds * 1000, 1), "status": str(state or "unknown").lower()} | _of(args),
    )
    structlog.contextvars.reset_contextvars(**tokens)


def _of(args: Any) -> dict[str, int]:
    """The number of the row that the task is about, if it is about one."""
    first = next(iter(args or ()), None)
    return {"of": first} if isinstance(first, int) else {}
