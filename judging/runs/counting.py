"""How many calls the runs of a list have, by state: a list must not cost more because one of its runs is large."""

import time
from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Count

from core.models import User
from core.navigation import counted

from ..models import Call, CallState, Run, RunKind
from .progress import MANY_CALLS, Counts, add, count_by_model
from .visibility import known_calls

# What was counted of large runs with no call left, and until when it is shown: by run, state, last act and calls
# in doubt. A late reply for a call that counts as failed is seen after this time.
_of_large: dict[tuple[Any, ...], tuple[float, Counts]] = {}
KEPT_SECONDS, MOST_KEPT = 600, 1_000


def counts_of(runs: Collection[Run], *, last_acts: Mapping[int, int], reader: User) -> dict[int, Counts]:
    """The calls of each run, by its primary key, as far as this person may know of them. `last_acts` has the last
    entry of the log about each run.

    A large run with no call left is counted every ten minutes in a process, one under way less often the longer that
    takes; others each time.
    """
    counts = {run.pk: Counts() for run in runs}
    of_the_desk = [run for run in runs if run.kind == RunKind.SUGGESTION and not run.is_starting]
    for run in of_the_desk:
        counts[run.pk] = Counts.of(add(count_by_model(known_calls(run, reader)).values()))
    states = {run.pk: run.state for run in runs if run.kind != RunKind.SUGGESTION and not run.is_starting}
    in_doubt = _in_doubt(states)
    stands = {pk: (pk, state, last_acts.get(pk), in_doubt.get(pk)) for pk, state in states.items()}
    kept = {pk: count for pk, stand in stands.items() if (count := _kept(stand))}
    missing = {pk: stand for pk, stand in stands.items() if pk not in kept}
    if missing:
        found = counted(("calls of runs", *missing.values()), lambda: _count_calls(missing))
        _keep({missing[pk]: count for pk, count in found.items() if count.total >= MANY_CALLS and not count.open})
        counts |= found
    return counts | kept


def _in_doubt(runs: Collection[int]) -> dict[int, int]:
    doubtful = Call.objects.filter(run__in=runs, state=CallState.IN_DOUBT).order_by()
    return dict(doubtful.values_list("run").annotate(n=Count("pk")))


def _kept(stand: tuple[Any, ...]) -> Counts | None:
    until, count = _of_large.get(stand, (0.0, None))
    return count if until > time.monotonic() else None


def _keep(counts: dict[tuple[Any, ...], Counts]) -> None:
    if len(_of_large) + len(counts) > MOST_KEPT:
        _of_large.clear()
    until = time.monotonic() + KEPT_SECONDS
    _of_large.update({stand: (until, count) for stand, count in counts.items()})


def _count_calls(runs: Collection[int]) -> dict[int, Counts]:
    by_run: dict[int, dict[str, int]] = {pk: {} for pk in runs}
    rows = Call.objects.filter(run__in=runs).values_list("run", "state").annotate(n=Count("pk")).order_by()
    for pk, state, count in rows:
        by_run[pk][state] = count
    return {pk: Counts.of(by_state) for pk, by_state in by_run.items()}
