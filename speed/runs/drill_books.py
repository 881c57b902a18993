"""The kill drill's run, its kills, and its checks: whether database and server agree."""

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from django.db import connections
from django.db.models import Count, Q, Sum

from judging.models import Attempt, AttemptOutcome, CallState, Run
from judging.runs.repeating import repeat_in_doubt
from speed.laboratory import Server, Worker
from speed.runs.purposes import RUNS

DELAY = 0.3
CONCURRENCY = 10
CALLS_IN_A_BATCH = 40
# Seconds that the server takes for each request about a batch, and for the calls of one: time enough to be killed.
BATCH_PAUSE, BATCH_SECONDS = 0.3, 1.0
# The clock wakes a worker every five seconds, which lands replies that have been on disk for three.
SWEEP_SECONDS = 30.0
Kill = tuple[int, Callable[[], None]]


@dataclass
class Casualties:
    """The activities at the time of each kill."""

    workers: int = 0
    brokers: int = 0
    by_themselves: int = 0
    in_flight: int = 0
    on_disk: set[str] = field(default_factory=set)


class Drill:
    def __init__(self, folder: Path, kill_broker: Callable[[], None], options: argparse.Namespace):
        self.folder, self.options = folder, options
        self.broker_killer = kill_broker
        self.casualties = Casualties()
        self.deadline = time.monotonic() + options.seconds

    def run(self) -> bool:
        """Run the drill from start to report. Returns whether the counts agree."""
        started = time.monotonic()
        self.server = Server(self.folder, "--delay", str(DELAY), "--fault", "429/10")
        self.server.pull(batch_pause=BATCH_PAUSE, batch_seconds=BATCH_SECONDS)
        self.workers = [Worker(self.folder, f"worker{number}") for number in (1, 2)]
        try:
            self.paid_run = self.start_run()
            self.wait(self.plan_kills())
            first = Books(self)
            repeated = repeat_in_doubt(run=self.paid_run, actor=None)
            self.wait([])
            self.wait_for_disk()
            last = Books(self)
        finally:
            for worker in self.workers:
                worker.kill()
            self.server.close()
            connections.close_all()
        return self.report(first, last, repeated, time.monotonic() - started)

    def start_run(self) -> Run:
        model = self.server.model(
            "Counting server",
            concurrent_calls=CONCURRENCY,
            timeout_seconds=10,
            offers_batches=True,
            batch_calls=CALLS_IN_A_BATCH,
        )
        self.asks = RUNS[self.options.asks](model, self.options.calls, in_batches=self.options.batches)
        self.server.pull(answer=self.asks.answer)
        self.asks.prepare()
        return self.asks.start()

    # --- Kills ----------------------------------------------------------------------------------------------------

    def plan_kills(self) -> list[Kill]:
        """Kill at random points of the run's progress."""
        last = self.options.calls * 19 // 20
        kills: list[Kill] = [(random.randrange(last), self.kill_workers) for _ in range(self.options.worker_kills)]
        kills += [(random.randrange(last), self.kill_broker) for _ in range(self.options.broker_kills)]
        return sorted(kills, key=lambda kill: kill[0])

    def kill_workers(self) -> None:
        """Kill the busy worker, both, or either."""
        victims = self.workers
        if random.random() < 0.75:
            victims = [worker for worker in self.workers if self.in_flight(worker)] or [random.choice(self.workers)]
        for worker in victims:
            worker.kill()
            self.casualties.workers += 1
        kept = {path.stem.rpartition("-")[0] for path in (self.folder / "spool").glob("*.reply")}
        self.casualties.on_disk |= kept
        for worker in victims:
            self.casualties.in_flight += self.in_flight(worker)
            worker.start()

    def in_flight(self, worker: Worker) -> int:
        attempts = Attempt.objects.filter(outcome=AttemptOutcome.SENT, worker__endswith=f":{worker.process.pid}")
        return attempts.count()

    def kill_broker(self) -> None:
        self.broker_killer()
        self.casualties.brokers += 1

    def wait(self, kills: list[Kill]) -> None:
        """Wait until every call is over and every kill is done; each kill comes a moment after its point."""
        while time.monotonic() < self.deadline:
            over = sum(count for state, count in self.states().items() if state not in CallState.open())
            if kills and kills[0][0] <= over:
                time.sleep(random.uniform(0.05, 4.0 if self.options.batches else 0.6))
                kills.pop(0)[1]()
            elif over == self.options.calls:
                return
            self.start_again()
            time.sleep(0.05)
        logs = "".join(path.read_text()[-2000:] for path in self.folder.glob("worker*.log"))
        raise SystemExit(f"The drill did not end in time: {dict(self.states())}\n{logs}")

    def wait_for_disk(self) -> None:
        """Let the workers land the files that killed ones left on disk, perhaps after they were in the database:
        their clock checks for that. Remaining files are counted.
        """
        self.on_disk_at_the_end, started = self.files_on_disk(), time.monotonic()
        while self.files_on_disk() and time.monotonic() < started + SWEEP_SECONDS:
            self.start_again()
            time.sleep(0.1)

    def files_on_disk(self) -> int:
        """Replies, those of no call here, and files of batches. Without unfinished parts: workers remove those after
        an hour.
        """
        return sum(path.is_file() and path.suffix != ".part" for path in (self.folder / "spool").rglob("*"))

    def start_again(self) -> None:
        """Restart workers that have ended, as the supervisor does."""
        for worker in self.workers:
            if worker.process.poll() is not None:
                self.casualties.by_themselves += 1
                worker.start()

    def states(self) -> Counter[str]:
        return Counter(dict(self.paid_run.calls.values_list("state").annotate(n=Count("pk")).order_by()))

    # --- Report ---------------------------------------------------------------------------------------------------

    def report(self, first: "Books", last: "Books", repeated: int, seconds: float) -> bool:
        options, lost = self.options, self.casualties
        backend = "PostgreSQL and Redis" if options.postgresql else "SQLite and the embedded broker"
        how = f"calls in {last.batches} batches" if options.batches else "calls"
        print(f"{options.calls} {how} for {options.asks} on {backend}, seed {options.seed}, {seconds:.0f} s")
        print(f"  {lost.in_flight} calls in flight and {len(lost.on_disk)} replies on disk at the kills, ", end="")
        print(
            f"{last.refused} calls refused with 429 and tried again, {lost.by_themselves} workers ended by themselves"
        )
        print(f"  {self.on_disk_at_the_end} files on disk when the last call was over, which workers may still land")
        in_order = True
        for what, found, relation, wanted in (
            ("workers killed", lost.workers, ">=", options.worker_kills),
            ("broker killed", lost.brokers, ">=", options.broker_kills),
            ("answers stored twice", first.stored_twice, "=", 0),
            ("calls paid twice", first.paid_twice, "=", 0),
            ("answers lost that had arrived", first.arrived_and_lost, "=", 0),
            ("paid, neither stored nor in doubt", first.lost, "=", 0),
            ("stored", first.stored, "=", first.done),
            ("in doubt", first.in_doubt, "<=", 0 if options.batches else lost.in_flight),
            ("stored + in doubt", first.stored + first.in_doubt, "=", options.calls),
            ("in doubt and repeated by an admin", repeated, "=", first.in_doubt),
            ("stored after that", last.stored, "=", options.calls),
            ("stored twice after that", last.stored_twice, "=", 0),
            ("paid twice, as the admin agreed", last.paid_twice, "=", first.doubtful_and_paid),
            *((what, found, "=", wanted) for what, found, wanted in last.made),
            ("files left on disk", last.left_on_disk, "=", 0),
            ("money off the books", last.money_off, "=", 0),
        ):
            holds = {"=": found == wanted, "<=": found <= wanted, ">=": found >= wanted}[relation]
            in_order = in_order and holds
            print(f"  {what:36}{found!s:>6}  {relation:>2} {wanted!s:<6}{'' if holds else '  NOT IN ORDER'}")
        return in_order


