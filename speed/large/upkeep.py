"""Measures backup, verification, restore, upgrade and the move to PostgreSQL of a large site, the memory of each
process, and the lines that an idle worker writes.

    python -m speed.large.upkeep --tags 100000                  # SQLite; moves to a private PostgreSQL
    python -m speed.large.upkeep --tags 100000 --postgresql     # a private PostgreSQL and Redis

Each command is a process of its own, as an admin starts it; its memory is the most that it had at one time.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from speed.laboratory import ROOT
from speed.large.queue import PEOPLE, make_evidence, make_people, make_queue
from speed.lock_waits import peak_memory
from speed.playing.servers import Site, machine, postgresql, private_site, wait_for_database
from tests.upgrades.stored import migration_sums, stored_folder, stored_versions

DAY = 24 * 3600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tags", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true", help="a private PostgreSQL and Redis, instead of SQLite")
    parser.add_argument("--idle", type=int, default=180, metavar="SECONDS", help="how long the worker is left idle")
    chosen = parser.parse_args()
    print(machine(), flush=True)
    with private_site(is_postgresql=chosen.postgresql) as site:
        begun = time.monotonic()
        make_people()
        make_queue(chosen.tags)
        make_evidence()
        print(f"{chosen.tags:,} tags of {PEOPLE:,} people made in {time.monotonic() - begun:.0f} s", flush=True)
        upgrade()
        archive = back_up(site.folder / "backups")
        with empty_postgresql() if chosen.postgresql else contextlib.nullcontext("") as database:
            restore(archive, database)
        if not chosen.postgresql:
            # Nothing goes out from a database that has moved, so the idle worker would have less to look for.
            leave_idle(site, chosen.idle)
            with empty_postgresql() as database:
                run("move to PostgreSQL", "move", database)
        else:
            leave_idle(site, chosen.idle)


def upgrade() -> None:
    """Undo the migrations since the newest version with a stored database, and apply them as an update does."""
    version = stored_versions()[-1]
    released = json.loads((stored_folder(version) / "migrations.json").read_text())
    newest = {Path(path).parent.parent.name: Path(path).stem for path in sorted(released)}
    added = [path for path in migration_sums() if path not in released]
    for app in {Path(path).parent.parent.name for path in added}:
        run(f"(back to {version}: {app})", "migrate", "--no-copy", app, newest[app])
    run(f"upgrade from {version}, {len(added)} migrations", "migrate")


def back_up(folder: Path) -> Path:
    run("backup", "backup", str(folder))
    archive = max(folder.iterdir())
    print(f"  {'its size':34} {archive.stat().st_size / 1e6:7.1f} MB", flush=True)
    run("verify", "verify", str(archive))
    return archive


@contextlib.contextmanager
def empty_postgresql() -> Iterator[str]:
    """The address of an empty database on a PostgreSQL of its own."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-upkeep-"))
    folder.chmod(0o711)
    server = postgresql(folder)
    try:
        server.start()
        address = f"postgres://workbench@127.0.0.1:{server.port}/postgres"
        wait_for_database(address)
        yield address
    finally:
        server.end()
        shutil.rmtree(folder, ignore_errors=True)


def restore(archive: Path, database: str) -> None:
    """Restore the archive into an empty site, in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-upkeep-"))
    try:
        run("restore", "restore", str(archive), VAR_DIR=str(folder), DATABASE_URL=database)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(what: str, *command: str, **environment: str) -> None:
    """Run a command of manage.py, and print its time and the most memory that its process had."""
    started, memory = time.monotonic(), 0
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=os.environ | environment, stdout=said, stderr=said
        )
        while process.poll() is None:
            memory = max(memory, peak_memory(process.pid))
            time.sleep(0.05)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)}: {said.read()[-2000:]}")
    print(f"  {what:34} {time.monotonic() - started:7.1f} s   {memory:6.0f} MB", flush=True)


def leave_idle(site: Site, seconds: int) -> None:
    """Start web server and worker, use them a little, leave them alone, and print their memory and the lines that the
    worker wrote meanwhile.
    """
    site.start_web(2, environment={"LOG_LEVEL": "INFO"})  # as without a setting; a laboratory logs errors alone
    time.sleep(60)  # the worker has then done each of its tasks that come more often than hourly
    log = site.folder / "worker.log"
    before, cpu = len(log.read_bytes().splitlines()), site.cpu()
    time.sleep(seconds)
    written = len(log.read_bytes().splitlines()) - before
    print(f"  an idle worker writes {written} lines in {seconds} s: {written * DAY // seconds:,} in a day")
    for name, memory in site.memory().items():
        spent = site.cpu()[name] - cpu[name]
        print(f"  {name:34} {memory:7.0f} MB, {spent / seconds:.1%} of a core while idle", flush=True)


if __name__ == "__main__":
    main()
