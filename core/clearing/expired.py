"""Deletes rows that are valid for a limited time; called by the clock."""

from datetime import timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from ..engine.writing.pieces import in_pieces
from ..models import AccessToken, Invitation, KeptAnswer

# A session that has just begun may not be written yet.
NEW = timedelta(minutes=5)


def clear_expired_rows() -> int:
    """Delete expired sessions and answers to old requests, in pieces. Returns the number of rows."""
    now = timezone.now()
    ended = ~Exists(Session.objects.filter(session_key=OuterRef("session_key")))
    sessions = _delete(Session.objects.filter(expire_date__lte=now))
    _delete(UserSession.objects.filter(ended, created_at__lt=now - NEW))
    return sessions + _delete(KeptAnswer.objects.out_of_date(at=now))


def forget_old_rows() -> int:
    """Delete what is known of links and tokens that have not worked for as many days as FORGET_AFTER_DAYS says: the
    addresses and notes of links, whose rows stay, and the tokens. Returns the number of rows.
    """
    if not settings.FORGET_AFTER_DAYS:
        return 0
    before = timezone.now() - timedelta(days=settings.FORGET_AFTER_DAYS)
    ended = Q(accepted_at__lt=before) | Q(withdrawn_at__lt=before) | Q(expires_at__lt=before)
    links = Invitation.objects.filter(ended).exclude(email="", note="").update(email="", note="")
    return links + _delete(AccessToken.objects.filter(Q(revoked_at__lt=before) | Q(expires_at__lt=before)))


def _delete(rows: QuerySet[Any]) -> int:
    """Delete the rows in pieces. Rows renewed in the meantime stay: the condition is checked again with each
    piece.
    """
    return in_pieces(list(rows.values_list("pk", flat=True)), lambda keys: rows.filter(pk__in=keys).delete())
