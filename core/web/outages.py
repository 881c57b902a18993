"""Outages: the database is away, takes no writes, or a disk is full. Each is told apart, since in two of them it is
certain that nothing was saved."""

import errno
import logging
from dataclasses import dataclass

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from ..languages import say
from ..seeing.patterns import pattern_of
from .problems import is_for_program, problem_response

log = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 5
READING = say("Everything that was saved is safe. Load this page again in a minute.")
# The browser keeps what is typed: `static/scripts/keep.js`, and the desk's drafts.
NOTHING_SAVED = say(
    "Nothing was saved, and everything saved before is safe. The text that you typed is kept in your browser: go "
    "back and try again later. Nobody can save until an admin has acted."
)


@dataclass(frozen=True, slots=True)
class Outage:
    """A kind of outage: the title of its page, the message where data was sent, and that for a program."""

    title: str
    sending: str
    program: str


AWAY = Outage(
    say("The database cannot be reached"),
    say(
        "Everything that was saved before is safe, but your last change was probably not saved. It may still be in "
        "your browser: go back and try again in a minute."
    ),
    "The database cannot be reached. Try again in a minute.",
)
READ_ONLY = Outage(
    say("The database cannot be written to"),
    NOTHING_SAVED,
    "The database is read-only at present. Nothing was saved.",
)
FULL = Outage(say("The disk is full"), NOTHING_SAVED, "The disk is full. Nothing was saved.")

# PostgreSQL's codes: a read-only transaction; no space, memory or connections.
POSTGRESQL_READ_ONLY = "25006"
POSTGRESQL_FULL = "53100"
# SQLite's primary codes (https://sqlite.org/rescode.html).
SQLITE_READ_ONLY, SQLITE_FULL = 8, 13
FULL_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def outage_of(error: BaseException | None) -> Outage | None:
    """The outage behind this error; None if it is an error of another kind."""
    if isinstance(error, (OperationalError, InterfaceError, InternalError)):
        told = _told_by_database(error.__cause__)
        return told or (None if isinstance(error, InternalError) else AWAY)
    if isinstance(error, OSError):
        if error.errno in FULL_ERRNOS:
            return FULL
        if error.errno == errno.EROFS:
            return READ_ONLY
    return None


def _told_by_database(cause: BaseException | None) -> Outage | None:
    """The outage that the database's driver names by its code."""
    state = getattr(cause, "sqlstate", None)
    primary = (getattr(cause, "sqlite_errorcode", None) or 0) & 0xFF
    if state == POSTGRESQL_READ_ONLY or primary == SQLITE_READ_ONLY:
        return READ_ONLY
    return FULL if state == POSTGRESQL_FULL or primary == SQLITE_FULL else None


def outage_response(request: HttpRequest, outage: Outage, error: BaseException) -> HttpResponse:
    """A 503 response made without the database: it does not even check who is signed in, as that is in the
    database.
    """
    log.error("503 at %s", pattern_of(request), exc_info=error)
    message = READING if request.method in ("GET", "HEAD") else outage.sending
    template = "_refusal.html" if request.headers.get("HX-Request") else "refusal.html"
    if is_for_program(request):
        response = problem_response(503, outage.program)
    else:
        response = HttpResponse(render_to_string(template, {"title": outage.title, "message": message}), status=503)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
