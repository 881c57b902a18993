"""The drill of faults: fifty people annotate while the site loses one thing after the other; then what it
acknowledged is compared with what it stored.

    python -m speed.faults [--postgresql] [--people 50] [--turns 1] [--only killed,full]

Parts are killed (SIGKILL) or stopped (SIGTERM) and started again, the worker and the web server stand still for two
minutes, the database takes no writes, the disk is full, the clock is off by an hour in both directions, and the
broker forgets everything. In the middle of the work a backup is made, which is restored at the end. Everything lives
on a small disk of its own, which takes the right to mount one, and the wrong clock takes a compiler of C: without
them the fault is left out, and the drill says so.

Each annotation is saved twice and submitted. Whoever gets no answer asks again, as the desk's script does. Ends with
1 if an acknowledged save or submission is missing or stored twice, if two people worked at the same tag while its
lease held, or if the site answered with an error other than 503.
"""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from speed.load import Players, fill_site, verdict
from speed.playing.http import Book
from speed.playing.servers import Site, machine, private_site

from .clock import shifted
from .kinds import HOUR, Clock, Fault, Flush, Freeze, Full, Kill, Locked, ReadOnly, Stop
from .restored import Backup
from .weather import Weather

DISK_MB = 2_500
TAGS = 40_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", action="store_true", help="a PostgreSQL and a Redis of its own")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--turns", type=int, default=1, help="how often each fault happens")
    parser.add_argument("--only", default="", metavar="WORDS", help="only faults whose names hold one of these words")
    options = parser.parse_args()
    with small_disk() as disk, private_site(is_postgresql=options.postgresql) as site:
        sys.exit(0 if drill(site, disk, options) else 1)


@contextlib.contextmanager
def small_disk() -> Iterator[Path | None]:
    """A file system of its own for everything that is made meanwhile; None where it may not be mounted."""
    with tempfile.TemporaryDirectory(prefix="workbench-disk-") as folder:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=711", "none", folder],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            print(f"The disk cannot be filled here: {made.stderr.strip()}")
            yield None
            return
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = None
            subprocess.run(["umount", "--lazy", folder], check=True)


def drill(site: Site, disk: Path | None, options: argparse.Namespace) -> bool:
    fill_site(tags=TAGS, responses=0)
    book, players = Book(), Players(site)
    players.sign_in(options.people, 0)
    clock = site.folder / "clock"
    site.start_web(2, environment=shifted(clock))
    if not clock.exists():
        print("The clock cannot be wrong here: there is no compiler of C.")
    backup = Backup(players.kept)
    faults = [backup, *(each for each in faults_of(site, disk, clock) if chosen(each.name, options.only))]
    print(f"{machine()}; {options.people} people, {'PostgreSQL' if options.postgresql else 'SQLite'}", flush=True)
    weather = Weather(site)

    async def played() -> None:
        await weather.over(faults, options.turns, players.of("annotate", options.people, book))

    asyncio.run(played())
    print("\n".join(weather.told()))
    print(f"requests: {sum(map(len, book.times.values())):,} answered, at the longest after {book.longest:.1f} s")
    print(f"  tries without an answer: {book.unanswered.total():,} {dict(book.unanswered)}")
    print(f"  refused: {dict(book.refused) or 'none'}; tags that went to someone else: {weather.passed_on}")
    errors = {kind: number for kind, number in book.unanswered.items() if is_error(kind)}
    print(f"  answers with an error other than 503: {errors or 'none'}")
    is_stored = verdict(players.kept, 0)
    is_restored, line = backup.restored(site.folder / "restored")
    print(line)
    return is_stored and is_restored and not errors


def faults_of(site: Site, disk: Path | None, clock: Path) -> Iterator[Fault]:
    """All that can happen to this site."""
    yield from (Kill(name) for name in ("web", "worker", "broker", "database") if name in site.servers)
    yield from (Stop(name) for name in ("web", "worker"))
    yield Flush(os.environ["CELERY_BROKER_URL"])
    address = os.environ["DATABASE_URL"]
    yield ReadOnly(address) if "database" in site.servers else Locked(site.folder / "workbench.sqlite3")
    if disk:
        yield Full(disk)
    if clock.exists():
        yield from (Clock(clock, offset) for offset in (HOUR, -HOUR))
    yield from (Freeze(name) for name in ("worker", "web"))


def chosen(name: str, words: str) -> bool:
    return not words or any(word in name for word in words.split(","))


def is_error(kind: str) -> bool:
    """Return whether a try ended with an error of the program: "save 500"."""
    told = kind.rpartition(" ")[2]
    return told.isdigit() and int(told) >= 500 and told != "503"


if __name__ == "__main__":
    main()
