"""A worker's hold on its current row: a lease in `lease_expires_at`, which the worker renews.

A worker that dies stops renewing; once its lease has lapsed, the next one may claim the row.
"""

from datetime import timedelta
from typing import Any

from django.db.models import Model, QuerySet
from django.utils import timezone


class LeaseLost(Exception):
    """Raised when the work was cancelled, or taken over by another worker: nothing more may be stored."""


class Hold:
    """A worker's hold on `row`, which it has just claimed; `held` finds that row while a worker has it."""

    def __init__(self, row: Any, held: QuerySet[Model], *, lease: timedelta):
        self._held, self._lease = held, lease
        # The last two: after a rollback, the row has the one before.
        self.leases = [row.lease_expires_at or timezone.now()]

    def renew(self) -> None:
        """Extend the lease. Raises LeaseLost if it is no longer this worker's."""
        until = timezone.now() + self._lease
        if not self._mine().update(lease_expires_at=until):
            raise LeaseLost
        self.leases = [self.leases[-1], until]

    def renew_when_due(self) -> None:
        if self.leases[-1] - timezone.now() < self._lease * 0.8:
            self.renew()

    def let_go(self, **values: object) -> bool:
        """End the hold and set these values in the row; returns whether it was still held."""
        return bool(self._mine().update(lease_expires_at=None, **values))

    def _mine(self) -> QuerySet[Model]:
        return self._held.filter(lease_expires_at__in=self.leases)
