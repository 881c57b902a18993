"""How many calls the runs of a list have, by state: a list must not cost more because one of its runs is large."""

from collections.abc import Collection, Mapping

from django.db.models import Count

from core.models import User
from core.navigation.kept import counted, keep, kept

from ..models import Call, CallState, Run, RunKind
from .progress import MANY_CALLS, Counts, add, count_by_model
from .visibility import known_calls

# A late reply for a call that counts as failed is seen after this time.
KEPT_SECONDS = 600


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
    stands = {pk: ("calls of a run", pk, state, last_acts.get(pk), in_doubt.get(pk)) for pk, state in states.items()}
    known = {pk: count for pk, stand in stands.items() if (count := kept(stand))}
    missing = {pk: stand for pk, stand in stands.items() if pk not in known}
    if missing:
        found = counted(("calls of runs", *missing.values()), lambda: _count_calls(missing))
        for pk, count in found.items():
            if count.total >= MANY_CALLS and not count.open:
                keep(missing[pk], count, seconds=KEPT_SECONDS)
        counts |= found
    return counts | known


def _in_doubt(runs: Collection[int]) -> dict[int, int]:
    doubtful = Call.objects.filter(run__in=runs, state=CallState.IN_DOUBT).order_by()
    return dict(doubtful.values_list("run").annotate(n=Count("pk")))


def _count_calls(runs: Collection[int]) -> dict[int, Counts]:
    by_run: dict[int, dict[str, int]] = {pk: {} for pk in runs}
    rows = Call.objects.filter(run__in=runs).values_list("run", "state").annotate(n=Count("pk")).order_by()
    for pk, state, count in rows:
        by_run[pk][state] = count
    return {pk: Counts.of(by_state) for pk, by_state in by_run.items()}
