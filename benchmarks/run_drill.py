"""The kill drill: 1,000 paid calls, workers and broker killed at random moments, and the books afterwards.

    python -m benchmarks.run_drill                       # SQLite and the embedded broker
    python -m benchmarks.run_drill --backend postgres    # PostgreSQL and Redis, a private database and server of each

Two workers as `manage.py up` starts them, a counting server that answers after a moment and refuses every tenth call
with 429. Workers are killed with SIGKILL at random points of the run's progress, most often the one at work, at times
both, and started again at once; the broker is killed or wiped, and begins anew with nothing. When no call is left,
those in doubt are repeated, as an admin would. Ends with 1 where the books are not in order.

PostgreSQL is reached as DRILL_POSTGRES says (a libpq string, default `dbname=postgres`).
"""

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.laboratory import free_port, laboratory

# Short, so that the drill ends soon; nothing else differs from an installation.
HASTE = {"CALL_LEASE_SECONDS": "4", "CALL_BACKOFF_SECONDS": "0.2"}


class FolderBroker:
    """The embedded broker: a folder of messages. Its end is that all of them are gone."""

    url = "files://localhost"

    def start(self, folder: Path) -> None:
        self.queue = folder / "messages" / "queue"

    def kill(self) -> None:
        grave = self.queue.with_name(f"lost-{time.monotonic_ns()}")
        with contextlib.suppress(OSError):
            self.queue.rename(grave)
        self.queue.mkdir(exist_ok=True)
        shutil.rmtree(grave, ignore_errors=True)

    def end(self) -> None:
        pass


class RedisBroker:
    """A private Redis that keeps nothing: killed, it starts again empty."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self, folder: Path) -> None:
        self.folder = folder
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no", "--logfile", str(folder / "redis.log")]
        self.process = subprocess.Popen(command, cwd=folder)

    def kill(self) -> None:
        self.end()
        self.start(self.folder)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def private_database() -> Iterator[str]:
    """The URL of a PostgreSQL database that is made for the drill and dropped after it."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    admin = os.environ.get("DRILL_POSTGRES", "dbname=postgres")
    given = conninfo_to_dict(admin)
    name = f"workbench_drill_{os.getpid()}"
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    person = f"{given['user']}:{given.get('password', '')}@" if given.get("user") else ""
    try:
        yield f"postgres://{person}{given.get('host', '')}:{given.get('port', 5432)}/{name}"
    finally:
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--worker-kills", type=int, default=20)
    parser.add_argument("--broker-kills", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=900.0, help="give up after so long")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    options = parser.parse_args()
    random.seed(options.seed)
    with contextlib.ExitStack() as stack:
        broker: FolderBroker | RedisBroker = FolderBroker()
        environment = dict(HASTE)
        if options.backend == "postgres":
            broker = RedisBroker()
            environment["DATABASE_URL"] = stack.enter_context(private_database())
        folder = stack.enter_context(laboratory(CELERY_BROKER_URL=broker.url, **environment))
        broker.start(folder)
        stack.callback(broker.end)
        from benchmarks.drill_books import Drill

        holds = Drill(folder, broker.kill, options).run()
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
