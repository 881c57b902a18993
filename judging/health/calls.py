"""Checks of calls: whether waiting ones are made, and whether replies reach the database."""

import time
from datetime import timedelta

from django.db.models import Sum
from django.utils import timezone

from core.health.checks import Finding, State
from core.languages import say
from core.words import plural

from ..models import Attempt, Call, CallState, CallSums, Run, RunKind, RunState
from ..runs.calls.spool import SUFFIX, folder

# A due call waits for a second or two. Limits of a model can make many wait, so what counts is that calls are made.
STANDSTILL = timedelta(minutes=10)
LAPSED = timedelta(minutes=5)
SPOOL_SECONDS = 600.0


def call_findings() -> list[Finding]:
    """Return whether due calls of running runs are made, and whether leases have lapsed without anyone noticing."""
    now, name = timezone.now(), say("Calls to models")
    running = Run.objects.filter(state=RunState.RUNNING)
    at_once = running.filter(in_batches=False)
    lapsed = Call.objects.filter(state=CallState.SENT, lease_expires_at__lt=now - LAPSED).count()
    if lapsed:
        sentence = say("{lapsed} held by a worker that has stopped.", lapsed=plural(lapsed, "call is", "calls are"))
        return [Finding(name, State.FAILED, sentence, say("Start a worker: it releases them, and pays none twice."))]
    due = Call.objects.filter(run__in=at_once, state=CallState.PENDING, not_before__lt=now - STANDSTILL)
    asked = CallSums.objects.filter(run__in=at_once, pending__gt=0).values("model")
    # In the form that the index has.
    made = Attempt.objects.filter(model__in=asked, sent_at__gt=now - STANDSTILL, call_batch=None, reused_from=None)
    if due.exists() and not made.exists():
        sentence = say("Calls of a running run have been due for 10 minutes, and none was made.")
        todo = say("Look at the run's page, which says what it waits for, and at the worker's log.")
        return [Finding(name, State.WARNING, sentence, todo)]
    # Requests of people at the desk are their own: a person who annotates, too, would learn of it here.
    doubtful = (
        CallSums.objects.exclude(run__kind=RunKind.SUGGESTION).aggregate(doubtful=Sum("in_doubt"))["doubtful"] or 0
    )
    if doubtful:
        sentence = say(
            "{doubtful} in doubt: nobody knows whether it was paid.",
            doubtful=plural(doubtful, "call is", "calls are"),
        )
        return [
            Finding(
                name, State.WARNING, sentence, say("Decide on the pages of the runs: repeat them or give them up.")
            )
        ]
    return [Finding(name, State.OK, say("No call is stuck."))]


def spool_findings() -> list[Finding]:
    """Return whether replies on disk reach the database."""
    name, now = say("Spool"), time.time()
    ages = []
    for path in folder().glob(f"*{SUFFIX}"):
        try:
            ages.append(now - path.stat().st_mtime)
        except FileNotFoundError:
            continue
    old = sum(age > SPOOL_SECONDS for age in ages)
    if old:
        sentence = say(
            "{old} on disk for longer than 10 minutes.", old=plural(old, "paid reply waits", "paid replies wait")
        )
        todo = say("Start a worker: it brings them into the database. Delete nothing below VAR_DIR/spool.")
        return [Finding(name, State.FAILED, sentence, todo)]
    apart = sum(1 for _ in (folder() / "unknown").glob(f"*{SUFFIX}"))
    if apart:
        sentence = say("{apart} to no call in this database.", apart=plural(apart, "reply belongs", "replies belong"))
        todo = say(
            "They came with another database, perhaps before a restore. They are kept in VAR_DIR/spool/unknown."
        )
        return [Finding(name, State.WARNING, sentence, todo)]
    return [Finding(name, State.OK, say("{ages} on disk; none is old.", ages=plural(len(ages), "reply", "replies")))]
