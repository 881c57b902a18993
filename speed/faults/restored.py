"""A backup made in the middle of the work, and whether all work acknowledged before it is in the restored site.

python -m speed.faults.restored WORK      # in the environment of the restored site; WORK is what the drill wrote
"""

import os
import pickle
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg

from speed.laboratory import ROOT
from speed.playing.people import Acknowledged
from speed.playing.servers import Site

ALL = "all there"


@dataclass
class Backup:
    """A backup is made, as the clock does each night; it is restored once everything is over."""

    kept: Acknowledged
    name: str = "backup made"
    seconds: float = 0.0

    def begin(self, site: Site) -> None:
        self.work = Acknowledged(saves=list(self.kept.saves), submissions=list(self.kept.submissions))
        started = time.monotonic()
        folder = site.folder / "backups"
        _run(dict(os.environ), "manage.py", "backup", str(folder))
        self.took = time.monotonic() - started
        self.file = max(folder.iterdir())

    def end(self, site: Site) -> None:
        pass

    def restored(self, folder: Path) -> tuple[bool, str]:
        """Restore it into an empty site; returns whether all that was acknowledged before it is there, and a line
        about it.
        """
        folder.mkdir()
        environment = os.environ | {"VAR_DIR": str(folder), "DATABASE_URL": _empty_database()}
        started = time.monotonic()
        _run(environment, "manage.py", "restore", str(self.file))
        seconds = time.monotonic() - started
        (folder / "work").write_bytes(pickle.dumps(self.work))
        said = _run(environment, "-m", "speed.faults.restored", str(folder / "work"))
        line = (
            f"backup {self.took:.1f} s, {self.file.stat().st_size / 1e6:.1f} MB; restored in {seconds:.1f} s: "
            f"{len(self.work.saves):,} saves, {len(self.work.submissions):,} submissions before it: {said}"
        )
        return said == ALL, line


def _run(environment: dict[str, str], *command: str) -> str:
    ended = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)}: {ended.stderr[-2000:]}")
    return ended.stdout.strip()


def _empty_database() -> str:
    address = os.environ["DATABASE_URL"]
    if not address:  # a file in VAR_DIR
        return ""
    with psycopg.connect(address.replace("postgres:", "postgresql:"), autocommit=True) as server:
        server.execute("CREATE DATABASE restored")
    return f"{address.rsplit('/', 1)[0]}/restored"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from speed.playing.checks import missing_saves, missing_submissions

    kept: Acknowledged = pickle.loads(Path(sys.argv[1]).read_bytes())
    saves, submissions = missing_saves(kept.saves, 0), missing_submissions(kept.submissions, 0)
    print(f"{len(saves)} saves and {len(submissions)} submissions are MISSING" if saves or submissions else ALL)


if __name__ == "__main__":
    main()
