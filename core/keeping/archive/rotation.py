"""Old archives of a folder: the newest of each day and week are kept, the others deleted."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.utils import timezone

from .encryption import SUFFIX
from .making import BEGINNING, ENDING

# No other file counts, such as one with the checksum of an archive.
NAME = re.compile(rf"{BEGINNING}(\d{{8}}T\d{{6}}Z){re.escape(ENDING)}({re.escape(SUFFIX)})?")
# Clocks differ by less.
AHEAD = timedelta(days=1)


def archives(folder: Path) -> list[tuple[datetime, Path]]:
    """The archives in a folder with the time when each was begun, newest first."""
    found = []
    for path in folder.glob(f"{BEGINNING}*"):
        if not (name := NAME.fullmatch(path.name)):
            continue
        try:
            at = datetime.strptime(name[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        except ValueError:
            continue
        found.append((at, path))
    return sorted(found, reverse=True)


def to_delete(found: Iterable[tuple[datetime, Path]], *, days: int, weeks: int, now: datetime) -> list[Path]:
    """The archives that are neither the newest of one of the last `days` days with an archive, nor of one of the last
    `weeks` weeks. The newest of all always stays. Those from the future, of a clock that was wrong, stay and do not
    count: otherwise each new archive would be deleted as an older one.
    """
    kept_days: set[object] = set()
    kept_weeks: set[object] = set()
    gone = []
    for number, (at, path) in enumerate(each for each in found if each[0] <= now + AHEAD):
        day, week = at.date(), at.isocalendar()[:2]
        keeps = number == 0
        if day not in kept_days and len(kept_days) < days:
            kept_days.add(day)
            keeps = True
        if week not in kept_weeks and len(kept_weeks) < weeks:
            kept_weeks.add(week)
            keeps = True
        if not keeps:
            gone.append(path)
    return gone


def rotate(folder: Path, *, days: int, weeks: int) -> list[Path]:
    """Delete the archives that are no longer kept, and return them."""
    gone = to_delete(archives(folder), days=days, weeks=weeks, now=timezone.now())
    for path in gone:
        path.unlink(missing_ok=True)
    return gone
