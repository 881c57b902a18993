"""Due mails by person; a worker holds a letter through a lease while it sends it."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from core.models import User
from core.notices.mail import chosen_mail
from core.writing.locking import lock

from ..models import Mailing, MailState

LEASE = timedelta(minutes=2)
PEOPLE_AT_A_TIME, MOST_IN_A_LETTER = 50, 100
KEPT = timedelta(days=60)


def last_digest(now: datetime) -> datetime:
    """The latest moment, up to now, at which daily digests go out."""
    local = timezone.localtime(now)
    today = local.replace(hour=settings.MAIL_HOUR, minute=0, second=0, microsecond=0)
    return today if today <= local else today - timedelta(days=1)


def due(now: datetime) -> QuerySet[Mailing]:
    """The mails that may be sent now, by the person's current choice for their kind; a letter that was begun is sent
    in any case.
    """
    at_once = Q(chosen=User.Mail.AT_ONCE) | Q(letter__isnull=False)
    daily = Q(chosen=User.Mail.DAILY, created_at__lt=last_digest(now))
    unwanted = Q(chosen=User.Mail.NEVER)
    waiting = Mailing.objects.filter(state=MailState.WAITING, not_before__lte=now)
    return waiting.annotate(chosen=chosen_mail()).filter(at_once | daily | unwanted)


def people_due(now: datetime) -> list[int]:
    """People with due mails."""
    found = due(now).order_by("person_id").values_list("person_id", flat=True).distinct()
    return list(found[:PEOPLE_AT_A_TIME])


@transaction.atomic
def claim_letter(person: int, now: datetime) -> UUID | None:
    """Hold this person's due mails as one letter: the one begun before, if any; None if nothing is due, or another
    worker holds it.
    """
    lock(User.objects.filter(pk=person))
    found = due(now).filter(person=person)
    begun = found.exclude(letter=None).order_by("pk").values_list("letter", flat=True).first()
    letter = begun or uuid4()
    rows = found.filter(letter=begun)
    keys = list(rows.order_by("pk").values_list("pk", flat=True)[:MOST_IN_A_LETTER])
    held = Mailing.objects.filter(pk__in=keys, state=MailState.WAITING, not_before__lte=now)
    taken = held.update(letter=letter, not_before=now + LEASE, tries=F("tries") + 1)
    return letter if taken else None


def forget_old(now: datetime) -> None:
    """Delete mails sent or given up long ago."""
    over = Mailing.objects.exclude(state=MailState.WAITING).filter(created_at__lt=now - KEPT)
    over.filter(pk__in=list(over.values_list("pk", flat=True)[:1_000])).delete()
