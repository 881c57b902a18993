"""Background work of the clock, and the worker's signs of life."""

from celery import shared_task

from ..models import SignKind
from . import beating  # noqa: F401  # its signs begin once a worker is ready
from .signs import forget_old_signs, give_sign, last_sign


@shared_task(ignore_result=True)
def sign_work() -> None:
    """Record that a message of the clock has reached a worker. Called by the clock."""
    give_sign(SignKind.WORK)
    # On a new site, and on one that has just been upgraded, nobody waits for the night.
    if last_sign(SignKind.SUMS) is None:
        check_sums_nightly()


@shared_task(ignore_result=True)
def check_sums_nightly() -> None:
    """Compare the kept sums with their rows, and record the result for `doctor`. Called by the clock."""
    # Imported only here: it reads all migrations.
    from .sums import record_sums

    record_sums()


@shared_task(ignore_result=True)
def clear_signs() -> None:
    """Delete signs of processes that ended long ago. Called by the clock."""
    forget_old_signs()
