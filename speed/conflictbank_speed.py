"""Measures ConflictBank: its import, claims of facts, and the page of its ratios.

    python -m speed.conflictbank_speed [--postgresql postgres://me@/postgres] [--items 100000] [--facts 20000]

Items of some 6 kB, and one model's answers to all of them under the twelve conditions. Goals on two otherwise idle
cores: 100,000 items imported in 180 s and 300 MB on PostgreSQL, claims of 20,000 facts in 30 s, the page of ratios
within 1 s at the 95th percentile, even if a new answer comes before each request. CPU is what this process used,
without the database's. Prints the load, and asserts nothing. Calls for evidence: `speed.runs.throughput --asks
evidence`.
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

from speed.contradoc_speed import told
from speed.laboratory import as_served, laboratory_on, measured, new_person, peak
from speed.large.conflicts import fact, item, make_answers, write_lines
from speed.requests import Browser

PAGE = "/review/reports/conflictbank-ratios/"
COUNTING = "being counted"


def measure_import(folder: Path, items: int) -> Any:
    from annotation.models import Release
    from benchmarks.conflictbank.files import import_items

    file = write_lines(folder / "items.jsonl", map(item, range(items)))
    size = file.stat().st_size
    with file.open("rb") as stream:
        what = f"{items:,} items of {size / items / 1000:.1f} kB imported"
        measured(what, lambda: import_items(stream, most_bytes=size))
    print(f"  most memory of the process so far: {peak():.0f} MB", flush=True)
    return Release.objects.get(benchmark="conflictbank")


def measure_claims(folder: Path, facts: int) -> None:
    from benchmarks.conflictbank.claims.making import make_claims
    from benchmarks.conflictbank.facts.importing import import_facts
    from benchmarks.conflictbank.facts.templates import active_templates, install_templates

    install_templates()
    relations = sorted(active_templates())
    file = write_lines(folder / "facts.jsonl", (fact(number, relations) for number in range(facts)))
    with file.open("rb") as stream:
        measured(f"{facts:,} facts imported", lambda: import_facts(stream))
    made: list[Any] = []
    measured(f"{facts:,} facts to claims", lambda: made.append(make_claims(seed=7)))
    print(f"  {made[0].facts * 4:,} claims", flush=True)


def measure_ratios(release: Any, requests: int) -> None:
    from benchmarks.conflictbank.conditions import CONDITIONS

    measured(f"{len(CONDITIONS)} answers to each item written", lambda: make_answers(release, list(CONDITIONS)))
    as_served()
    admin = Browser(new_person("admin"))
    address = f"{PAGE}?release={release.number}"
    first, cost = admin.ask("GET", address)
    is_counting = COUNTING in first.content.decode()
    print(f"  first page of the process {cost.seen:.0f} ms{', still counting' if is_counting else ''}", flush=True)
    wait(admin, address)
    told("page, no new answer", [admin.ask("GET", address)[1] for _ in range(requests)])
    costs = []
    for _ in range(requests):
        add_answer()
        costs.append(admin.ask("GET", address)[1])
    told("page, each after a new answer", costs)
    wait(admin, address)
    add_answer()
    measured("the numbers with a new answer", lambda: wait(admin, address))


def wait(admin: Browser, address: str) -> None:
    """Ask until the page has the numbers of all answers."""
    while COUNTING in admin.ask("GET", address)[0].content.decode():
        time.sleep(0.2)


def add_answer() -> None:
    """Add another answer like the first one."""
    from judging.models import Reading, Response

    reading = Reading.objects.select_related("response").earliest("pk")
    response = reading.response
    last = Response.objects.filter(instance=response.instance_id, run=response.run_id).latest("pk")
    response.pk, response.repetition, response.key = None, last.repetition + 1, Response().key
    response.save(force_insert=True)
    reading.pk, reading.response = None, response
    reading.save(force_insert=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", metavar="URL", help="any database on the server in which one may be made")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--facts", type=int, default=20_000)
    parser.add_argument("--requests", type=int, default=20)
    options = parser.parse_args()
    with laboratory_on(options.postgresql) as folder:
        from django.db import connection

        print(f"{connection.vendor}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        release = measure_import(folder, options.items)
        measure_claims(folder, options.facts)
        measure_ratios(release, options.requests)
        print(f"  load {os.getloadavg()[0]:.1f} at the end")
        connection.close()


if __name__ == "__main__":
    main()
