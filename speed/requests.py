"""Measures the cost of requests: CPU, queries, bytes and time of each page, at several sizes of the data.

    python -m speed.requests [--postgresql postgres://me@/postgres] [--sizes 1000,100000,1000000] [--times 20]
    python -m speed.requests --only runs|api|reports|agreement|leading --sizes 25000

The application answers in this process, through all its middleware, on a database that is made for each size: 1,000
people, half of the tags annotated, five responses to each ten tags (30,000 at least, 500,000 at most), so that lists
fill a page at each size. The sizes are tags in the queue; with --only runs they are calls of a run, with api
responses, with reports responses that two people judged, with agreement tags that two people annotated, and with
leading annotated tags, one in five of them by two people. CPU is the thread's own time, independent of the machine's
other work; on PostgreSQL the server's time is only in "p50" and "p95", the elapsed times. "ratio" divides the CPU at
the largest size by that at the smallest; the number of rows on each page shows where a short list is compared with a
long one. As a machine's speed varies, each page is requested at all sizes in turn, several times, and a ratio is the
median over the turns.
"""

import argparse
import json
import multiprocessing
import os
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from speed.laboratory import as_served, laboratory_on, new_person, percentile
from speed.large.agreement import ONE_IN_TWICE, make_agreement, make_annotated_once
from speed.large.queue import make_people, make_queue
from speed.large.review import make_large_review, reopen_some
from speed.large.runs import make_large_runs
from speed.list_requests import (
    AGREEMENT,
    REPORTS,
    TURNS,
    WARM_UP,
    at_api,
    at_leading,
    at_lists,
    at_pages,
    at_reports,
    at_runs,
)

DRAFT_BYTES = 20_000
FEWEST_RESPONSES, MOST_RESPONSES = 30_000, 500_000


@dataclass
class Cost:
    """The cost of one request: milliseconds of CPU and elapsed, queries (without BEGIN and similar), bytes, rows."""

    cpu: float
    seen: float
    queries: int
    bytes: int
    rows: int


class Browser:
    """One person, signed in."""

    def __init__(self, person: Any):
        from django.test import Client

        self.person = person
        self.client = Client(SERVER_NAME="localhost", raise_request_exception=True)
        self.client.handler.load_middleware()  # which a server does once, when it starts
        self.client.force_login(person, backend="core.accounts.adapter.Backend")

    def ask(self, method: str, path: str, data: dict[str, Any] | None = None, **headers: str) -> tuple[Any, Cost]:
        from django.db import connection

        queries = 0

        def count(execute, sql, *arguments):
            nonlocal queries
            queries += not sql.startswith(("BEGIN", "SAVEPOINT", "RELEASE"))
            return execute(sql, *arguments)

        more: dict[str, Any] = {"headers": headers}
        if headers.get("Content-Type") == "application/json":
            more |= {"data": json.dumps(data), "content_type": "application/json"}
        elif data is not None:
            more |= {"data": urlencode(data), "content_type": "application/x-www-form-urlencoded"}
        ask = self.client.get if method == "GET" else self.client.post
        with connection.execute_wrapper(count):
            seen, cpu = time.perf_counter(), time.thread_time()
            answer = ask(path, **more)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            took = (time.thread_time() - cpu) * 1000, (time.perf_counter() - seen) * 1000
        cost = Cost(*took, queries, len(body), rows_in(body))
        if answer.status_code >= 400:
            raise SystemExit(f"{method} {path}: {answer.status_code} {answer.content[:300]!r}")
        return answer, cost


def rows_in(page: bytes) -> int:
    """The number of a list's rows on a page or in an answer to a program; for the log, the number of entries."""
    if page.startswith(b'{"results":'):
        return len(json.loads(page)["results"])
    entries = page.partition(b'<ol class="events')[2].partition(b"</ol>")[0]
    return page.count(b"data-row") or entries.count(b"<li>")


def complete_form() -> dict[str, Any]:
    from annotation.content.fields import empty_content

    return empty_content() | {
        "wikitag_label_valid": "Valid",
        "wikitag_label_samepassage": "Different",
        "paragraphA_article": "Bridge",
        "paragraphA_information": "It opened in 1903.",
        "paragraphA_information_standalone": "The bridge opened in 1903.",
        "paragraphB_article": "Bridge",
        "paragraphB_information": "It was closed in 1899.",
        "paragraphB_information_standalone": "The bridge was closed in 1899.",
        "relevantInfo_comment_A": "it opened in 1903",
        "relevantInfo_comment_A_Span": "opened in 1903",
        "relevantInfo_comment_B": "it was closed in 1899",
        "relevantInfo_comment_B_Span": "in 1899",
        "Contradict type I": ["DATE"],
        "Contradict type II": ["TT"],
        "Contradict type III": ["SAME"],
        "Contradict type IV": ["IMP"],
        "question1": "Was the bridge in use in 1900?",
        "question1_answer1": "No",
        "question1_answer2": "Yes",
        "confidence": "5",
    }


