"""Django's sessions in the database. Every request reads one, by a query whose SQL is compiled once per process."""

from datetime import datetime

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.contrib.sessions.models import Session
from django.utils import timezone

from ..engine.queries.instances import PreparedInstances

SESSION = PreparedInstances(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now), key=str, now=datetime
)


class SessionStore(DatabaseSessions):
    def _get_session_from_db(self) -> Session | None:
        session = SESSION.first(key=self.session_key, now=timezone.now())
        if session is None:
            self._session_key = None
        return session
