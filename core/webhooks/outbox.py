"""The kinds of events and the messages about them, written in the transaction of the event."""

import json
from collections.abc import Callable, Mapping
from typing import Protocol

from django.db.models import QuerySet
from django.utils import timezone

from ..languages import say
from ..models import Delivery, HookEvent, User, Webhook
from ..waking import wake
from .tasks import deliver

# An admin sends it to try an address out.
PING = HookEvent("ping", say("A test from the page"))

_events: dict[str, HookEvent] = {}


class IsHidden(Protocol):
    def __call__(self, reader: User, /) -> bool:
        """Return whether messages about an event are hidden from this person."""


# By the name of an event.
_hidden: dict[str, IsHidden] = {}


def register(*events: HookEvent) -> None:
    """Offer these events to webhooks. Each app does so when it starts."""
    _events.update({event.name: event for event in events})


def register_hidden(event: HookEvent, is_hidden: IsHidden) -> None:
    """Hide messages about this event from some people: its existence would reveal other people's work."""
    _hidden[event.name] = is_hidden


def known_deliveries(reader: User) -> QuerySet[Delivery]:
    """The messages that this person may know of."""
    return Delivery.objects.exclude(event__in=[name for name, is_hidden in _hidden.items() if is_hidden(reader)])


def registered_events() -> list[HookEvent]:
    return sorted(_events.values(), key=lambda event: event.name)


def names_of_events() -> list[str]:
    """The names that messages can have: the registered events, and the test event."""
    return [event.name for event in (*registered_events(), PING)]


def announce(event: HookEvent, data: Callable[[], Mapping[str, object]]) -> None:
    """Write a message for each webhook subscribed to this event. Call it in the transaction that makes the event.
    `data` is called only if there is such a webhook; it contains nothing that some people may not know, as the
    readers of a message are unknown.
    """
    wanting = [webhook for webhook in Webhook.objects.filter(is_on=True) if event.name in webhook.events]
    if wanting:
        write(event, data(), wanting)


def write(event: HookEvent, data: Mapping[str, object], webhooks: list[Webhook]) -> None:
    """Write the message for these webhooks, and wake a worker once that is committed."""
    now = timezone.now()
    body = json.dumps({"type": event.name, "timestamp": now.isoformat(), "data": dict(data)}, ensure_ascii=False)
    for webhook in webhooks:
        row = Delivery.objects.create(webhook=webhook, event=event.name, body=body, created_at=now, not_before=now)
        wake(deliver, row.pk, expires=60)
