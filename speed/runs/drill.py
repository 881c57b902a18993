"""The kill drill: makes 1,000 paid calls, kills workers and broker at random, and checks the counts afterwards.

    python -m speed.runs.drill                       # SQLite and the embedded broker
    python -m speed.runs.drill --postgresql postgres://me@/postgres    # PostgreSQL and a Redis of its own
    python -m speed.runs.drill --batches             # the calls go out in batches
    python -m speed.runs.drill --asks statements     # the calls ask for statements of documents
    python -m speed.runs.drill --asks evidence       # ... for evidence for claims (ConflictBank)
    python -m speed.runs.drill --asks checks         # ... whether evidence entails its claim

Uses two workers as `manage.py up` starts them, and a counting server that answers after a moment and refuses every
tenth call with 429. Workers are killed with SIGKILL at random points of the run's progress, usually the busy one and
sometimes both, and restarted immediately; the broker is killed or wiped and starts again empty. When no call is left,
those in doubt are repeated, as an admin would do. Exits with 1 if the counts do not agree.
"""

import argparse
import contextlib
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

from speed.laboratory import laboratory_on
from tests.servers.services import free_port

# Short, so that the drill ends soon. Everything else is as in an installation.
HASTE = {"CALL_LEASE_SECONDS": "4", "CALL_BACKOFF_SECONDS": "0.2"}
HASTE |= {"BATCH_POLL_SECONDS": "0.5", "BATCH_GRACE_SECONDS": "4"}


class FolderBroker:
    """The embedded broker: a folder of messages. Killing it means deleting all of them."""

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
    """A private Redis that stores nothing on disk, so it restarts empty after a kill."""

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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--postgresql", metavar="URL", help="any database on the server in which one may be made")
    parser.add_argument("--batches", action="store_true", help="send the calls in batches of 40")
    parser.add_argument("--asks", choices=["answers", "statements", "evidence", "checks"], default="answers")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--worker-kills", type=int, default=20)
    parser.add_argument("--broker-kills", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=900.0, help="give up after so long")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    options = parser.parse_args()
    if options.batches and options.asks == "checks":
        parser.error("checks are not sent in batches")
    random.seed(options.seed)
    with contextlib.ExitStack() as stack:
        broker: FolderBroker | RedisBroker = RedisBroker() if options.postgresql else FolderBroker()
        folder = stack.enter_context(laboratory_on(options.postgresql, CELERY_BROKER_URL=broker.url, **HASTE))
        broker.start(folder)
        stack.callback(broker.end)
        from speed.runs.drill_books import Drill

        holds = Drill(folder, broker.kill, options).run()
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
