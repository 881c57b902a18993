"""How long the pages of Table 2, of model against model and of agreement take for a large review.

    python -m benchmarks.reports_speed [--postgresql postgres://me@/postgres] [--requests 40]

By default 50,000 judgments of 25,000 responses on SQLite, in a temporary folder; with --postgresql 1,000,000
judgments of 500,000 responses, in a database that is created on the same server and dropped at the end. Measures
the whole request, from the view's queries to the finished page, in this process; nothing is cached between requests.
The goal is 1 s at the 95th percentile on two otherwise idle cores; the load is printed. CPU is what this process
used, without the database's.
"""

import argparse
import os
import statistics
import time
from typing import Any

from benchmarks.laboratory import as_served, laboratory_on
from benchmarks.large_review import make_large_review

PAGES = {
    "Table 2": "/review/reports/table2/",
    "ten models, by template": "/review/reports/comparison/?by=template",
    "ten models, over all templates": "/review/reports/comparison/?by=pooled",
    "judging by week": "/review/reports/weeks/",
    "agreement by template": "/review/reports/agreement/?by=template",
    "agreement by model": "/review/reports/agreement/?by=model",
    "agreement by reasoning type": "/review/reports/agreement/?by=reasoning",
    "agreement by pair of people": "/review/reports/agreement/?by=reviewers",
    "responses behind a number": "/review/reports/responses/?template={template}&verdict=correct",
}


def measure(requests: int) -> None:
    from django.contrib.auth.models import Group
    from django.db import connection
    from django.test import Client

    from core.models import Role, User
    from judging.models import PromptTemplate, Response
    from review.models import Judgment

    admin = User.objects.create(username="admin")
    admin.groups.add(Group.objects.get_or_create(name=Role.ADMIN)[0])
    client = Client(SERVER_NAME="localhost")
    client.force_login(admin, backend="core.accounts.adapter.Backend")
    print(f"{connection.vendor}: {Judgment.objects.count():,} judgments of {Response.objects.count():,} responses")
    print(f"  load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    template = PromptTemplate.objects.get(code="4", version=1).pk
    for name, path in PAGES.items():
        time_requests(client, name, path.format(template=template), requests)


def time_requests(client: Any, name: str, path: str, requests: int) -> None:
    """Print how long so many requests of this address take, after two that are not counted."""
    times, used = [], []
    for _ in range(requests + 2):
        started, worked = time.perf_counter(), time.process_time()
        response = client.get(path)
        length = len(b"".join(response.streaming_content) if response.streaming else response.content)
        times.append(time.perf_counter() - started)
        used.append(time.process_time() - worked)
        assert response.status_code == 200, response.status_code
    times = sorted(times[2:])
    p95 = times[max(0, -(-95 * len(times) // 100) - 1)]
    middle = statistics.median(times)
    own = statistics.median(used[2:])
    print(
        f"  {name:<30} p50 {middle * 1000:6.0f} ms   p95 {p95 * 1000:6.0f} ms   CPU {own * 1000:5.0f} ms"
        f"   ({length:,} bytes)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", metavar="URL", help="any database on the server in which one may be made")
    parser.add_argument("--responses", type=int, help="by default 25,000 on SQLite and 500,000 on PostgreSQL")
    parser.add_argument("--requests", type=int, default=40, help="of each page, after two that are not counted")
    options = parser.parse_args()
    with laboratory_on(options.postgresql):
        started = time.perf_counter()
        make_large_review(options.responses or (500_000 if options.postgresql else 25_000))
        print(f"made in {time.perf_counter() - started:.0f} s")
        as_served()
        measure(options.requests)
        from django.db import connection

        connection.close()


if __name__ == "__main__":
    main()
