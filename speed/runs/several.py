"""Measures a site of several web and worker processes and two clocks, on a PostgreSQL and a Redis of its own.

    python -m speed.runs.several --webs 2 --workers 4 [--pgbouncer]

Prints how many requests for a desk's page it answers per second, how many calls of a run it makes, the CPU of both,
the memory of each process, and the number of connections to the database. The model answers after 100 ms. PgBouncer
has to be installed (Debian: pgbouncer).
"""

import argparse
import http.client
import os
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from speed.laboratory import Server as ModelServer
from speed.laboratory import percentile, sign_in
from speed.large.queue import make_people, make_queue
from speed.playing.people import DESK
from speed.playing.servers import Server, Site, machine, private_site, web_server
from tests.servers.services import free_port

PEOPLE, SECONDS, CALLS, CONCURRENCY = 16, 8.0, 2_000, 64
CELERY = [sys.executable, "-m", "celery", "--quiet", "-A", "config"]
POOLER = """[databases]
postgres = host=127.0.0.1 port={database} dbname=postgres user=workbench
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
unix_socket_dir =
"""
FOR_THE_ROLE = {"jit": "off", "plan_cache_mode": "force_generic_plan", "max_parallel_workers_per_gather": "0"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", type=int, default=2, help="processes of the web server")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--pgbouncer", action="store_true")
    chosen = parser.parse_args()
    with private_site(is_postgresql=True) as site, ExitStack() as ends:
        print(machine())
        make_people(PEOPLE)
        make_queue(500, people=PEOPLE)
        environment = pooled(site) if chosen.pgbouncer else {}
        parts = started(site.folder, chosen.webs, chosen.workers, environment)
        for part in [*parts, *(server for name, server in site.servers.items() if name == "pgbouncer")]:
            ends.callback(part.end)
        site.servers |= {part.name: part for part in parts}
        time.sleep(8)  # until the workers are running
        ask(site, chosen.webs, 2)  # each process loads some parts at its first request
        tell_requests(site, chosen.webs)
        tell_calls(site)
        print("memory, MB:", {name: round(size) for name, size in site.memory().items()})
        print("connections to the database:", connections())


def pooled(site: Site) -> dict[str, str]:
    """Start PgBouncer before the database; returns the settings to use it."""
    from django.db import connection

    with connection.cursor() as cursor:
        for name, value in FOR_THE_ROLE.items():
            cursor.execute(f"ALTER ROLE workbench SET {name} = {value}")
    port, path = free_port(), Path(site.servers["database"].folder / "pgbouncer.ini")
    path.write_text(POOLER.format(database=site.servers["database"].port, port=port))
    path.chmod(0o644)
    user = "postgres" if os.geteuid() == 0 else None
    site.servers["pgbouncer"] = Server("pgbouncer", ["pgbouncer", str(path)], site.folder, port=port, user=user)
    site.servers["pgbouncer"].start()
    return {"DATABASE_URL": f"postgres://workbench@127.0.0.1:{port}/postgres", "DATABASE_POOLED": "true"}


def started(folder: Path, webs: int, workers: int, environment: dict[str, str]) -> list[Server]:
    parts = [web_server(folder, 1, environment) for _ in range(webs)]
    for number, part in enumerate(parts):
        part.name = f"web-{number}"
    options = ["--pool", "threads", "--concurrency", "8", "--without-gossip", "--without-mingle"]
    for number in range(workers):
        command = [*CELERY, "worker", *options, "-n", f"worker-{number}@%h"]
        parts.append(Server(f"worker-{number}", command, folder, environment=environment))
    for number in range(2):
        command = [*CELERY, "beat", "--pidfile=", "-s", str(folder / f"schedule-{number}")]
        parts.append(Server(f"clock-{number}", command, folder, environment=environment))
    for part in parts:
        part.start()
    return parts


def ask(site: Site, webs: int, seconds: float) -> list[float]:
    """Have people ask for their desk again and again; returns the time of each answer."""
    times: list[float] = []
    until = time.monotonic() + seconds

    def person(number: int, session: str) -> None:
        browser = http.client.HTTPConnection("127.0.0.1", site.servers[f"web-{number % webs}"].port, timeout=30)
        while (begun := time.monotonic()) < until:
            browser.request("GET", DESK, headers={"Cookie": f"sessionid={session}"})
            answer = browser.getresponse()
            answer.read()
            if answer.status != 200:
                raise SystemExit(f"{DESK} was answered with {answer.status}")
            times.append(time.monotonic() - begun)

    threads = [threading.Thread(target=person, args=each) for each in enumerate(sign_in("person", PEOPLE))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def tell_requests(site: Site, webs: int) -> None:
    before = site.cpu()
    times = ask(site, webs, SECONDS)
    middle, late = (percentile(times, share) * 1000 for share in (50, 95))
    print(f"requests: {len(times) / SECONDS:.0f} per second, p50 {middle:.0f}, p95 {late:.0f} ms")
    tell_cpu(site, before, len(times))


def tell_calls(site: Site) -> None:
    from django.db.models import Max, Min

    from judging.models import Attempt, CallState
    from speed.runs.purposes import RUNS

    server = ModelServer(site.folder, "--delay", "0.1")
    try:
        asks: Any = RUNS["answers"](server.model("Bench", concurrent_calls=CONCURRENCY), CALLS)
        server.pull(answer=asks.answer)
        asks.prepare()
        before, deadline = site.cpu(), time.monotonic() + 120
        run = asks.start()
        while run.calls.exclude(state=CallState.DONE).exists() and time.monotonic() < deadline:
            time.sleep(0.25)
        done, paid = run.calls.filter(state=CallState.DONE).count(), len(server.calls())
    finally:
        server.close()
    times = Attempt.objects.filter(call__run=run).aggregate(first=Min("sent_at"), last=Max("ended_at"))
    speed = done / (times["last"] - times["first"]).total_seconds()
    print(f"calls: {done} of {CALLS} done, {paid} paid, {speed:.0f} per second")
    tell_cpu(site, before, done)


def tell_cpu(site: Site, before: dict[str, float], count: int) -> None:
    used = {name: (seconds - before[name]) / count * 1000 for name, seconds in site.cpu().items()}
    print("  ms of CPU each:", {name: round(each, 1) for name, each in used.items() if each >= 0.05})


def connections() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
