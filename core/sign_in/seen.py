"""When a session was last used: shown to its person, and the measure of a limit on idle sessions."""

import time

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import SESSION_KEY, logout
from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

SEEN = "seen"
# They say how the site is even where no session can be read.
WITHOUT_PEOPLE = ("/health/", "/ready/", "/metrics/")
HOUR = 3600


class SeenMiddleware(MiddlewareMixin):
    """Notes at most once an hour, or more often under a limit, that a person did something; signs out who did
    nothing for longer than the limit. What an open page does by itself does not count.
    """

    def process_request(self, request: HttpRequest) -> None:
        session = request.session
        if request.path_info in WITHOUT_PEOPLE:
            return
        if not session.session_key or SESSION_KEY not in session:
            return
        now, limit = int(time.time()), settings.IDLE_MINUTES * 60
        seen = session.get(SEEN, 0)
        if is_idle(seen):
            logout(request)
        elif now - seen >= _step(limit) and is_act(request):
            _note(request, now)


def is_idle(seen: int) -> bool:
    """Return whether a session that was last used at `seen` (seconds; 0 if unknown) has passed the limit."""
    limit = settings.IDLE_MINUTES * 60
    return bool(limit and seen) and int(time.time()) - seen > limit


def is_act(request: HttpRequest) -> bool:
    """Return whether a person did this: open pages refresh themselves, and renew the lease of a tag."""
    is_refresh = request.method == "GET" and bool(request.headers.get("HX-Request"))
    return not is_refresh and not request.path.endswith("/renew/")


def _step(limit: int) -> int:
    """Seconds after which a use is noted again: a tenth of the limit, but neither a second nor a day."""
    return min(HOUR, max(limit // 10, 1)) if limit else HOUR


def _note(request: HttpRequest, now: int) -> None:
    """Write it now. Where the database takes no writes, the page is shown all the same."""
    request.session[SEEN] = now
    try:
        with transaction.atomic():
            request.session.save(must_create=False)
            UserSession.objects.filter(session_key=request.session.session_key).update(last_seen_at=timezone.now())
    except DatabaseError:
        pass
    request.session.modified = False
