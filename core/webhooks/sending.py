"""Sends one message, and notes the outcome.

As for models, the host has to be in the deployment's list, its resolved address is checked when the connection is
made, and redirects are not followed. The wait for an answer is limited, and only its beginning is read.
"""

import threading
import time
from dataclasses import dataclass
from datetime import timedelta

import requests
from django.db import transaction
from django.utils import timezone

from ..backoff import backoff, seconds_asked_for
from ..hosts import checked_session
from ..models import CoreAction, Delivery, DeliveryAttempt, DeliveryState, Event, Webhook
from ..outside import storable
from ..refusals import Refusal
from .addresses import check_address
from .signing import secret_of, signed_headers
from .waiting import claim

# In seconds: for a connection to each address of the host, for each wait for bytes, and for all of it.
CONNECT, WAIT, WHOLE = 5.0, 10.0, 20.0
READ_BYTES = 500
# About a day of tries: the pause is up to half a minute at first, doubles, and ends at six hours.
MOST_TRIES, FIRST_PAUSE, LONGEST_PAUSE = 14, 30.0, 6 * 3600.0
GONE = 410


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an attempt; `is_final` if another attempt would not help."""

    status: int | None = None
    answer: str = ""
    error: str = ""
    retry_after: float | None = None
    is_final: bool = False

    @property
    def is_delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def deliver_one(pk: int) -> None:
    """Send this message if it is due and nobody else is sending it."""
    delivery = claim(pk)
    if delivery is None:
        return
    began = time.monotonic()
    outcome = send(delivery)
    note(delivery, outcome, seconds=time.monotonic() - began)


def send(delivery: Delivery) -> Outcome:
    """Post the message. Raises nothing: errors are part of the outcome."""
    body = delivery.body.encode()
    try:
        local = check_address(delivery.webhook.url)
    except Refusal as refusal:
        return Outcome(error=refusal.message, is_final=True)
    headers = signed_headers(
        secret=secret_of(delivery.webhook.salt), key=str(delivery.key), body=body, at=timezone.now()
    )
    headers |= {
        "Content-Type": "application/json",
        "User-Agent": "WikiContradictWorkbench",
        "Accept-Encoding": "identity",
    }
    found: list[Outcome] = []
    # A server can dribble its headers for hours, a byte at a time: then the thread is left to itself.
    thread = threading.Thread(
        target=lambda: found.append(_post(delivery.webhook.url, body, headers, local=local)), daemon=True
    )
    thread.start()
    thread.join(WHOLE)
    return found[0] if found else Outcome(error=f"No answer within {WHOLE:g} seconds.")


def _post(url: str, body: bytes, headers: dict[str, str], *, local: bool) -> Outcome:
    try:
        with (
            checked_session(local=local) as session,
            session.post(
                url, data=body, headers=headers, timeout=(CONNECT, WAIT), allow_redirects=False, stream=True
            ) as response,
        ):
            return Outcome(
                response.status_code,
                answer=_beginning(response),
                retry_after=seconds_asked_for(response.headers.get("Retry-After")),
                is_final=response.status_code == GONE,
            )
    except Refusal as refusal:  # where the host leads to
        return Outcome(error=refusal.message, is_final=True)
    except (requests.RequestException, OSError, ValueError) as error:
        return Outcome(error=storable(f"{type(error).__name__}: {error}")[:READ_BYTES])


def _beginning(response: requests.Response) -> str:
    """The beginning of the answer. A later interruption does not matter: the status has arrived."""
    try:
        content = response.raw.read(READ_BYTES, decode_content=False) or b""
    except Exception:  # urllib3 has several kinds
        content = b""
    return storable(content.decode("utf-8", "replace"))


@transaction.atomic
def note(delivery: Delivery, outcome: Outcome, *, seconds: float) -> None:
    """Store the outcome of the attempt, and plan the next step; if the lease has expired meanwhile, store only the
    attempt.
    """
    DeliveryAttempt.objects.create(
        delivery=delivery, seconds=seconds, status=outcome.status, answer=outcome.answer, error=outcome.error
    )
    held = Delivery.objects.filter(pk=delivery.pk, lease_expires_at=delivery.lease_expires_at)
    if outcome.is_delivered:
        held.update(state=DeliveryState.DELIVERED, lease_expires_at=None)
    elif outcome.is_final or delivery.tries >= MOST_TRIES:
        held.update(state=DeliveryState.FAILED, lease_expires_at=None)
        if outcome.status == GONE and Webhook.objects.filter(pk=delivery.webhook_id, is_on=True).update(is_on=False):
            # The receiver wants no more.
            Event.record(CoreAction.CHANGED_WEBHOOK, delivery.webhook, before={"is_on": True}, after={"is_on": False})
    else:
        pause = backoff(delivery.tries, retry_after=outcome.retry_after, base=FIRST_PAUSE, cap=LONGEST_PAUSE)
        held.update(not_before=timezone.now() + timedelta(seconds=pause), lease_expires_at=None)
