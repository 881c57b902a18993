"""The worker's work with local models: one row at a time, each with a lease. A killed worker loses only its current
row, which the next worker repeats.
"""

from collections.abc import Callable
from datetime import timedelta
from threading import Lock
from typing import TypeVar

from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from ..runs.pump import stopping

LEASE = timedelta(minutes=10)
# Only one thread of a worker process measures, as each thread would load the model again.
_busy = Lock()
Row = TypeVar("Row", bound=Model)


def free() -> Q:
    """Rows without a lease, or whose lease has expired."""
    return Q(lease_expires_at=None) | Q(lease_expires_at__lt=timezone.now())


def alone(work: Callable[[], int]) -> int:
    """Do this work, unless another thread of this process uses local models; returns the number of rows done."""
    if not _busy.acquire(blocking=False):
        return 0
    try:
        return work()
    finally:
        _busy.release()


def do_each(waiting: Callable[[], QuerySet[Row]], do: Callable[[Row], None]) -> int:
    """Take the waiting rows, one after the other, and do what they wait for; returns their number. Stops after the
    current one when the worker stops.

    Args:
        waiting: the rows that still wait, among which those of others are `free`.
        do: saves the result of a row, which then waits no longer.
    """
    done = 0
    while not stopping.is_set() and (row := waiting().first()) is not None:
        if take(row):
            do(row)
            done += 1
    return done


def take(row: Model) -> bool:
    """Take a row with a lease, or renew the one that was read; False if another worker was faster."""
    same = type(row)._default_manager.filter(pk=row.pk, lease_expires_at=row.lease_expires_at)  # type: ignore[attr-defined]
    until = timezone.now() + LEASE
    if not same.update(lease_expires_at=until):
        return False
    row.lease_expires_at = until  # type: ignore[attr-defined]
    return True
