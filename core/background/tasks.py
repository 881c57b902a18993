"""The worker's part of the work that people asked for on pages."""

from celery import shared_task

from ..waking import wake
from .works import works_to_take_up


@shared_task(ignore_result=True)
def do_background_work() -> None:
    """Do what waits. Asking for work sends this immediately, and the clock sends it."""
    if not works_to_take_up().exists():
        return
    from .doing import do_waiting

    do_waiting()


def wake_background_work() -> None:
    """Have a worker do it once the current transaction is committed."""
    wake(do_background_work)
