"""Keeps the last reports of a process while nothing that they count has changed, and counts many answers behind the
page: a million take longer than a page may. Files and commands always wait for the numbers of now.
"""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any

from django.db import connections
from django.utils import timezone

from core.languages import say
from core.models import Batch
from judging.models import LanguageModel, Reading
from review.reports.layout import Note, Report
from review.reports.scope import Scope

from .entries import REPORTS

# A report has the numbers of its tables, not the answers: some 100 KB.
MOST_KEPT = 20
# Up to here a page counts them itself, which takes some tenths of a second.
FEW_ANSWERS = 50_000
# How long a page waits for many.
PATIENCE_SECONDS = 0.3
# Each report begins with the note that texts mislead; the scope's notes follow.
OWN_NOTES = 1
COUNTING = say("There are many answers, and they are being counted. The numbers appear here in some seconds.")
COUNTED_BEFORE = "Counted at {time}. Newer answers are being counted: load this page again in some seconds."
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A report, and the state of the answers when it was made."""

    report: Report
    state: Key
    counted_at: datetime

    def shown(self, scope: Scope, *more: Note) -> Report:
        """The report with the scope's notes of now."""
        return replace(self.report, notes=[*self.report.notes[:OWN_NOTES], *more, *scope.notes()])


_kept: OrderedDict[Key, Kept] = OrderedDict()
_counting: dict[Key, "Future[Kept]"] = {}
_lock = Lock()
# Reports are counted one after the other: they would only slow each other down.
_executor = ThreadPoolExecutor(1, thread_name_prefix="conflictbank-reports")


def kept(name: str, scope: Scope, make: Callable[..., Report], **options: object) -> Report:
    """The report of this name, computed or kept; its notes are always computed anew."""
    if scope.public or scope.hidden or scope.round:
        return make(scope, **options)
    key, state = (name, *sorted(options.items()), *_of_scope(scope)), _state()
    with _lock:
        found = _kept.get(key)
    if found and found.state == state:
        return found.shown(scope)
    count = partial(_count, key, state, partial(make, scope, **options))
    if not scope.takes_earlier or not _are_many():
        return count().report
    with suppress(TimeoutError):
        found = _behind(key, count).result(PATIENCE_SECONDS)
    if found is None:
        return Report(REPORTS[name][0], [], [], {}, [], empty=COUNTING, is_being_counted=True)
    if found.state == state:
        return found.shown(scope)
    _behind(key, count)
    time = timezone.localtime(found.counted_at)
    return found.shown(scope, Note(COUNTED_BEFORE.format(time=f"{time:%Y-%m-%d %H:%M:%S}")))


def _count(key: Key, state: Key, make: Callable[[], Report]) -> Kept:
    """Make a report and keep it. `state` is from before: what is answered meanwhile is counted the next time."""
    now = timezone.now()
    found = Kept(make(), state, now)
    with _lock:
        _kept[key] = found
        _kept.move_to_end(key)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _behind(key: Key, count: Callable[[], Kept]) -> "Future[Kept]":
    """The count of this report in a thread of its own: the one in progress, or a new one."""

    def work() -> Kept:
        try:
            return count()
        finally:
            with _lock:
                del _counting[key]
            connections.close_all()

    with _lock:
        if key not in _counting:
            _counting[key] = _executor.submit(work)
        return _counting[key]


def _are_many() -> bool:
    return Reading.everything.filter(pk__gt=FEW_ANSWERS).exists()


def _of_scope(scope: Scope) -> Key:
    release, run = scope.release and scope.release.pk, scope.run and scope.run.pk
    return release, run, scope.benchmark, scope.by_instance, tuple(sorted(scope.set_aside))


def _state() -> Key:
    """A token that changes with each answer, each finished import, and each new name of a model."""
    last_reading = tuple(Reading.everything.order_by("-pk").values_list("pk", "read_at")[:1])
    batches = tuple(Batch.objects.order_by("-pk").values_list("pk", "is_open")[:1])
    return last_reading, batches, tuple(LanguageModel.objects.order_by("pk").values_list("pk", "name"))
