"""Figures of the site for monitoring, read from the database when they are asked for. Each app offers its own.

They are numbers of the whole site: no name, no model, no run and no text. Each source sends few queries, which follow
an index or read kept sums, so that a million calls cost no more than a hundred.
"""

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from ..health.signs import last_sign, recent_signs
from ..models import Delivery, DeliveryState, SignKind

log = logging.getLogger(__name__)

# Rows are counted up to here: more says the same, and a count of all would take seconds.
MOST_COUNTED = 10_000
QUEUE_AGE = "workbench_queue_age_seconds", "Seconds for which the oldest waiting row of a queue has been due"
QUEUE_LENGTH = "workbench_queue_length", f"Rows of a queue that wait, counted up to {MOST_COUNTED}"
LAPSED = "workbench_lapsed_leases", f"Leases whose holder is silent, counted up to {MOST_COUNTED}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. Figures of the same name differ in their labels, whose values come from lists in the code."""

    name: str
    about: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


Source = Callable[[], Iterable[Figure]]

_sources: list[tuple[str, Source]] = []


def register(name: str, source: Source) -> None:
    """Offer the figures of this source. `name` is the source's in lines about its failures."""
    _sources.append((name, source))


def figures() -> list[Figure]:
    """The figures of all sources, and the number of sources that failed: these have none, rather than zeros."""
    found: list[Figure] = []
    failed = 0
    for name, source in _sources:
        try:
            found += list(source())
        except Exception:
            log.warning("the figures “%s” could not be read", name, exc_info=True)
            failed += 1
    return [*found, Figure("workbench_failed_sources", "Sources of figures that could not be read", failed)]


def counted(rows: QuerySet[Any]) -> int:
    """Return the number of rows, up to `MOST_COUNTED`. They have no order: in that of their keys, a database with few
    matching rows would read all others instead of using the index.
    """
    return rows.order_by()[:MOST_COUNTED].count()


def age(since: datetime | None, now: datetime) -> float:
    """Seconds since this time; 0 for a time in the future, and where nothing waits."""
    return max((now - since).total_seconds(), 0.0) if since else 0.0


def sign_figures() -> Iterator[Figure]:
    """The age of the last sign of each part; none for a part that has never given one."""
    now = timezone.now()
    for kind in (SignKind.WORKER, SignKind.CLOCK, SignKind.WORK, SignKind.SUMS, SignKind.BACKUP):
        if sign := last_sign(kind):
            about = "Seconds since the last sign of life of a part, or since the last sums check or backup"
            yield Figure("workbench_sign_age_seconds", about, age(sign.at, now), {"part": str(kind)})
    workers = recent_signs(SignKind.WORKER)
    yield Figure("workbench_workers", "Workers that have given a sign of life lately", len(workers))
    tasks = sum(int(sign.facts.get("active") or 0) for sign in workers)
    yield Figure("workbench_worker_tasks", "Tasks in progress, by the workers' last signs", tasks)


def disk_figures() -> Iterator[Figure]:
    """Space on the disk of VAR_DIR, as this process sees it."""
    usage = shutil.disk_usage(Path(settings.VAR_DIR))
    yield Figure("workbench_disk_free_bytes", "Free space on the disk of VAR_DIR", usage.free)
    yield Figure("workbench_disk_size_bytes", "Size of the disk of VAR_DIR", usage.total)


def webhook_figures() -> Iterator[Figure]:
    """Messages of active webhooks that wait to be sent."""
    now = timezone.now()
    waiting = Delivery.objects.filter(state=DeliveryState.WAITING, not_before__lte=now, webhook__is_on=True)
    oldest = waiting.order_by("not_before").values_list("not_before", flat=True).first()
    yield Figure(*QUEUE_AGE, age(oldest, now), {"queue": "webhooks"})
    yield Figure(*QUEUE_LENGTH, counted(waiting), {"queue": "webhooks"})


def register_figures() -> None:
    register("signs", sign_figures)
    register("disk", disk_figures)
    register("webhooks", webhook_figures)
