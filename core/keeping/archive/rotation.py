"""Old archives of a folder: the newest of each day and week are kept, the others deleted."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from .making import BEGINNING, ENDING


def archives(folder: Path) -> list[tuple[datetime, Path]]:
    """The archives in a folder with the time when each was begun, newest first."""
    found = []
    for path in folder.glob(f"{BEGINNING}*{ENDING}*"):
        try:
            at = datetime.strptime(path.name[len(BEGINNING) :].split(".")[0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        except ValueError:
            continue
        found.append((at, path))
    return sorted(found, reverse=True)


def to_delete(found: Iterable[tuple[datetime, Path]], *, days: int, weeks: int) -> list[Path]:
    """The archives that are neither the newest of one of the last `days` days with an archive, nor of one of the last
    `weeks` weeks. The newest of all always stays.
    """
    kept_days: set[object] = set()
    kept_weeks: set[object] = set()
    gone = []
    for number, (at, path) in enumerate(found):
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
    gone = to_delete(archives(folder), days=days, weeks=weeks)
    for path in gone:
        path.unlink(missing_ok=True)
    return gone
