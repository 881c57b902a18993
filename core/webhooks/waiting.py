"""Messages due to be sent: a worker holds a message through a lease while it sends it."""

from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ..keeping.sending import may_send
from ..models import Delivery, DeliveryState

LEASE = timedelta(minutes=2)
AT_A_TIME = 50
KEPT = timedelta(days=60)


def _free(now: datetime) -> QuerySet[Delivery]:
    unheld = Q(lease_expires_at=None) | Q(lease_expires_at__lt=now)
    return Delivery.objects.filter(unheld, state=DeliveryState.WAITING, not_before__lte=now, webhook__is_on=True)


def due() -> list[int]:
    """The keys of messages waiting to be sent, those due first. Messages of a webhook that is off keep waiting."""
    if not may_send():
        return []
    return list(_free(timezone.now()).order_by("not_before").values_list("pk", flat=True)[:AT_A_TIME])


def claim(pk: int) -> Delivery | None:
    """Hold the message for this worker, and count one more try; None if another holds it, it is not due, or nothing
    may be sent.
    """
    if not may_send():
        return None
    now = timezone.now()
    taken = _free(now).filter(pk=pk).update(lease_expires_at=now + LEASE, tries=F("tries") + 1)
    return Delivery.objects.select_related("webhook").get(pk=pk) if taken else None


def forget_old() -> None:
    """Delete messages that were delivered or given up long ago."""
    over = Delivery.objects.exclude(state=DeliveryState.WAITING).filter(created_at__lt=timezone.now() - KEPT)
    for delivery in over.order_by("created_at")[:AT_A_TIME]:
        delivery.delete()
