"""The settings needed to call an endpoint, and whether they are set: in this process, which shows the pages, and
where workers make the calls.
"""

import os
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

import httpx2
from django.conf import settings
from django.utils import timezone

from core.hosts import is_listed

from ..endpoints.addresses import EndpointRefused, check_base_url, read_key
from ..models import WorkerSettings

# Workers report this often (seconds), and count as running for this long after a report.
REPORT_EVERY = 60.0
RUNNING_FOR = timedelta(minutes=3)

reported_at = -REPORT_EVERY


@dataclass(frozen=True, slots=True)
class WorkersView:
    """The settings missing for the workers on one machine: the host, and unset variables."""

    machine: str
    lacks_host: bool
    lacks: list[str]


@dataclass(frozen=True)
class Needs:
    """The needs of an endpoint. `host` is empty if the address has none; `host_problem` and `problems` (by variable)
    describe problems in this process, `""` for none.
    """

    host: str
    host_problem: str
    problems: dict[str, str] = field(default_factory=dict)
    workers: list[WorkersView] = field(default_factory=list)

    @property
    def is_met(self) -> bool:
        return not self.host_problem and not any(self.problems.values())

    @property
    def lines(self) -> list[str]:
        """The settings of web and worker, as lines to copy, with their current values."""
        hosts = [*settings.LLM_ALLOWED_HOSTS, *([self.host] if self.host_problem and self.host else [])]
        unlisted = [name for name in self.problems if name not in settings.LLM_KEY_NAMES]
        lines = [f"LLM_ALLOWED_HOSTS={','.join(hosts)}"] if self.host_problem and self.host else []
        if unlisted:
            lines.append(f"LLM_KEY_NAMES={','.join([*settings.LLM_KEY_NAMES, *unlisted])}")
        return lines + [f"{name}=" for name, problem in self.problems.items() if problem]


def find_needs(base_url: str, variables: Iterable[str]) -> Needs:
    """The needs of calls to `base_url` with keys and headers from `variables`."""
    try:
        host = httpx2.URL(base_url).host.lower().rstrip(".")
    except (httpx2.InvalidURL, ValueError, TypeError):
        host = ""
    names = sorted({name for name in variables if name})
    return Needs(
        host=host,
        host_problem=problem_of(check_base_url, base_url),
        problems={name: key_problem(name) for name in names},
        workers=[lacking(row, base_url, host, names) for row in running_workers()] if host else [],
    )


def key_problem(key_name: str) -> str:
    """The reason why the key cannot be used in this process; "" if it can be."""
    return problem_of(read_key, key_name)


def problem_of(check, value: str) -> str:
    try:
        check(value)
    except EndpointRefused as refused:
        return str(refused)
    return ""


def running_workers() -> list[WorkerSettings]:
    return list(WorkerSettings.objects.filter(reported_at__gt=timezone.now() - RUNNING_FOR).order_by("machine"))


def lacking(row: WorkerSettings, base_url: str, host: str, names: list[str]) -> WorkersView:
    lacks_host = not is_listed(host, httpx2.URL(base_url).port, row.hosts)
    return WorkersView(row.machine, lacks_host, [name for name in names if name not in row.key_names])


def report_settings() -> None:
    """Called in a worker: report to the pages, once per minute, its hosts and the names of its keys; no key is
    revealed.
    """
    global reported_at
    if time.monotonic() - reported_at < REPORT_EVERY:
        return
    reported_at = time.monotonic()
    WorkerSettings.objects.update_or_create(
        machine=socket.gethostname()[:255],
        defaults={
            "hosts": list(settings.LLM_ALLOWED_HOSTS),
            "key_names": [name for name in settings.LLM_KEY_NAMES if os.environ.get(name, "").strip()],
            "reported_at": timezone.now(),
        },
    )
