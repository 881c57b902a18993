"""Housekeeping: land replies left by a dead process, release its calls, finish completed runs. Safe at any time, in
any number of processes.
"""

from datetime import timedelta

from django.utils import timezone

from ..models import Call, CallState, LanguageModel
from .calls import spool
from .calls.landing import land_overdue, land_spool
from .runs import finish_runs

# Seconds: the process that wrote a reply lands it itself within a moment, if it is alive.
SPOOL_SECONDS = 3.0
LOOKUPS_AT_A_TIME = 10
# A provider may take a while to list what it stores; after a day, it never will.
LOOK_UP_FOR = timedelta(days=1)


def sweep() -> None:
    land_spool(older_than=SPOOL_SECONDS)
    land_overdue()
    finish_runs()
    spool.sweep_parts()


def calls_to_look_up() -> list[Call]:
    """Some calls in doubt whose provider may have stored the reply. The interval grows with the time in doubt: a call
    in doubt for a second is looked up again after a second, one in doubt for an hour after an hour.
    """
    now = timezone.now()
    doubtful = Call.objects.filter(
        state=CallState.IN_DOUBT,
        model__in=LanguageModel.objects.filter(keeps_completions=True),
        ended_at__gt=now - LOOK_UP_FOR,
        not_before__lte=now,
    )
    calls = list(doubtful.select_related("model").order_by("not_before")[:LOOKUPS_AT_A_TIME])
    for call in calls:
        again = now + max(now - (call.ended_at or now), timedelta(seconds=1))
        Call.objects.filter(pk=call.pk, state=CallState.IN_DOUBT).update(not_before=again)
    return calls
