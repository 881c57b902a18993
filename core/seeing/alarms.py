"""Alarms: mail to admins and a message to webhooks, once when worker or clock falls silent and once when it is back.

A part that is silent cannot say so itself. So all three look: web processes after a request, workers and the clock
whenever they give a sign. The one that first notes the change in the alarm's row sends it, and sends it itself: the
worker, which sends everything else, may be the part that is silent.
"""

import logging
import threading
import time
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db import connection, transaction
from django.utils import timezone

from ..health.signs import last_sign
from ..keeping.sending import may_send
from ..languages import say
from ..models import Delivery, DeliveryState, HookEvent, Role, Sign, SignKind, User
from ..webhooks.outbox import announce, register

log = logging.getLogger(__name__)

SILENT = HookEvent("part.silent", say("The worker or the clock has fallen silent"))
BACK = HookEvent("part.back", say("The worker or the clock is back"))
PARTS = {SignKind.WORKER: "worker", SignKind.CLOCK: "clock"}
# In seconds. A process looks no more often.
LOOK_EVERY = 30.0
MOST_MESSAGES = 20

_looking = threading.Lock()
_looked_at = float("-inf")
_began = time.monotonic()  # this process


def register_events() -> None:
    register(SILENT, BACK)


def look_now_and_then() -> None:
    """Look in a thread of its own, if this process has not looked lately. Raises nothing and keeps nobody waiting."""
    global _looked_at
    if not settings.ALARM_AFTER_SECONDS or time.monotonic() - _looked_at < LOOK_EVERY:
        return
    _looked_at = time.monotonic()
    threading.Thread(target=_look_once, name="alarms", daemon=True).start()


def _look_once() -> None:
    if not _looking.acquire(blocking=False):
        return  # the last look still waits for a mail server
    try:
        look()
    except Exception:
        log.warning("worker and clock could not be looked after", exc_info=True)
    finally:
        connection.close()
        _looking.release()


def look(*, now: datetime | None = None) -> None:
    """Send an alarm for each part that has fallen silent or is back since the last look of any process. A part that
    has never given a sign has not fallen silent: the page System says that it is missing. Where the whole site stood
    still, the parts that start beside this process have time for their first sign."""
    now = now or timezone.now()
    has_just_begun = time.monotonic() - _began < settings.ALARM_AFTER_SECONDS
    for kind, part in PARTS.items():
        sign = last_sign(kind)
        if sign is not None:
            is_silent = now - sign.at > timedelta(seconds=settings.ALARM_AFTER_SECONDS)
            if not (is_silent and has_just_begun):
                _tell(part, sign.at, is_silent=is_silent, now=now)


def _tell(part: str, last: datetime, *, is_silent: bool, now: datetime) -> None:
    event = SILENT if is_silent else BACK
    rows = Sign.objects.filter(kind=SignKind.ALARM, name=part)
    with transaction.atomic():
        if not rows.exists():
            Sign.objects.bulk_create(
                [Sign(kind=SignKind.ALARM, name=part, at=now, facts={"silent": False})], ignore_conflicts=True
            )
        facts = {"silent": is_silent, "last_sign": last.isoformat()}
        if not rows.filter(facts__silent=not is_silent).update(facts=facts, at=now):
            return  # nothing has changed, or another process was first
        announce(event, lambda: {"part": part, "last_sign": last.isoformat()})
    log.log(logging.WARNING if is_silent else logging.INFO, "the %s is %s", part, "silent" if is_silent else "back")
    _send_messages(event)
    _send_mail(part, last, is_silent=is_silent)


def _send_messages(event: HookEvent) -> None:
    """Send the event's messages now; a worker repeats those that fail."""
    from ..webhooks.sending import deliver_one  # loads an HTTP client

    waiting = Delivery.objects.filter(event=event.name, state=DeliveryState.WAITING, not_before__lte=timezone.now())
    for pk in waiting.order_by("-pk").values_list("pk", flat=True)[:MOST_MESSAGES]:
        deliver_one(pk)


def _send_mail(part: str, last: datetime, *, is_silent: bool) -> None:
    admins = User.objects.filter(groups__name=Role.ADMIN, is_active=True).exclude(email="")
    addresses = list(admins.order_by("pk").values_list("email", flat=True).distinct())
    if not (settings.MAIL_CONFIGURED and addresses and may_send()):
        return
    when = f"{timezone.localtime(last):%Y-%m-%d %H:%M %Z}"
    said = f"has given no sign of life since {when}" if is_silent else "is back"
    todo = (
        f"Start it again: see the page System. Work waits and is not lost.\n\n{settings.SITE_ADDRESS}"
        if is_silent
        else ""
    )
    try:
        for address in addresses:  # each alone: nobody learns of the others' addresses
            send_mail(
                f"The {part} {'is silent' if is_silent else 'is back'}",
                f"The {part} {said}.\n{todo}\n",
                None,
                [address],
            )
    except (OSError, SMTPException):
        log.exception("the alarm about the %s could not be mailed", part)
