"""Simulates people over HTTP on a separate site, and compares the server's acknowledgements with its stored data.

    python -m speed.load [--postgresql] [--only submit,annotate,save,judge] [--people 1,10,50,200] [--seconds 15]
    python -m speed.load --only judge --think 5 [--postgresql] [--responses 26000] [--people 50] [--seconds 60]
    python -m speed.load --bad-input [--postgresql] [--tags 1000000]
    python -m speed.load --label-studio /some/environment/bin/label-studio [--people 1,10,50] [--seconds 15]

The site is that of docs/deployment.md: gunicorn with two processes of eight threads and one worker, on SQLite or,
with --postgresql, on a PostgreSQL and a Redis of its own on free ports. Its queue has 12,000 tags with an article of
10 kB each, its review 20,000 open responses. Nobody pauses unless said otherwise:

- submit: opens the page, submits, which claims the next tag; a pair is one of each - annotate: every request that the
desk's scripts make for a tag: page, lease, a save, active time, submission - save: a fixed number of saves of 20 kB
is due each second, by 400 people in turn; "held" is the number acknowledged per second during that time, and each
save's time counts from the moment when it was due - judge: a verdict, which brings the next response; with `--think`,
each takes that many seconds to decide, on   average and exponentially distributed, and all but one in 27 of the
responses are judged already - claim: 1,000 people ask for the next tag within one second (not played by default)

Five seconds to think are few: most people take twenty to sixty. Without them, fifty people on two cores would measure
only their own queue, whatever the page costs. For people who think it is also printed how long their requests take in
the application, and how much of that its thread computes, which other work on the machine does not change. The goal
is 50 ms in the application at the 95th percentile on two otherwise idle cores.

Prints rows of a Markdown table. CPU is that of the site's processes; this program's own stands apart, as it uses the
same cores. Memory is proportional (PSS), at the end. Ends with 1 if anything acknowledged is not stored, or two
people got one tag.
"""

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from speed.laboratory import percentile, sign_in
from speed.large.queue import make_evidence, make_people, make_queue
from speed.large.review import OPEN, make_large_review, reopen_some
from speed.playing.checks import faults, told
from speed.playing.http import Book
from speed.playing.people import Acknowledged, Annotator, Reviewer
from speed.playing.servers import Site, machine, private_site

TAGS, RESPONSES = 12_000, 20_000
SAVERS, SAVE_BYTES = 400, 20_000
CLAIMERS = 1_000  # who ask for the next tag within a second
FIXED = {"save": SAVERS, "claim": CLAIMERS}
HEAD = (
    "| work | database | people | per second | p50, p95 ms | CPU ms each: web, database | client CPU ms each | "
    "no answer, refused | memory MB: web, worker, database, broker |"
)
RULE = "|---|---|---:|---:|---|---|---:|---|---|"


def fill_site(*, tags: int, responses: int, people: int = 1_000, reviewers: int = 200, open_one_in: int = 1) -> None:
    make_people(people)
    make_queue(tags, people=people)
    make_evidence()
    if responses:
        make_large_review(responses, reviewers=reviewers)
        reopen_some(open_one_in)


@dataclass
class Played:
    """One phase of the load: the answers, and their CPU time and memory."""

    work: str
    people: int
    seconds: float
    book: Book
    cpu: dict[str, float]
    client: float
    memory: dict[str, float]
    since: float
    until: float

    def row(self, database: str, kinds: list[str]) -> str:
        """The table's row; `kinds` are the requests of the work, of which the last is counted."""
        counted = kinds[-1]
        done = max(1, len(self.book.times[counted]))
        until = max(self.book.ended[counted]) if self.work == "claim" else self.until
        rate = self.book.per_second(counted, self.since, until)
        times = "; ".join(
            f"{kind} {self.book.percentile(kind, 50):,.0f}, {self.book.percentile(kind, 95):,.0f}" for kind in kinds
        )
        cpu = ", ".join(f"{1000 * self.cpu[name] / done:.1f}" for name in ("web", "database") if name in self.cpu)
        memory = ", ".join(
            f"{self.memory[name]:.0f}" for name in ("web", "worker", "database", "broker") if name in self.memory
        )
        failed = f"{self.book.unanswered.total()}, {self.book.refused.total()}"
        return (
            f"| {self.work} | {database} | {self.people} | {rate:.1f} | {times} | {cpu} | "
            f"{1000 * self.client / done:.1f} | {failed} | {memory} |"
        )

    def served(self) -> Iterator[str]:
        """The milliseconds in the application for each kind of request."""
        for kind, times in self.book.served.items():
            served, cpu = (f"{median(each):.0f}, {percentile(each, 95):.0f}" for each in zip(*times, strict=True))
            yield f"  {kind}: {len(times):,}, in the application {served} ms, of that computed {cpu}"


