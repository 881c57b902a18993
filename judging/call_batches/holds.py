"""A worker's hold on a batch: its changes of the row count only while nobody else has taken the batch over."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from core.writing.leases import Hold, LeaseLost

from ..models import BatchState, CallBatch
from ..runs.calls.calls import lease_end


class BatchHold(Hold):
    """The hold on `batch`, with its row as it was last read or saved."""

    def __init__(self, batch: CallBatch):
        mine = CallBatch.objects.filter(pk=batch.pk).exclude(state=BatchState.ENDED)
        super().__init__(batch, mine, lease=timedelta(seconds=settings.CALL_LEASE_SECONDS))
        self.batch = batch

    def save(self, **values: object) -> None:
        """Set these values in the row. Raises LeaseLost if another worker has the hold by now."""
        if not self._mine().update(**values):
            raise LeaseLost
        for name, value in values.items():
            setattr(self.batch, name, value)

    def delete(self) -> None:
        self._mine().delete()


def claim(number: int) -> BatchHold | None:
    """Claim a free batch with pending work."""
    now = timezone.now()
    until = lease_end(now)
    free = CallBatch.objects.filter(Q(lease_expires_at=None) | Q(lease_expires_at__lt=now), pk=number)
    if not free.exclude(state=BatchState.ENDED).update(lease_expires_at=until):
        return None
    batch = CallBatch.objects.select_related("run", "model").get(pk=number)
    # Another worker may have claimed it in between, if this one was asleep.
    return BatchHold(batch) if batch.lease_expires_at == until else None
