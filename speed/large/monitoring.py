"""Measures /metrics/ and the page Now of a large site: the time of each, its slowest statements, and its memory.

    python -m speed.large.monitoring [--calls 1000000] [--tags 100000] [--postgresql]

Half of the calls of a running run are done. A thousand have just ended and a thousand are held by a worker that has
died; of the tags' evidence, half waits; fifty people have a tag in hand, twenty of them without an open page.
"""

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from speed.laboratory import analyse, as_served, peak, sign_in
from speed.large.queue import make_evidence, make_people, make_queue
from speed.large.runs import make_large_runs
from speed.playing.servers import machine, private_site

TIMES, WARM_UP = 10, 2
LATELY, AT_DESKS, AWAY = 1_000, 50, 20
TOKEN = "of-a-measurement-" * 3
SLOW_MS = 5.0
PAGES = {
    "/metrics/": {"authorization": f"Bearer {TOKEN}"},
    "/now/": {},
    "/now/ (refreshed)": {"hx-request": "true"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--tags", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true", help="a private PostgreSQL and Redis, instead of SQLite")
    chosen = parser.parse_args()
    os.environ["METRICS_TOKEN"] = TOKEN
    with private_site(is_postgresql=chosen.postgresql):
        begun = time.monotonic()
        make_people()
        make_queue(chosen.tags)
        make_evidence()
        make_large_runs(chosen.calls)
        keep_busy()
        analyse()
        print(f"{machine()}; made in {time.monotonic() - begun:.0f} s", flush=True)
        as_served()
        for page, headers in PAGES.items():
            measure(page, headers)
        print(f"memory of this process at most: {peak():.0f} MB", flush=True)


def keep_busy() -> None:
    """Let a part of what has been made be in progress at this moment."""
    from django.utils import timezone

    from annotation.models import Assignment, EvidenceRequest, RequestState
    from core.models import User
    from judging.models import Call, CallState, RunState

    now = timezone.now()
    for number, tag in enumerate(Assignment.objects.filter(annotator=None).order_by("pk")[:AT_DESKS]):
        tag.annotator = User.objects.get(username=f"person{100 + number:03}")
        tag.claimed_at = now
        tag.lease_expires_at = now + (timedelta(hours=12) if number >= AWAY else -timedelta(hours=1))
        tag.save()
    half = EvidenceRequest.objects.order_by("pk").values_list("pk", flat=True)
    middle = half[half.count() // 2]
    EvidenceRequest.objects.filter(pk__lt=middle).update(
        state=RequestState.WAITING, evidence=None, reason="", not_before=now - timedelta(minutes=5)
    )
    calls = Call.objects.filter(run__state=RunState.RUNNING)
    ended = calls.filter(state=CallState.DONE).order_by("-pk").values("pk")[:LATELY]
    Call.objects.filter(pk__in=list(ended.values_list("pk", flat=True))).update(ended_at=now + timedelta(hours=1))
    sent = calls.filter(state=CallState.PENDING).order_by("pk")[:LATELY]
    lapsed = now - timedelta(minutes=10)
    Call.objects.filter(pk__in=list(sent.values_list("pk", flat=True))).update(
        state=CallState.SENT, lease_expires_at=lapsed, attempts_made=1
    )


@contextmanager
def statements() -> Iterator[list[tuple[float, str]]]:
    """Gather each statement and its milliseconds."""
    from django.db import connection

    gathered: list[tuple[float, str]] = []

    def timed(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        begun = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            gathered.append(((time.perf_counter() - begun) * 1000, sql))

    with connection.execute_wrapper(timed):
        yield gathered


def measure(page: str, headers: dict[str, str]) -> None:
    """Ask for this page a few times, and print the time and the slow statements of the median request."""
    from django.test import Client

    client = Client(SERVER_NAME="localhost", headers=headers)
    client.cookies["sessionid"] = sign_in("person000", 1)[0]
    taken = []
    for _ in range(WARM_UP + TIMES):
        with statements() as gathered:
            begun, cpu = time.perf_counter(), time.thread_time()
            answer = client.get(page.split()[0])
            taken.append(((time.perf_counter() - begun) * 1000, (time.thread_time() - cpu) * 1000, gathered))
        assert answer.status_code == 200, answer.status_code
    taken = taken[WARM_UP:]
    p50 = statistics.median(each[0] for each in taken)
    cpu = statistics.median(each[1] for each in taken)
    most = max(each[0] for each in taken)
    print(f"{page}: p50 {p50:.1f} ms, at most {most:.1f} ms, {cpu:.1f} ms of CPU, {len(taken[-1][2])} statements")
    for ms, sql in sorted(taken[-1][2], reverse=True):
        if ms > SLOW_MS:
            print(f"    {ms:7.1f} ms {sql[:700]}", flush=True)


if __name__ == "__main__":
    main()