SCRIPT = {"Content-Type": "application/json", "X-Requested-With": "fetch", "HX-Request": "true"}


class Desk:
    """An annotator who works."""

    def __init__(self, person: Any):
        self.browser = Browser(person)
        self.version = 0
        self.address = ""

    def claim(self) -> Cost:
        answer, cost = self.browser.ask("POST", "/annotation/desk/next/", {})
        self.address, self.version = answer["Location"], 0
        return cost

    def open(self) -> Cost:
        return self.browser.ask("GET", self.address)[1]

    def keep_parts(self) -> None:
        """Store the first page's parts as the page's script does; later pages come without them."""
        answer, _ = self.browser.ask("GET", self.address)
        names = re.findall(r"<!--part (\w+)-->", answer.content.decode())
        self.browser.client.cookies["desk-parts"] = ".".join(names)

    def _send(self, act: str, content: dict[str, Any]) -> tuple[Any, Cost]:
        sent = {"content": content, "operation": str(uuid4()), "tab": "t"}
        return self.browser.ask("POST", f"{self.address}{act}/", sent, **SCRIPT, **{"If-Match": str(self.version)})

    def save(self, text: str) -> Cost:
        answer, cost = self._send("save", complete_form() | {"contradict_comment": text})
        self.version = answer.json()["version"]
        return cost

    def submit(self) -> Cost:
        answer, cost = self._send("submit", complete_form())
        self.address, self.version = answer.json()["next"], 0
        return cost

    def renew(self) -> Cost:
        return self.browser.ask("POST", f"{self.address}renew/", {}, **SCRIPT)[1]

    def time(self, seconds: int) -> Cost:
        sent = {"page": "p", "seconds": {"1": seconds}}
        return self.browser.ask("POST", f"{self.address}time/", sent, **SCRIPT)[1]


def at_the_desk(times: int) -> Iterator[tuple[str, list[Cost]]]:
    from core.models import User

    people = iter(User.objects.filter(username__startswith="person").order_by("pk")[1:])
    for _ in range(TURNS):
        yield from work_of([Desk(person) for person in islice(people, times + WARM_UP)])


def work_of(people: list[Desk]) -> Iterator[tuple[str, list[Cost]]]:
    yield "claim the next tag", [each.claim() for each in people]
    yield "desk page", [each.open() for each in people]
    drafts = [str(number) * DRAFT_BYTES for number in range(10)]
    yield "save a draft of 20 kB", [each.save(drafts[turn]) for turn in range(2) for each in people]
    yield "renew", [each.renew() for each in people]
    yield "time", [each.time(turn) for turn in range(1, 3) for each in people]
    yield "submit and claim the next", [each.submit() for each in people]
    for each in people:
        each.keep_parts()
    yield "desk page of the next tag", [each.open() for each in people]
    yield "first page, annotator", [each.browser.ask("GET", "/")[1] for each in people]


def at_judging(times: int) -> Iterator[tuple[str, list[Cost]]]:
    from django.contrib.auth.models import Group
    from django.urls import reverse

    from core.models import Role, User
    from review.models import Round

    path = reverse("judge_round", args=[Round.objects.get().key])
    for person in User.objects.filter(username__startswith="reviewer").order_by("pk")[:TURNS]:
        person.groups.add(Group.objects.get(name=Role.REVIEWER))
        browser = Browser(person)
        asked = [browser.ask("GET", path) for _ in range(times + WARM_UP)]
        yield "judging page", [cost for _, cost in asked]
        keys = re.findall(r'data-item="([^"]+)"', asked[-1][0].content.decode())
        verdicts: list[Cost] = []
        while keys and len(verdicts) < times + WARM_UP:
            values = {"verdict": "correct", "seconds": "20", "comment": "", "showing": keys[1] if keys[1:] else ""}
            answer, cost = browser.ask("POST", f"/review/judgments/{keys[0]}/", values, **{"HX-Request": "true"})
            verdicts.append(cost)
            keys = keys[1:] + re.findall(r'data-item="([^"]+)"', answer.content.decode())
        yield "verdict and next response", verdicts


@contextmanager
def database(postgresql: str) -> Iterator[None]:
    """A new database, within this context."""
    with laboratory_on(postgresql, SECRET_KEY="of-a-benchmark-" * 4, API_REQUESTS_PER_MINUTE="0"):
        yield
        from django.db import connection

        connection.close()


