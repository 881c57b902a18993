"""Work that is in progress while workers are drained. Apps register theirs."""

from collections.abc import Callable

from django.utils import timezone

from ..models import Delivery, DeliveryState
from ..words import plural

# In words, each with its number, such as "3 calls in flight". Empty if there is none.
Left = Callable[[], list[str]]
_left: list[Left] = []


def register_left(left: Left) -> None:
    _left.append(left)


def left() -> list[str]:
    """The work in progress that must end before a worker is stopped, in words."""
    return [words for each in _left for words in each()] + _webhooks_left()


def _webhooks_left() -> list[str]:
    held = Delivery.objects.filter(state=DeliveryState.WAITING, lease_expires_at__gt=timezone.now()).count()
    return [plural(held, "message to a webhook", "messages to webhooks")] if held else []