KINDS = {
    "submit": ["page", "submit"],
    "annotate": ["page", "renew", "save", "time", "submit"],
    "save": ["save"],
    "judge": ["verdict"],
    "claim": ["claim"],
}


@dataclass
class Players:
    """Everyone who can be simulated on this site."""

    site: Site
    kept: Acknowledged = field(default_factory=Acknowledged)
    sessions: dict[str, list[str]] = field(default_factory=dict)
    judging_path: str = ""
    think: float = 0

    def sign_in(self, annotators: int, reviewers: int) -> None:
        from django.db import connection
        from django.urls import reverse

        from core.models import Event

        self.kept.begun_after = Event.objects.order_by("-pk").values_list("pk", flat=True)[0]
        self.sessions = {"annotators": sign_in("person", annotators), "reviewers": sign_in("reviewer", reviewers)}
        if reviewers:
            from review.models import Round

            self.judging_path = reverse("judge_round", args=[Round.objects.get().key])
        connection.close()

    async def open_judging_page(self) -> None:
        """Open the judging page, so that each process of the web server has loaded everything that its first request
        loads.
        """
        for _ in range(20):
            for each in self.of("judge", 1, Book()):
                await each.open()
                each.browser.connection.close()

    def of(self, work: str, count: int, book: Book) -> list[Any]:
        """This number of people for this work. People who save or claim do nothing else."""
        if work == "judge":
            sessions = self.sessions["reviewers"][:count]
            return [Reviewer(self.site.port, each, book, self.kept, self.judging_path) for each in sessions]
        people = list(enumerate(self.sessions["annotators"]))
        people = people[-count:] if work in FIXED else people[:count]
        size = SAVE_BYTES if work == "save" else 0
        return [Annotator(n, self.site.port, each, book, self.kept, size=size) for n, each in people]


def play(players: Players, work: str, people: int, seconds: float, a_second: float) -> Played:
    """One kind of work for `seconds`; people then finish what they have begun."""
    book = Book()

    async def played() -> Played:
        everyone = players.of(work, people, book)
        if work == "save":
            await asyncio.gather(*(each.claim() for each in everyone))
        cpu, client, since = players.site.cpu(), time.process_time(), time.monotonic()
        until = since + seconds
        await asyncio.gather(*doing(work, everyone, since, until, people / a_second, players.think))
        own = time.process_time() - client
        used = {name: now - cpu[name] for name, now in players.site.cpu().items()}
        return Played(work, people, seconds, book, used, own, players.site.memory(), since, until)

    return asyncio.run(played())


def doing(
    work: str, people: list[Any], since: float, until: float, every: float, think: float
) -> list[Coroutine[Any, Any, None]]:
    """Have each person work from `since` to `until`; a save is due every `every` seconds."""
    if work == "judge":
        return [each.judge(until, think) for each in people]
    if work == "save":
        return [each.save_every(every, since + every * n / len(people), until) for n, each in enumerate(people)]
    if work == "claim":
        return [each.claim_at(since + n / len(people)) for n, each in enumerate(people)]
    if work == "annotate":
        return [each.annotate(until) for each in people]
    return [each.submit_without_pause(until) for each in people]


def numbers_of(options: argparse.Namespace) -> list[int]:
    return [int(number) for number in options.people.split(",")]


