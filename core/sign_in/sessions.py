"""A person's sessions: where they are signed in, and signing out elsewhere."""

from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import F

from ..accounts.tokens import revoke_all
from ..models import CoreAction, Event, User
from .seen import SEEN, is_idle

BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("HeadlessChrome", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A session on its person's page."""

    pk: int
    device: str
    address: str
    since: datetime
    seen: datetime
    is_current: bool


def sessions_of(person: User, *, current: str | None) -> list[ShownSession]:
    """The person's sessions that still work, the one with the key `current` first, then by their last use."""
    alive = Session.objects.filter(session_key__in=UserSession.objects.filter(user=person).values("session_key"))
    keys = {row.session_key for row in alive if _works(row, person)}
    rows = UserSession.objects.filter(user=person, session_key__in=keys).order_by("-last_seen_at")
    shown = [
        ShownSession(
            pk=row.pk,
            device=device_in(row.user_agent),
            address=row.ip,
            since=row.created_at,
            seen=row.last_seen_at,
            is_current=row.session_key == current,
        )
        for row in rows
    ]
    return sorted(shown, key=lambda row: not row.is_current)


def _works(row: Session, person: User) -> bool:
    data = row.get_decoded()
    if is_idle(data.get(SEEN, 0)):
        return False
    return data.get(HASH_SESSION_KEY) == person.get_session_auth_hash() and data.get(SESSION_KEY) == str(person.pk)


def device_in(user_agent: str) -> str:
    """Browser and system that a browser's own description names."""
    browser = next((name for part, name in BROWSERS if part in user_agent), "Unknown browser")
    system = next((name for part, name in SYSTEMS if part in user_agent), "")
    return f"{browser} on {system}" if system else browser


@transaction.atomic
def end_session(*, person: User, pk: int) -> bool:
    """Sign the person out in one browser. Returns whether there was such a session."""
    row = UserSession.objects.filter(user=person, pk=pk).first()
    if row is None:
        return False
    Session.objects.filter(session_key=row.session_key).delete()
    row.delete()
    Event.record(CoreAction.ENDED_SESSION, person, actor=person, before={"device": device_in(row.user_agent)})
    return True


@transaction.atomic
def end_everywhere(*, person: User, tokens: bool) -> None:
    """Sign the person out in every browser, also where the session is in no list; with `tokens`, revoke them too."""
    User.objects.filter(pk=person.pk).update(times_signed_out=F("times_signed_out") + 1)
    person.refresh_from_db(fields=["times_signed_out"])
    rows = UserSession.objects.filter(user=person)
    Session.objects.filter(session_key__in=list(rows.values_list("session_key", flat=True))).delete()
    rows.delete()
    if tokens:
        revoke_all(person=person, actor=person)
    Event.record(CoreAction.SIGNED_OUT_EVERYWHERE, person, actor=person, after={"tokens_revoked": tokens})
