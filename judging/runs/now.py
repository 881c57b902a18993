"""Running runs for the page Now: open calls, calls per minute, and money."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import F, Sum
from django.utils import timezone

from core.models import User

from ..models import Call, CallSums, Run, RunKind, RunState
from .visibility import hides_outcomes

MOST_RUNS = 10
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class RunNow:
    """A running run; `is_hidden` if its outcomes are hidden from the admin who looks."""

    run: Run
    open: int
    per_minute: int
    spent: Decimal
    is_hidden: bool


def running_runs(admin: User) -> dict[str, object]:
    """The newest running runs, without those of suggestions at the desk, which are annotators' own."""
    runs = list(
        Run.objects.filter(state=RunState.RUNNING).exclude(kind=RunKind.SUGGESTION).order_by("-pk")[: MOST_RUNS + 1]
    )
    shown = runs[:MOST_RUNS]
    counted = CallSums.objects.filter(run__in=shown).values("run")
    counted = counted.annotate(open=Sum(F("pending") + F("sent")), money=Sum("spent"))
    sums: dict[int, dict[str, Any]] = {each["run"]: dict(each) for each in counted}
    return {"runs": [_now(run, sums.get(run.pk, {}), admin) for run in shown], "more": len(runs) > MOST_RUNS}


def _now(run: Run, sums: dict[str, Any], admin: User) -> RunNow:
    is_hidden = hides_outcomes(run, admin)
    # An index has these times, and a minute holds only as many calls as a provider answers.
    ended = Call.objects.filter(run=run, ended_at__gt=timezone.now() - MINUTE)
    per_minute = 0 if is_hidden else ended.count()
    return RunNow(run, sums.get("open") or 0, per_minute, sums.get("money") or Decimal(0), is_hidden)
