"""Checks of what keeps a site safe over the months: mail, backups, rehearsals of a restore, settings."""

import smtplib
from datetime import timedelta

from django.conf import settings
from django.core.mail import get_connection
from django.utils import timezone

from ..languages import say
from ..models import SignKind
from .checks import Finding, State
from .signs import last_sign

BACKUP_STALE, REHEARSAL_STALE = timedelta(hours=50), timedelta(days=100)
MAIL_SECONDS = 5


def mail_findings() -> list[Finding]:
    """Return whether the mail server takes a connection; nothing is sent."""
    name = say("Mail")
    if not settings.MAIL_CONFIGURED:
        return [
            Finding(name, State.OK, say("No mail server is set up: admins pass links on themselves (EMAIL_URL)."))
        ]
    connection = get_connection(timeout=MAIL_SECONDS)
    try:
        connection.open()
        connection.close()
    except (OSError, smtplib.SMTPException) as error:
        sentence = say("The mail server does not take a connection: {error}.", error=type(error).__name__)
        todo = say(
            "Check EMAIL_URL and the mail server. Letters wait for up to three days and are not lost meanwhile."
        )
        return [Finding(name, State.FAILED, sentence, todo)]
    return [Finding(name, State.OK, say("The mail server takes connections."))]


def backup_findings() -> list[Finding]:
    """The age of the last backup, and of the last rehearsal of a restore."""
    return [
        _age(
            say("Backup"),
            SignKind.BACKUP,
            say("backup was made"),
            BACKUP_STALE,
            say("Make one each night: deployment.md, “Backups”."),
        ),
        _age(
            say("Rehearsal"),
            SignKind.REHEARSAL,
            say("restore of a backup was rehearsed"),
            REHEARSAL_STALE,
            say("Restore the last backup into an empty folder once in a while: deployment.md, “Backups”."),
        ),
    ]


def _age(name: str, kind: SignKind, what: str, stale: timedelta, todo: str) -> Finding:
    sign = last_sign(kind)
    if sign is None:
        return Finding(name, State.WARNING, say("No {what} as far as this site knows.", what=what), todo)
    if problem := sign.facts.get("error"):
        when = f"{timezone.localtime(sign.at):%Y-%m-%d %H:%M}"
        return Finding(
            name, State.FAILED, say("The one of {when} failed: {problem}", when=when, problem=problem), todo
        )
    age = timezone.now() - sign.at
    ago = (
        say("{days} days ago", days=age.days)
        if age.days > 1
        else say("{hours:.0f} hours ago", hours=age.total_seconds() / 3600)
    )
    sentence = say("The last {what} {ago}.", what=what, ago=ago)
    return Finding(name, State.WARNING if age > stale else State.OK, sentence, todo if age > stale else "")


def setting_findings() -> list[Finding]:
    """Settings that suit a laptop and not a server."""
    name, is_debug = say("Settings"), settings.DEBUG
    if is_debug and not settings.SITE_IS_LOCAL:
        sentence = say("DEBUG is on, and error pages show the program's inside to everyone.")
        return [Finding(name, State.FAILED, sentence, say("Unset DEBUG and restart web and worker."))]
    if not settings.SITE_IS_LOCAL and not settings.HTTPS:
        sentence = say(
            "Other machines can reach this site, and passwords cross the network unencrypted (HTTPS is off)."
        )
        todo = say("Put a proxy with TLS in front and set HTTPS=true: deployment.md.")
        return [Finding(name, State.WARNING, sentence, todo)]
    if not settings.WIKI_CONTACT and not settings.SITE_IS_LOCAL:
        todo = say("Set WIKI_CONTACT to an email address or a web page of yours.")
        return [Finding(name, State.WARNING, say("Public wikis cannot be asked: WIKI_CONTACT is empty."), todo)]
    return [Finding(name, State.OK, say("The settings fit this site."))]
