"""Excludes an ambiguous instance from the reports, with all its responses, and includes it again."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Instance
from core.languages import say
from core.models import Event, User
from core.outside import required_text
from core.refusals import Refusal

from ..models import ReviewAction, SetAside


@transaction.atomic
def set_aside(*, instance: Instance, person: User, reason: str) -> SetAside:
    """Set the instance aside. Raises `Refusal` if there is no reason or the instance is already set aside."""
    why = say("Give a reason for setting the instance aside; reports show it. Nothing was changed.")
    reason = required_text(reason, why)
    try:
        with transaction.atomic():
            row = SetAside.objects.create(instance=instance, reason=reason, by=person)
    except IntegrityError as error:
        raise Refusal(say("This instance is already set aside.")) from error
    Event.record(ReviewAction.SET_ASIDE, instance, actor=person, message=reason)
    return row


@transaction.atomic
def take_back_in(*, row: SetAside, person: User) -> None:
    """Count the instance's responses again. Raises `Refusal` if they already count."""
    active = SetAside.objects.active().filter(pk=row.pk)
    if not active.update(taken_back_at=timezone.now(), taken_back_by=person):
        raise Refusal(say("This instance has already been put back."))
    Event.record(ReviewAction.TOOK_BACK_IN, row.instance, actor=person)