class Books:
    """The counts at one moment."""

    def __init__(self, drill: Drill):
        states = drill.states()
        self.done, self.in_doubt = states[CallState.DONE], states[CallState.IN_DOUBT]
        run = drill.paid_run
        keys = [str(key) for key in drill.asks.stored(run).values_list("attempt__call__key", flat=True)]
        doubtful = drill.paid_run.calls.filter(state=CallState.IN_DOUBT).values_list("key", flat=True)
        in_doubt = {str(key) for key in doubtful}
        log = drill.server.calls()
        paid = Counter(call["key"] for call in log if call["paid"])
        self.stored, self.stored_twice = len(keys), len(keys) - len(set(keys))
        self.made = list(drill.asks.counts(run, self.stored))
        self.paid_twice = paid.total() - len(paid)
        self.refused = sum(not call["paid"] for call in log)
        self.lost = len(paid.keys() - set(keys) - in_doubt)
        self.arrived_and_lost = len(drill.casualties.on_disk - set(keys))
        self.doubtful_and_paid = len(in_doubt & paid.keys())
        self.left_on_disk = drill.files_on_disk()
        self.batches = drill.paid_run.call_batches.count()
        spent = Attempt.objects.filter(call__run=drill.paid_run).aggregate(
            cost=Sum("cost"), held=Sum("possible_cost", filter=Q(outcome=AttemptOutcome.IN_DOUBT))
        )
        books = (spent["cost"] or Decimal(0)) + (spent["held"] or Decimal(0))
        committed = Run.objects.get(pk=drill.paid_run.pk).committed
        self.money_off = round(committed - books, 9)
