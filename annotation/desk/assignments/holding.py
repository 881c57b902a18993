"""The updates that claim and keep an assignment; their row counts say who won."""

from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, QuerySet, Value, When

from core.engine.queries.updates import PreparedUpdate

from ...models import Assignment
from ...models.assignments import is_live

Update = tuple[QuerySet[Assignment], dict[str, Any]]


def taking(pk: int, person: int, now: datetime, until: datetime) -> Update:
    """Claim this assignment for this person, if it is free. All conditions are on the row itself, so that PostgreSQL
    checks them again after waiting for another person's claim.
    """
    values = {
        "annotator": person,
        "claimed_at": now,
        "lease_expires_at": until,
        "assigned_by": None,
        "is_ahead": False,
    }
    return Assignment.objects.free(at=now).filter(pk=pk), values


def _taking_as_only_one(pk: int, person: int, now: datetime, until: datetime) -> Update:
    free, values = taking(pk, person, now, until)
    return free.filter(~Exists(_in_hand(person, now))), values


def _taking_ahead(pk: int, person: int, tag: int, now: datetime, until: datetime) -> Update:
    free, values = taking(pk, person, now, until)
    return free.filter(~Exists(_in_hand(person, now).exclude(tag=tag))), values | {"is_ahead": True}


def _in_hand(person: int, now: datetime) -> QuerySet[Assignment]:
    return Assignment.objects.unfinished().filter(is_live(now), annotator=person, asked_at=None).order_by()


def _keeping(tag: int, person: int, until: datetime) -> Update:
    # An assignment by an admin has no lease, and gets none.
    lease = Case(When(lease_expires_at__isnull=False, then=Value(until)), default=None)
    own = Assignment.objects.unfinished().filter(tag=tag, annotator=person, asked_at=None)
    return own, {"lease_expires_at": lease, "is_ahead": False}


def _closing(tag: int, person: int, now: datetime) -> Update:
    own = Assignment.objects.unfinished().filter(tag=tag, annotator=person, asked_at=None)
    return own, {"done_at": now, "lease_expires_at": None, "is_ahead": False}


# For a person who has no other tag in hand.
TAKE_NEXT = PreparedUpdate(_taking_as_only_one, pk=int, person=int, now=datetime, until=datetime)
# For a person who has no tag in hand but this one.
TAKE_AHEAD = PreparedUpdate(_taking_ahead, pk=int, person=int, tag=int, now=datetime, until=datetime)
KEEP = PreparedUpdate(_keeping, tag=int, person=int, until=datetime)
CLOSE = PreparedUpdate(_closing, tag=int, person=int, now=datetime)