def measure(options: argparse.Namespace) -> bool:
    works = options.only.split(",")
    numbers, seconds_each = numbers_of(options), options.seconds
    database = ("PostgreSQL" if options.postgresql else "SQLite") + (f", {options.called}" if options.called else "")
    is_stored = True
    with private_site(is_postgresql=options.postgresql) as site:
        fill_site(
            tags=options.tags,
            responses=options.responses if "judge" in works else 0,
            reviewers=max(2, *numbers),
            open_one_in=OPEN if options.think else 1,
        )
        players = Players(site, think=options.think)
        at_the_desk = max(numbers) if {"submit", "annotate"} & {*works} else 0
        apart = max(FIXED.get(work, 0) for work in works)
        players.sign_in(at_the_desk + apart, max(numbers) if "judge" in works else 0)
        site.start_web(options.web_workers)
        print(f"{machine()}; {options.tags:,} tags, {options.web_workers} web processes", flush=True)
        print(f"{HEAD}\n{RULE}", flush=True)
        if options.think:
            asyncio.run(players.open_judging_page())
        for work in works:
            for people in [FIXED[work]] if work in FIXED else numbers:
                seconds = {"save": options.save_seconds, "claim": 1}.get(work, seconds_each)
                before = len(players.kept.saves)
                played = play(players, work, people, seconds, options.saves)
                print(played.row(database, KINDS[work]), flush=True)
                if options.think:
                    print("\n".join(played.served()), flush=True)
                if wrong := {**played.book.unanswered, **played.book.refused}:
                    print(f"  {wrong}")
                if work == "save":  # of another size than those of other works
                    saves, players.kept.saves = players.kept.saves[before:], players.kept.saves[:before]
                    is_stored = verdict(Acknowledged(saves=saves), SAVE_BYTES)
        return verdict(players.kept, 0) and is_stored


def measure_label_studio(options: argparse.Namespace) -> bool:
    from speed.playing.label_studio import label_studio, play_label_studio

    with tempfile.TemporaryDirectory() as folder:
        server = label_studio(options.label_studio, Path(folder))
        try:
            server.start()
            print(f"{machine()}; {options.tags:,} tasks in Label Studio\n{HEAD}\n{RULE}", flush=True)
            rows = play_label_studio(server, numbers_of(options), options.seconds, options.tags)
            print("\n".join(rows))
        finally:
            server.end()
    return True


def bad_input(options: argparse.Namespace) -> bool:
    from speed.playing.bad_input import play_bad_input

    with private_site(is_postgresql=options.postgresql):
        make_people()
        make_queue(options.tags, people=950)
        print(f"{machine()}; {options.tags:,} tags", flush=True)
        play_bad_input(options.tags, lambda line: print(line, flush=True))
    return True


def verdict(kept: Acknowledged, size: int) -> bool:
    """Print the acknowledged work and whether it is stored; returns whether all of it is."""
    wrong = faults(kept, size=size)
    print(
        f"{told(kept)}: {'; '.join(wrong).upper() if wrong else 'all stored, none twice, nobody at the same tag'}",
        flush=True,
    )
    return not wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", action="store_true", help="a PostgreSQL and a Redis of its own")
    parser.add_argument("--only", default="submit,annotate,save,judge", help="which works")
    parser.add_argument("--people", default="1,10,50,200")
    parser.add_argument("--seconds", type=float, default=15, help="of each work and number of people")
    parser.add_argument("--saves", type=float, default=100, help="that are due per second")
    parser.add_argument("--save-seconds", type=float, default=60)
    parser.add_argument("--tags", type=int, default=TAGS)
    parser.add_argument("--responses", type=int, default=RESPONSES, help="in the review")
    parser.add_argument("--think", type=float, default=0, help="seconds between two verdicts of one person")
    parser.add_argument("--web-workers", type=int, default=2, help="processes of the web server")
    parser.add_argument("--called", default="", help="a name for the rows of this version, such as before")
    parser.add_argument("--bad-input", action="store_true", help="queues that are hard on whoever asks")
    parser.add_argument("--label-studio", metavar="COMMAND", help="the program of that name, which is played instead")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.bad_input:
        sys.exit(0 if bad_input(options) else 1)
    work = measure_label_studio if options.label_studio else measure
    sys.exit(0 if work(options) else 1)


if __name__ == "__main__":
    main()
