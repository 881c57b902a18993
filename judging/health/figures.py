"""Figures of calls to models, for monitoring: from kept sums, and from the few calls in flight."""

import time
from collections.abc import Iterator

from django.conf import settings
from django.db.models import OuterRef, Subquery, Sum
from django.utils import timezone

from core.seeing.figures import LAPSED, MOST_COUNTED, QUEUE_AGE, QUEUE_LENGTH, Figure, age, counted, register

from ..models import Call, CallState, CallSums, Run, RunKind, RunState
from ..runs.calls.spool import SUFFIX, folder

MOST_RUNS = 50
KINDS_OF_MONEY = ("spent", "held", "perhaps_spent")


def call_figures() -> Iterator[Figure]:
    """Calls by state, and their money. Those for suggestions at the desk are left out: they are annotators' own."""
    sums = CallSums.objects.exclude(run__kind=RunKind.SUGGESTION)
    counted = sums.aggregate(**{name: Sum(name) for name in (*CallState.values, *KINDS_OF_MONEY)})
    for state in CallState.values:
        yield Figure("workbench_calls", "Calls to models by state", counted[state] or 0, {"state": state})
    for kind in KINDS_OF_MONEY:
        about = "cost of answered calls, money held for calls in flight, and possible cost of those in doubt"
        about = f"In {settings.CURRENCY}: {about}"
        yield Figure("workbench_money", about, float(counted[kind] or 0), {"kind": kind})


def queue_figures() -> Iterator[Figure]:
    """The age of the call that waits first in a running run, and the number of waiting ones."""
    now, running = timezone.now(), Run.objects.filter(state=RunState.RUNNING)
    first = Call.objects.filter(run=OuterRef("pk"), state=CallState.PENDING).order_by("pk").values("not_before")[:1]
    asked = running.exclude(kind=RunKind.SUGGESTION).order_by("-pk")[:MOST_RUNS]
    oldest = min((run.due for run in asked.annotate(due=Subquery(first)) if run.due), default=None)
    yield Figure(*QUEUE_AGE, age(oldest, now), {"queue": "calls"})
    pending = CallSums.objects.filter(run__in=running).exclude(run__kind=RunKind.SUGGESTION)
    length = min(pending.aggregate(pending=Sum("pending"))["pending"] or 0, MOST_COUNTED)
    yield Figure(*QUEUE_LENGTH, length, {"queue": "calls"})
    # By model, as the index has them.
    in_flight = CallSums.objects.filter(sent__gt=0).values("model")
    lapsed = Call.objects.filter(model__in=in_flight, state=CallState.SENT, lease_expires_at__lt=now)
    yield Figure(*LAPSED, counted(lapsed), {"of": "calls"})


def run_figures() -> Iterator[Figure]:
    """Runs in progress by state."""
    for state in (RunState.RUNNING, RunState.PAUSED):
        yield Figure(
            "workbench_runs", "Runs by state", Run.objects.filter(state=state).count(), {"state": str(state)}
        )


def spool_figures() -> Iterator[Figure]:
    """Replies that are on disk and not yet in the database."""
    ages = []
    for path in folder().glob(f"*{SUFFIX}"):
        try:
            ages.append(time.time() - path.stat().st_mtime)
        except FileNotFoundError:
            continue
    yield Figure("workbench_spool_replies", "Replies on disk that are not in the database yet", len(ages))
    yield Figure("workbench_spool_age_seconds", "Age of the oldest of these replies", max(ages, default=0.0))


def register_figures() -> None:
    register("calls", call_figures)
    register("queue of calls", queue_figures)
    register("runs", run_figures)
    register("spool", spool_figures)
