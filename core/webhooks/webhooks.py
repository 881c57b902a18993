"""Admins' actions on webhooks: add one, change it, test it, send a message again."""

import secrets
from collections.abc import Collection

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ..languages import say
from ..models import CoreAction, Delivery, DeliveryState, Event, User, Webhook
from ..outside import required_text
from ..refusals import Refusal
from ..waking import wake
from .addresses import check_address
from .outbox import PING, registered_events, write
from .signing import secret_of
from .tasks import deliver

MOST_WEBHOOKS = 20


def add_webhook(*, admin: User, url: str, events: Collection[str], about: str = "") -> tuple[Webhook, str]:
    """Add an address that is sent these events. Returns its row with the secret, which is shown only once.

    Raises Refusal if the deployment sends nothing there, if no event is chosen or one is unknown, or if there are too
    many webhooks.
    """
    url = required_text(url, say("Give the address. No webhook was added."))
    check_address(url)
    chosen = _checked(events)
    with transaction.atomic():
        if Webhook.objects.count() >= MOST_WEBHOOKS:
            raise Refusal(
                say(
                    "There are {most_webhooks} webhooks already. Change one that is no longer needed.",
                    most_webhooks=MOST_WEBHOOKS,
                )
            )
        webhook = Webhook.objects.create(
            url=url, about=about.strip(), events=chosen, salt=secrets.token_hex(32), created_by=admin
        )
        Event.record(CoreAction.ADDED_WEBHOOK, webhook, actor=admin, after={"url": url, "events": chosen})
    return webhook, secret_of(webhook.salt)


def _checked(events: Collection[str]) -> list[str]:
    known = {event.name for event in registered_events()}
    if not events or not known.issuperset(events):
        raise Refusal(say("Choose which events to send to the address. Nothing was changed."), status=400)
    return sorted(set(events))


@transaction.atomic
def change_webhook(*, webhook: Webhook, admin: User, events: Collection[str], is_on: bool) -> bool:
    """Choose other events, and turn the webhook on or off; returns whether anything changed. While it is off, no
    messages are written for it, and waiting ones keep waiting.
    """
    webhook = Webhook.objects.select_for_update().get(pk=webhook.pk)
    before = {"events": webhook.events, "is_on": webhook.is_on}
    after = {"events": _checked(events), "is_on": is_on}
    if before == after:
        return False
    if is_on:
        check_address(webhook.url)
    Webhook.objects.filter(pk=webhook.pk).update(**after)
    Event.record(CoreAction.CHANGED_WEBHOOK, webhook, actor=admin, before=before, after=after)
    return True


@transaction.atomic
def make_secret(*, webhook: Webhook, admin: User) -> str:
    """Give the webhook another secret, from the next attempt on; returns it, which is shown only once."""
    salt = secrets.token_hex(32)
    Webhook.objects.filter(pk=webhook.pk).update(salt=salt)
    Event.record(CoreAction.MADE_SECRET, webhook, actor=admin)
    return secret_of(salt)


@transaction.atomic
def ping(*, webhook: Webhook) -> None:
    """Send a test message. Raises Refusal if the webhook is off."""
    if not webhook.is_on:
        raise Refusal(say("This webhook is inactive. Activate it first."))
    write(PING, {}, [webhook])


@transaction.atomic
def send_again(*, delivery: Delivery, admin: User) -> None:
    """Send a message again, under its old id. Raises Refusal if it is being sent right now, or if its webhook is
    off.
    """
    now = timezone.now()
    if not delivery.webhook.is_on:
        raise Refusal(say("This webhook is inactive. Activate it first."))
    free = Delivery.objects.filter(Q(lease_expires_at=None) | Q(lease_expires_at__lt=now), pk=delivery.pk)
    if not free.update(state=DeliveryState.WAITING, tries=0, not_before=now, lease_expires_at=None):
        raise Refusal(say("This message is being sent right now."))
    # About the webhook: gaps between the numbers of messages would tell of those that the reader may not know of.
    Event.record(CoreAction.SENT_AGAIN, delivery.webhook, actor=admin, after={"message": str(delivery.key)})
    wake(deliver, delivery.pk, expires=60)
