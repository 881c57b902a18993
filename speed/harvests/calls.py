"""Measures whether calls to a model keep their pace while a dump is harvested.

    python -m speed.harvests.calls [--postgresql] [--calls 600] [--threads 4]

A model answers after 200 ms, 20 calls at a time, so 100 calls per second would be ideal. They are made by one worker
with as many threads as `manage.py up` gives it: alone, while it harvests a dump, while it has as many dumps to
harvest as it has threads, while another worker harvests the dump from a queue of its own, and by four workers with
three queues. For each of them it prints how long after the start of the run the first call was sent, and the calls
per second from then on.
"""

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from speed.laboratory import Server as ModelServer
from speed.laboratory import percentile
from speed.large.dumps import forget, pages, requested, written
from speed.playing.servers import Server, Site, machine, private_site

if TYPE_CHECKING:
    from annotation.models import Harvest

DELAY, CONCURRENCY = 0.2, 20
PAGES, SHARE = 20_000, 0.05
ENDS = 300.0  # seconds within which all calls have to be made
REST = "celery"  # the queue of all that has none of its own
LAID_OUT = ["calls", "calls", "harvests", REST]
HEAD = "| beside the calls | first call after, s | calls per second | p50, p95 of a call, ms | pages harvested |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", action="store_true", help="on a PostgreSQL and a Redis of its own")
    parser.add_argument("--calls", type=int, default=600)
    parser.add_argument("--threads", type=int, default=4, help="of each worker (%(default)s)")
    parser.add_argument("--only", type=int, nargs="+", default=list(range(5)), help="rows of the table, from 0")
    chosen = parser.parse_args()
    with private_site(is_postgresql=chosen.postgresql) as site:
        os.environ["EVIDENCE_AHEAD"] = "false"
        dump = written(site.folder / "dump.xml.bz2", pages(PAGES, SHARE))
        print(f"{machine()}; {'PostgreSQL' if chosen.postgresql else 'SQLite'}, {chosen.threads} threads", flush=True)
        print(f"{HEAD}\n|---|---:|---:|---|---:|", flush=True)
        with closing(ModelServer(site.folder, "--delay", str(DELAY))) as server:
            calls = Calls(site, server, chosen.calls)
            rows = [
                ("nothing", 0, [REST]),
                ("a dump, by the same worker", 1, [REST]),
                (f"{chosen.threads} dumps, by the same worker", chosen.threads, [REST]),
                ("a dump, by another worker with a queue of its own", 1, [REST, "harvests"]),
                ("a dump, with two workers for calls, one for harvests, one for the rest", 1, LAID_OUT),
            ]
            for number in chosen.only:
                what, harvests, queues = rows[number]
                with workers(site, queues, chosen.threads):
                    print(f"| {what} | {calls.beside(begun(dump, harvests, queues), queues)} |", flush=True)
                forget()


@contextlib.contextmanager
def workers(site: Site, queues: list[str], threads: int) -> Iterator[None]:
    """A worker for each of these queues, which is killed at the end."""
    own = {"OWN_QUEUES": " ".join({*queues} - {REST})}
    with contextlib.ExitStack() as ends:
        for number, queue in enumerate(queues):
            name = f"worker-{number}"
            command = [sys.executable, "-m", "celery", "--quiet", "-A", "speed.harvests.worker", "worker", "--beat"]
            command += ["-s", str(site.folder / f"{name}.schedule"), "--pool", "threads"]
            command += ["--concurrency", str(threads), "--without-gossip", "--without-mingle", "--without-heartbeat"]
            command += ["-n", f"{name}@drill", "-Q", queue]
            worker = Server(name, command, site.folder, environment=own)
            worker.start()
            ends.callback(worker.kill)
        time.sleep(10)  # until they are running
        yield


def queue_of(kind: str, queues: list[str]) -> str:
    return kind if kind in queues else REST


def begun(dump: Path, count: int, queues: list[str]) -> "list[Harvest]":
    """Harvests of the dump that a worker has begun, or that wait for a thread."""
    from annotation.models import Harvest, HarvestState
    from annotation.tasks import run_harvest

    harvests = [requested(dump) for _ in range(count)]
    for harvest in harvests:
        run_harvest.apply_async([harvest.pk], queue=queue_of("harvests", queues))
    until = time.monotonic() + 30
    while time.monotonic() < until:
        numbers = [harvest.pk for harvest in harvests]
        if not Harvest.objects.filter(pk__in=numbers, state=HarvestState.WAITING).exists():
            break
        time.sleep(0.1)
    time.sleep(2)
    return harvests


class Calls:
    def __init__(self, site: Site, server: ModelServer, count: int):
        self.site, self.server, self.count, self.runs = site, server, count, 0

    def beside(self, harvests: "list[Harvest]", queues: list[str]) -> str:
        """The cells of a row: how a run of calls went beside these harvests, which are cancelled afterwards."""
        from django.db.models import Max, Min

        from annotation.harvesting.harvests import cancel_harvest
        from judging.models import Attempt, CallState
        from judging.runs.runs import start_run
        from judging.tasks import call_models
        from speed.laboratory import new_person

        seen = self.pages_of(harvests)
        asks = self.asking()
        asks.prepare()
        started, until = time.time(), time.monotonic() + ENDS
        run = start_run(run=asks.create())
        call_models.apply_async(queue=queue_of("calls", queues))
        while run.calls.exclude(state=CallState.DONE).exists() and time.monotonic() < until:
            time.sleep(0.25)
        seen = self.pages_of(harvests) - seen
        open_ones = sum(harvest.is_open for harvest in harvests)
        admin = new_person("admin", f"admin-{self.runs}")
        for harvest in harvests:
            if harvest.is_open:
                cancel_harvest(harvest=harvest, by=admin)
        attempts = Attempt.objects.filter(call__run=run)
        if attempts.count() != self.count:
            return f"{attempts.count()} of {self.count} calls within {ENDS:.0f} s | | | {seen:,}"
        times = attempts.aggregate(first=Min("sent_at"), last=Max("ended_at"))
        took = [(ended - sent).total_seconds() for sent, ended in attempts.values_list("sent_at", "ended_at")]
        pace = self.count / (times["last"] - times["first"]).total_seconds()
        waited = times["first"].timestamp() - started
        middle, late = (percentile(took, share) * 1000 for share in (50, 95))
        over = "" if open_ones == len(harvests) else f", {len(harvests) - open_ones} over by then"
        return f"{waited:.2f} | {pace:.0f} | {middle:.0f}, {late:.0f} | {seen:,}{over}"

    def asking(self) -> Any:
        from speed.laboratory import make_release
        from speed.runs.purposes import RUNS

        self.runs += 1
        asks: Any = RUNS["answers"](self.server.model(f"Bench {self.runs}", concurrent_calls=CONCURRENCY), self.count)
        asks.prepare = lambda: setattr(asks, "release", make_release(self.count, number=self.runs))
        return asks

    def pages_of(self, harvests: "list[Harvest]") -> int:
        for harvest in harvests:
            harvest.refresh_from_db()
        return sum(harvest.articles_seen for harvest in harvests)


if __name__ == "__main__":
    main()
