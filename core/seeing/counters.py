"""Counters of this site's web processes: requests, saves, and the time that requests take.

Each process counts in a file of its own below VAR_DIR, and the process that is asked adds them up. Import this module
only with METRICS_TOKEN set: it chooses how Prometheus's library counts before it loads it.
"""

import os
import re
import socket
from contextlib import suppress
from pathlib import Path

from django.conf import settings

FOLDER = Path(settings.VAR_DIR) / "metrics" / socket.gethostname()


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def clear_after_restart(folder: Path) -> None:
    """Delete the files of an earlier start, whose processes have all ended. While one of them runs, the files of the
    others still count, so that no sum falls."""
    files = {path: int(found[1]) for path in folder.glob("*.db") if (found := re.search(r"_(\d+)\.db$", path.name))}
    if any(_is_running(pid) and pid != os.getpid() for pid in files.values()):
        return
    for path in files:
        with suppress(FileNotFoundError):
            path.unlink()


FOLDER.mkdir(parents=True, exist_ok=True)
clear_after_restart(FOLDER)
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(FOLDER)

from prometheus_client import CollectorRegistry, Counter, Histogram  # noqa: E402  # it reads the variable when loaded
from prometheus_client.multiprocess import MultiProcessCollector  # noqa: E402

REQUESTS = Counter(
    "workbench_requests", "Requests by the pattern of their address", ["method", "path", "status"], registry=None
)
SAVES = Counter("workbench_saves", "Requests that send data, by their outcome", ["outcome"], registry=None)
SECONDS = Histogram(
    "workbench_request_seconds",
    "Seconds until a response begins",
    registry=None,
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
for _outcome in ("saved", "refused", "failed"):
    SAVES.labels(_outcome)  # a figure that is 0 is shown, too


def count(*, method: str, path: str, status: int, seconds: float) -> None:
    """Count one request."""
    REQUESTS.labels(method, path, f"{status // 100}xx").inc()
    SECONDS.observe(seconds)
    if method in ("POST", "PUT", "PATCH", "DELETE"):
        SAVES.labels("saved" if status < 400 else "refused" if status < 500 else "failed").inc()


def register_sums(registry: CollectorRegistry) -> None:
    """Have the registry collect the counters of all processes."""
    MultiProcessCollector(registry, path=str(FOLDER))
