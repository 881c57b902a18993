"""Everything that the site keeps about a person, for that person: one JSON object.

It is theirs alone. An admin gets the account and the entries of the log that they may read anyway, and no work: a
judgment in it could be one that is hidden from them.
"""

from collections.abc import Callable, Iterable
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.db.models import Q

from ..accounts.access import check_access
from ..models import AccessToken, CoreAction, Event, Invitation, User
from ..notices.mail import mail_choices
from .pseudonyms import FIELDS, hidden_names, masked

Rows = Callable[[User], Iterable[dict[str, Any]]]
ACCOUNT = (*FIELDS, "date_joined", "last_login", "is_active", "theme", "mail", "language")
_work: dict[str, Rows] = {}


def register(name: str, rows: Rows) -> None:
    """Register an app's rows of a person's work, as the person may see it."""
    _work[name] = rows


@transaction.atomic
def data_of(person: User, *, reader: User) -> dict[str, Any]:
    """Return the data kept about this person, as far as `reader` may have it. It is recorded in the log.

    Raises Forbidden if the reader is another person who judges with them (`check_access`).
    """
    check_access(admin=reader, person=person, words=f"exported the data of {person}")
    own = person == reader
    work = {name: list(rows(person)) for name, rows in _work.items()} if own else {}
    Event.record(CoreAction.EXPORTED_PERSON, person, actor=reader)
    return {"account": _account(person), **_ways_in(person), **work, "log": _log(person, reader, own=own)}


def _account(person: User) -> dict[str, Any]:
    names = (
        "username",
        "first_name",
        "last_name",
        "email",
        "date_joined",
        "last_login",
        "is_active",
        "theme",
        "mail",
        "language",
    )
    own = {"roles": sorted(person.given_roles()), "mail_by_kind": mail_choices(person)}
    return {name: getattr(person, name) for name in names} | own


def _ways_in(person: User) -> dict[str, Any]:
    """The ways to sign in, without what would let anyone in."""
    tokens = AccessToken.objects.filter(person=person)
    return {
        "tokens": list(tokens.values("name", "created_at", "expires_at", "revoked_at", "last_used_at")),
        "sessions": list(UserSession.objects.filter(user=person).values("ip", "user_agent", "created_at")),
        "second_factors": list(
            Authenticator.objects.filter(user=person).values("type", "created_at", "last_used_at")
        ),
        "accounts_elsewhere": list(SocialAccount.objects.filter(user=person).values("provider", "uid")),
        "invitations": list(Invitation.objects.filter(accepted_by=person).values("email", "note", "created_at")),
    }


def _log(person: User, reader: User, *, own: bool) -> list[dict[str, Any]]:
    """The entries of what the person did and of what was done to the account, oldest first."""
    events = Event.objects.open_to(reader) if own else Event.objects.open_log(reader)
    rows = events.filter(Q(subject_kind="user", subject_id=person.pk) | Q(actor=person)).order_by("pk")
    hidden = hidden_names()
    return [masked(row, hidden) for row in rows.values("at", "action", "subject_kind", "before", "after", "message")]