def make_world(size: int) -> None:
    """Make a queue of this size and all related data."""
    make_people(950)
    make_queue(size, people=950)
    make_large_review(min(max(size // 2, FEWEST_RESPONSES), MOST_RESPONSES))
    reopen_some()


Groups = dict[str, Callable[[int], Iterator[tuple[str, list[Cost]]]]]


def groups_of(only: str, size: int) -> Groups:
    """Make the data for the requests; returns the requests by the name of their group."""
    if only == "runs":
        make_people(100)
        return {only: partial(at_runs, Browser, *make_large_runs(size))}
    if only == "api":
        make_large_review(size, are_judged=False)
        return {only: partial(at_api, Browser)}
    if only == "reports":
        make_large_review(size)
        return {only: partial(at_reports, Browser, new_person("admin"), REPORTS)}
    if only == "agreement":
        make_agreement(size)
        return {only: partial(at_reports, Browser, first_admin(), AGREEMENT)}
    if only == "leading":
        make_agreement(size // ONE_IN_TWICE)
        make_annotated_once(size - size // ONE_IN_TWICE)
        return {only: partial(at_leading, Browser, first_admin())}
    make_world(size)
    groups: Groups = {
        "desk": at_the_desk,
        "judging": at_judging,
        "pages": partial(at_pages, Browser),
        "lists": partial(at_lists, Browser),
    }
    return {only: groups[only]} if only else groups


def first_admin() -> Any:
    from core.models import User

    return User.objects.get(username="person000")


def measure(size: int, postgresql: str, times: int, only: str, pipe: Connection) -> None:
    """Make the site of this size; then measure each requested page, and send its cost."""
    with database(postgresql):
        started = time.perf_counter()
        groups = groups_of(only, size)
        as_served()
        took = time.perf_counter() - started
        print(f"{size:,} made in {took:.0f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        pipe.send(None)
        pipe.recv()
        for group in groups.values():
            for door, costs in group(-(-times // TURNS)):
                pipe.send((door, costs[WARM_UP:]))
                pipe.recv()
    pipe.close()


@dataclass
class Summary:
    """The summary of all requests of one page: medians, except for the last."""

    cpu: float
    queries: int
    bytes: int
    rows: int
    p50: float
    p95: float

    @classmethod
    def of(cls, costs: list[Cost]) -> "Summary":
        seen = [cost.seen for cost in costs]
        return cls(
            cpu=cpu_of(costs),
            queries=statistics.median_high(cost.queries for cost in costs),
            bytes=statistics.median_high(cost.bytes for cost in costs),
            rows=statistics.median_high(cost.rows for cost in costs),
            p50=statistics.median(seen),
            p95=percentile(seen, 95),
        )


def cpu_of(costs: list[Cost]) -> float:
    return statistics.median(cost.cpu for cost in costs)


class Site:
    """The site of one size, in a separate process: Django is set up once per process, on one database."""

    def __init__(self, size: int, *arguments: Any):
        self.size = size
        self.turns: dict[str, list[list[Cost]]] = defaultdict(list)  # by door
        context = multiprocessing.get_context("spawn")
        self.pipe, there = context.Pipe()
        self.process = context.Process(target=measure, args=(size, *arguments, there))
        self.process.start()
        there.close()
        self.pipe.recv()

    def measure_next(self) -> bool:
        """Measure the next page; returns whether there was one."""
        try:
            self.pipe.send(None)
            door, costs = self.pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.process.join()
            if self.process.exitcode:
                raise SystemExit(f"The site of {self.size:,} broke off: see above.") from None
            return False
        if door not in self.turns:
            print(f"{self.size:,}: {door}", file=sys.stderr, flush=True)
        self.turns[door].append(costs)
        return True

    def cell(self, door: str) -> str:
        if door not in self.turns:
            return "-"
        found = Summary.of(list(chain(*self.turns[door])))
        return f"{found.cpu:.1f}, {found.queries}, {found.bytes / 1000:.0f}, {found.rows}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--postgresql", metavar="URL", default="", help="any database on the server in which one may be made"
    )
    parser.add_argument("--sizes", default="1000,100000,1000000", help="of what, is said above")
    parser.add_argument("--times", type=int, default=40, help="requests at each door, of which each turn has a share")
    parser.add_argument(
        "--only",
        choices=["desk", "judging", "pages", "lists", "runs", "api", "reports", "agreement", "leading"],
        default="",
    )
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    sites = [Site(size, options.postgresql, options.times, options.only) for size in sizes]
    # Each door at all sizes before the next door.
    going_on = sites
    while going_on:
        going_on = [site for site in going_on if site.measure_next()]
    by_size = sorted(sites, key=lambda site: site.size)
    sizes_named = " | ".join(f"{site.size:,}: ms CPU, queries, kB, rows" for site in by_size)
    print(f"| request | {sizes_named} | ratio | p50; p95 ms at the largest |\n|---|" + "---|" * (len(sites) + 2))
    for door, turns in by_size[-1].turns.items():
        found = Summary.of(list(chain(*turns)))
        ratio = statistics.median(
            cpu_of(much) / cpu_of(little) for little, much in zip(by_size[0].turns[door], turns, strict=False)
        )
        cells = " | ".join(site.cell(door) for site in by_size)
        print(f"| {door} | {cells} | {ratio:.2f} | {found.p50:.1f}; {found.p95:.1f} |")


if __name__ == "__main__":
    main()
