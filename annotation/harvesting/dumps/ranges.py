"""Ranges of a dump, which the workers of several machines claim and read at the same time.

A range is a section as in `sections`. Workers read ahead, but store in turns: a range is stored, step by step, once
the harvest's checkpoint has come to its beginning, and deleted together with its last step. So the result is that of
one reader. Where a range is damaged, its worker drops all that follow and reads the rest of the file alone; what is
behind the last section is such a rest, too.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.writing.leases import LeaseLost
from core.writing.locking import lock

from ...models import DumpRange, Harvest
from ..harvests import LEASE, HarvestHold, being_harvested
from .dump import Checkpoint, SoFar
from .sections import Read, Sections, by_one_reader, end_of_section

SECONDS_BETWEEN_LOOKS = 0.1

# The harvest's checkpoint as it is stored, what it says for messages, and the pages that follow it.
Part = tuple[dict[str, Any], SoFar, Iterator[Read | Checkpoint]]


def parts_in_turn(hold: HarvestHold, sections: Sections, processes: int) -> Iterator[Part]:
    """Each range that this worker reads, once it is to be stored: the caller stores it before it asks for the next.

    Raises:
        LeaseLost: nothing is left for this worker, or its harvest or a range is no longer its own.
    """
    reading: dict[int, Future] = {}
    with ThreadPoolExecutor(processes) as threads:
        try:
            while True:
                while (new := _claimed(hold, sections.path, processes * 2)) is not None:
                    hold.ranges = sorted([*hold.ranges, new], key=lambda row: row.begin)
                    reading[new.pk] = threads.submit(_read, sections, new)
                if not hold.ranges:
                    raise LeaseLost  # another worker reads the rest
                first, checkpoint = hold.ranges[0], _checkpoint(hold.harvest)
                hold.renew_when_due()
                if checkpoint["behind"]["packed"] != first.begin or not reading[first.pk].done():
                    time.sleep(SECONDS_BETWEEN_LOOKS)
                    continue
                section, so_far = reading.pop(first.pk).result(), so_far_of(checkpoint)
                at = Checkpoint(**checkpoint["behind"])
                if section is None or first.end is None:
                    _take_the_rest(hold, first)
                    yield checkpoint, so_far, by_one_reader(sections.path, at, so_far)
                    return
                yield checkpoint, so_far, sections.pages(section, first.begin, first.end, at, so_far)
                hold.ranges.remove(first)
        finally:
            threads.shutdown(cancel_futures=True)


def so_far_of(checkpoint: dict[str, Any]) -> SoFar:
    return SoFar(checkpoint.get("whole", 0), checkpoint.get("last", ""), checkpoint.get("last_title", ""))


def _read(sections: Sections, row: DumpRange) -> dict[str, Any] | None:
    return None if row.end is None else sections.ask(row.begin, row.end)


def _checkpoint(harvest: Harvest) -> dict[str, Any]:
    return (Harvest.objects.values_list("cursor", flat=True).get(pk=harvest.pk) or {})["checkpoint"]


def _claimed(hold: HarvestHold, path: Path, most: int) -> DumpRange | None:
    """A range for this worker: one whose worker is gone, or the next of the file unless it holds `most`."""
    now, rows = timezone.now(), DumpRange.objects.filter(harvest=hold.harvest)
    being_read = list(rows)
    if sum(row.holder == hold.holder for row in being_read) < len(hold.ranges):
        raise LeaseLost
    left = [row for row in being_read if row.lease_expires_at <= now and row.holder != hold.holder]
    if left:
        lapsed = rows.filter(pk=left[0].pk, lease_expires_at__lte=now)
        return left[0] if lapsed.update(holder=hold.holder, lease_expires_at=now + LEASE) else None
    begin = _frontier(hold.harvest) if len(hold.ranges) < most else None
    return None if begin is None else _next_range(hold, begin, end_of_section(path, begin), now)


@transaction.atomic
def _next_range(hold: HarvestHold, begin: int, end: int | None, now: datetime) -> DumpRange | None:
    if not lock(being_harvested(hold.harvest)):
        raise LeaseLost
    if _frontier(hold.harvest) != begin:
        return None  # another worker was quicker
    return DumpRange.objects.create(
        harvest=hold.harvest, begin=begin, end=end, holder=hold.holder, lease_expires_at=now + LEASE
    )


def _frontier(harvest: Harvest) -> int | None:
    """The offset from which on no worker has claimed the file; None if one reads the rest."""
    last = DumpRange.objects.filter(harvest=harvest).last()
    return last.end if last else _checkpoint(harvest)["behind"]["packed"]


@transaction.atomic
def _take_the_rest(hold: HarvestHold, first: DumpRange) -> None:
    hold.renew()
    rows = DumpRange.objects.filter(harvest=hold.harvest)
    rows.filter(begin__gt=first.begin).delete()
    rows.filter(pk=first.pk).update(end=None)
    hold.ranges = [first]
