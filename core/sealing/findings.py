"""The checks of the log for `doctor` and for restores."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from ..health.checks import Finding, State, register
from ..health.signs import last_sign
from ..keeping.checks import register_check
from ..languages import say
from ..models import Seal, Sign, SignKind
from ..words import plural
from .copying import is_cut_off
from .verifying import verify, wrong_log

NAME, COPY = say("Activity log"), say("Copy of the log")
VERIFIED_WITHIN, SEALED_WITHIN = timedelta(hours=50), timedelta(minutes=15)
# The last seals are verified each time; the whole chain each night.
LAST_SEALS = 200
VERIFY = say(
    "Run manage.py doctor --whole-log, and see that the clock and a worker are running: they do it each night."
)
TAMPERED = say(
    "Compare the log with that of a backup, or with its copy in syslog: it was changed by other ways than this "
    "program. security.md, “The activity log”."
)


def register_checks() -> None:
    register(NAME, log_findings, order=65)
    register_check(wrong_log)


def log_findings() -> list[Finding]:
    """The result of the last verification, and whether new entries are sealed."""
    last = Seal.objects.aggregate(last=Max("position"))["last"] or 0
    wrong = verify(after=max(last - LAST_SEALS, 0)).wrong
    return [_finding(last_sign(SignKind.LOG), last_sign(SignKind.SEALED), wrong), *_copy_findings(last)]


def _copy_findings(last: int) -> list[Finding]:
    """The progress of the copy in syslog, if there is to be one."""
    if not settings.LOG_TO_SYSLOG:
        return []
    sign = last_sign(SignKind.COPIED)
    if sign and is_cut_off(sign.facts):
        sentence = (
            f"The activity log was tampered with. Syslog got seal {sign.facts['position']:,}, which is gone here."
        )
        return [Finding(COPY, State.FAILED, sentence, TAMPERED)]
    waiting = plural(last - (sign.facts.get("position", 0) if sign else 0), "entry waits", "entries wait")
    if sign is None or timezone.now() - sign.at > SEALED_WITHIN:
        return [
            Finding(
                COPY, State.UNKNOWN, say("Nothing was copied to syslog of late; {waiting}.", waiting=waiting), VERIFY
            )
        ]
    if problem := sign.facts.get("error"):
        sentence = say(
            "Syslog cannot be reached ({problem}); {waiting}, and nothing is lost.", problem=problem, waiting=waiting
        )
        return [Finding(COPY, State.FAILED, sentence, say("Check LOG_TO_SYSLOG and the server it names."))]
    return [Finding(COPY, State.OK, say("The activity log is copied to syslog; {waiting}.", waiting=waiting))]


def _finding(verified: Sign | None, sealed: Sign | None, wrong: list[str]) -> Finding:
    if wrong := wrong or (verified.facts.get("wrong", []) if verified else []):
        return Finding(
            NAME,
            State.FAILED,
            say("The activity log was tampered with. {wrong}", wrong=" ".join(wrong[:5])),
            TAMPERED,
        )
    if verified is None:
        return Finding(NAME, State.UNKNOWN, say("The activity log has never been verified."), VERIFY)
    now, when = timezone.now(), f"{timezone.localtime(verified.at):%Y-%m-%d %H:%M}"
    if now - verified.at > VERIFIED_WITHIN:
        return Finding(NAME, State.UNKNOWN, say("The activity log was last verified on {when}.", when=when), VERIFY)
    if sealed is None or now - sealed.at > SEALED_WITHIN:
        return Finding(
            NAME, State.UNKNOWN, say("New entries of the activity log have not been sealed of late."), VERIFY
        )
    sentence = say(
        "The activity log was whole on {when}, with {count:,} sealed entries.",
        when=when,
        count=verified.facts.get("position", 0),
    )
    return Finding(NAME, State.OK, sentence)
