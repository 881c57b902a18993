"""Records in the activity log that an admin has opened other people's work."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.db.models import Model
from django.utils import timezone

from ..models import CoreAction, Event, Role, User
from ..models.events import log_kind
from .locking import lock

log = logging.getLogger(__name__)

# Opening the same work again within this time is not recorded.
ONCE_IN = timedelta(hours=1)


def record_read(works: Sequence[Model], *, reader: User) -> None:
    """Record that this person opens these rows, which are all of one model and other people's work. Only for admins,
    and at most once an hour for each row. Where the database takes no writes, the page is shown all the same.
    """
    if not works or not reader.has_role(Role.ADMIN) or not (new := _not_recorded(works, reader)):
        return
    try:
        with transaction.atomic():
            # Of two pages that open at once, the second one finds the entries of the first.
            lock(User.objects.filter(pk=reader.pk))
            rows = [Event.of(CoreAction.READ_WORK, each, actor=reader) for each in _not_recorded(new, reader)]
            Event.objects.bulk_create(rows)
    except DatabaseError as error:
        log.warning("A read by person %s could not be recorded: %s", reader.pk, type(error).__name__)


def _not_recorded(works: Sequence[Model], reader: User) -> list[Model]:
    """The rows whose reading by this person was not recorded within the hour."""
    of = {"subject_kind": log_kind(works[0]), "subject_id__in": [each.pk for each in works]}
    reads = Event.objects.filter(**of, actor=reader, action=CoreAction.READ_WORK, at__gt=timezone.now() - ONCE_IN)
    known = set(reads.order_by().values_list("subject_id", flat=True))
    return [each for each in works if each.pk not in known]
