"""Webhook addresses, the messages for each, and every attempt to send them."""

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from ..languages import say


@dataclass(frozen=True, slots=True)
class HookEvent:
    """A kind of event for webhooks: the name in the message, and the words on the page."""

    name: str
    label: str


class Webhook(models.Model):
    """An address to which messages about some kinds of events are sent. Its secret is not stored: it is computed from
    `salt` and the site's own key (`core.webhooks.signing`)."""

    url = models.CharField(max_length=500)
    about = models.CharField(max_length=100, blank=True)
    # Names of `HookEvent`.
    events = models.JSONField(default=list)
    salt = models.CharField(max_length=64)
    is_on = models.BooleanField(default=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(url="") & ~Q(salt=""), name="a_webhook_has_an_address_and_a_salt")
        ]

    def __str__(self) -> str:
        return self.about or self.url


class DeliveryState(models.TextChoices):
    WAITING = "waiting", say("Waiting")
    DELIVERED = "delivered", say("Delivered")
    FAILED = "failed", say("Given up")


class Delivery(models.Model):
    """A message for one address, written in the transaction of its event. `key` is the same at each attempt, so that
    the receiver can drop duplicates; the text never changes.
    """

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, models.PROTECT, related_name="deliveries", db_index=False)
    event = models.CharField(max_length=60)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=DeliveryState, default=DeliveryState.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="deliveries_of_a_webhook"),
            models.Index(fields=["not_before"], condition=Q(state="waiting"), name="deliveries_waiting"),
            models.Index(fields=["created_at"], name="deliveries_by_age"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="waiting") | Q(lease_expires_at=None), name="only_a_waiting_delivery_is_held"
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}"


class DeliveryAttempt(models.Model):
    """One attempt: the response of the address, or the reason why there is none."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="attempts")
    at = models.DateTimeField(default=timezone.now)
    seconds = models.FloatField()
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    # The beginning of the answer; text from outside.
    answer = models.TextField(blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__isnull=False) | ~Q(error=""), name="an_attempt_has_a_status_or_an_error"
            )
        ]

    def __str__(self) -> str:
        return f"attempt at {self.delivery_id}: {self.status or self.error}"
