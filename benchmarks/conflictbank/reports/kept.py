"""Keeps the last reports of a process while nothing that they count has changed: counting a million answers takes
longer than a page may.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Any

from core.models import Batch
from judging.models import LanguageModel, Reading
from review.reports.layout import Report
from review.reports.scope import Scope

# A report has the numbers of its tables, not the answers: some 100 KB.
MOST_KEPT = 20
# Each begins with the note that texts mislead; the scope's notes follow.
OWN_NOTES = 1
Key = tuple[Any, ...]

_kept: OrderedDict[Key, Report] = OrderedDict()
_lock = Lock()


def kept(name: str, scope: Scope, make: Callable[..., Report], **options: object) -> Report:
    """The report of this name, made or as it was made before; its notes are always made anew."""
    if scope.public or scope.hidden or scope.round:
        return make(scope, **options)
    key = (name, *sorted(options.items()), *_of_scope(scope), *_state())
    with _lock:
        found = _kept.get(key)
    if found is None:
        found = make(scope, **options)
        with _lock:
            _kept[key] = found
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
        return found
    return replace(found, notes=[*found.notes[:OWN_NOTES], *scope.notes()])


def _of_scope(scope: Scope) -> Key:
    release, run = scope.release and scope.release.pk, scope.run and scope.run.pk
    return release, run, scope.benchmark, scope.by_instance, tuple(sorted(scope.set_aside))


def _state() -> Key:
    """A token that changes with each answer, each finished import, and each new name of a model."""
    last_reading = tuple(Reading.everything.order_by("-pk").values_list("pk", "read_at")[:1])
    batches = tuple(Batch.objects.order_by("-pk").values_list("pk", "is_open")[:1])
    return last_reading, batches, tuple(LanguageModel.objects.order_by("pk").values_list("pk", "name"))
