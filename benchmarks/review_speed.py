"""How long the judging page takes with many reviewers at once and a large review.

    python -m benchmarks.review_speed [--postgresql postgres://me@/postgres] [--reviewers 50] [--seconds 60]

By default 50,000 judgments of 25,000 responses on SQLite, in a temporary folder; with --postgresql 1,000,000
judgments of 500,000 responses, in a database that is created on the same server and dropped at the end. A few
thousand more responses are open. The server is gunicorn with two workers, as on two cores.

The load is like that of people: each reviewer opens the page, then judges one response after another and waits in
between for as long as it takes to read and decide: `--think` seconds on average, exponentially distributed. The
default of five seconds is already hurried (most people take twenty to sixty); with it, fifty people give ten verdicts
a second. Without time to think, fifty clients on two cores would measure only their own queue, whatever the page
costs.

Server time is the time in the application, and "of it cpu" its thread's CPU time, which other work on the machine
does not change. "seen" adds the transfer, the wait for a free thread, and this program's own share of the cores. The
goal is a server time of 50 ms at the 95th percentile on two otherwise idle cores; the load is printed.
"""

import argparse
import http.client
import os
import random
import re
import statistics
import threading
import time
import urllib.parse
from pathlib import Path

from benchmarks.laboratory import analyse, laboratory_on, percentile, sign_in, web_server
from benchmarks.large_review import REVIEWERS, make_large_review

# One in this many items is open.
OPEN = 27
TOKEN = "a" * 32
REOPEN = (
    "DELETE FROM review_finalverdict WHERE item_id % {open} = 0",
    "DELETE FROM review_adjudication WHERE item_id % {open} = 0",
    "DELETE FROM review_pair WHERE item_id % {open} = 0",
    "UPDATE review_judgment SET verdict = '', judged_at = NULL, undo_until = NULL, paired_at = NULL, seconds = NULL"
    " WHERE item_id % {open} = 0",
)


def reopen_some(one_in: int = OPEN) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for statement in REOPEN:
            cursor.execute(statement.format(open=one_in))
    analyse()


class Reviewer(threading.Thread):
    """Opens the judging page and judges until the time is up."""

    def __init__(self, number: int, port: int, session: str, path: str, think: float, until: float):
        super().__init__(daemon=True)
        self.chance = random.Random(number)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookie = f"sessionid={session}; csrftoken={TOKEN}"
        self.path, self.think, self.until = path, think, until
        # (kind, server ms, CPU ms of that, seen ms)
        self.times: list[tuple[str, float, float, float]] = []
        self.failures: list[str] = []

    def ask(self, kind: str, method: str, path: str, values: dict[str, str] | None = None) -> str:
        headers = {"Cookie": self.cookie, "X-CSRFToken": TOKEN, "HX-Request": "true"}
        if values is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        started = time.perf_counter()
        self.connection.request(method, path, urllib.parse.urlencode(values or {}) or None, headers)
        answer = self.connection.getresponse()
        body = answer.read().decode()
        seen = (time.perf_counter() - started) * 1000
        if answer.status != 200:
            self.failures.append(f"{method} {path}: {answer.status}")
        server, cpu = (float(part.split("dur=")[1]) for part in answer.headers["Server-Timing"].split(","))
        self.times.append((kind, server, cpu, seen))
        return body

    def run(self) -> None:
        time.sleep(self.chance.random() * self.think)
        keys = re.findall(r'data-item="([^"]+)"', self.ask("page", "GET", self.path))
        while keys and time.monotonic() < self.until:
            time.sleep(self.chance.expovariate(1 / self.think))
            verdict = self.chance.choice(["correct", "incorrect"])
            values = {"verdict": verdict, "seconds": "20", "comment": "", "showing": keys[1] if len(keys) > 1 else ""}
            body = self.ask("judge", "POST", f"/review/judgments/{keys[0]}/", values)
            found = re.findall(r'data-item="([^"]+)"', body)
            keys = (keys[1:] if "judge-item" not in body.replace('class="judge-item"', "") else []) + found


def report(people: list[Reviewer], seconds: float) -> None:
    for kind, words in (("page", "opening the judging page"), ("judge", "a verdict, and the next response")):
        rows = [found[1:] for each in people for found in each.times if found[0] == kind]
        if not rows:
            continue
        server, cpu, seen = (
            (statistics.median(column), percentile(column, 95)) for column in zip(*rows, strict=True)
        )
        print(
            f"  {words:<34} n {len(rows):5}   server p50 {server[0]:4.0f} p95 {server[1]:4.0f} ms"
            f" (of it cpu {cpu[0]:3.0f}, {cpu[1]:3.0f})   seen p50 {seen[0]:4.0f} p95 {seen[1]:4.0f} ms"
            f"   {len(rows) / seconds:.1f}/s"
        )
    failures = [failure for each in people for failure in each.failures]
    print(f"  failures: {len(failures)}{' ' + failures[0] if failures else ''}")


def measure(folder: Path, reviewers: int, seconds: float, think: float, threads: int) -> None:
    from django.db import connection
    from django.urls import reverse

    from review.models import Judgment, Round

    given, left = Judgment.objects.given().count(), Judgment.objects.open().count()
    print(f"{connection.vendor}: {given:,} judgments given, {left:,} slots open, {reviewers} reviewers at once")
    path = reverse("judge_round", args=[Round.objects.get().key])
    sessions = sign_in("reviewer", reviewers)
    connection.close()
    arguments = ("--workers", "2", "--threads", str(threads), "--keep-alive", "75")
    with web_server(folder, "benchmarks.timed_wsgi", *arguments) as port:
        warm = Reviewer(0, port, sessions[0], path, think, 0)
        for _ in range(20):  # so that each worker has loaded what it loads at its first request
            warm.connection.close()
            warm.ask("warm", "GET", path)
        until = time.monotonic() + seconds
        people = [Reviewer(number, port, session, path, think, until) for number, session in enumerate(sessions)]
        for each in people:
            each.start()
        for each in people:
            each.join()
        print(f"  each thinks {think:g} s on average; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        report(people, seconds)
    made = Judgment.objects.given().count() - given
    sent = sum(kind == "judge" for each in people for kind, *_ in each.times)
    print(f"  {sent:,} verdicts sent, {made:,} recorded")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", metavar="URL", help="any database on the server in which one may be made")
    parser.add_argument("--responses", type=int, help="by default 26,000 on SQLite and 519,250 on PostgreSQL")
    parser.add_argument("--reviewers", type=int, default=REVIEWERS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=5, help="seconds between two verdicts of one person")
    parser.add_argument("--threads", type=int, default=8, help="of each of the two web workers")
    options = parser.parse_args()
    with laboratory_on(options.postgresql) as folder:
        started = time.perf_counter()
        make_large_review(options.responses or (519_250 if options.postgresql else 26_000))
        reopen_some()
        print(f"made in {time.perf_counter() - started:.0f} s")
        measure(folder, options.reviewers, options.seconds, options.think, options.threads)
        from django.db import connection

        connection.close()


if __name__ == "__main__":
    main()
