"""The pump: takes calls, has threads make them, lands the results, until none are left.

The work is waiting, not computing. Threads only wait for endpoints and put replies on disk; all database work is done
by the one thread that pumps, in batches. Any number of processes may pump at once: the rows keep them apart.
"""

import logging
import queue
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from core.keeping.sending import may_call

from ..models import Call, CallState, LanguageModel, ModelKind, RunState
from .calls import journal
from .calls.asking import ask_baseline, ask_endpoint, look_up
from .calls.calls import ReadAhead, TakenCall, TakenElsewhere, one_by_one, renew_leases, take_calls, worker_name
from .calls.landing import Result, clear_spool, land
from .sweep import calls_to_look_up, sweep

log = logging.getLogger(__name__)

# Seconds to wait before checking again if calls are left that may not go out yet.
LOOK_AGAIN = 0.1
# Replies that come within this many seconds are recorded together: a database round trip costs the same for all.
GATHER = 0.01
# Replies are safe on disk. They land together: once there are this many, or after this many seconds.
LAND_AT, LAND_AFTER = 32, 0.25
# The pump releases the interpreter at each database statement. With Python's usual 5 ms it would wait that long to
# get it back from a thread reading a reply.
SWITCH_INTERVAL = 0.0005
SWEEP_EVERY = 2.0
DATABASE_PAUSE = 1.0

# One pump per process: a second would only wait for the same rows.
pumping = threading.Lock()
stopping = threading.Event()


def pump_calls(watch: Callable[[], object] = lambda: None) -> bool:
    """Make all remaining calls of running runs; returns False if this process is doing so already. `watch` is called
    now and then, to report progress.
    """
    if not pumping.acquire(blocking=False):
        return False
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        with ThreadPoolExecutor(settings.LLM_WORKER_CALLS, thread_name_prefix="call") as threads:
            Pump(threads, watch).run()
    finally:
        sys.setswitchinterval(interval)
        pumping.release()
    return True


class Pump:
    def __init__(self, threads: ThreadPoolExecutor, watch: Callable[[], object] = lambda: None):
        self.threads, self.watch = threads, watch
        self.worker = worker_name()
        self.on_their_way: dict[str, TakenCall] = {}
        self.arrived: queue.SimpleQueue[Result] = queue.SimpleQueue()
        self.to_land: list[Result] = []
        self.looking_up: list[Future[None]] = []
        self.models: dict[int, ReadAhead] = {}
        self.landed_at = self.swept_at = self.renewed_at = 0.0

    def run(self) -> None:
        while True:
            try:
                if not self.step():
                    return
            except (OperationalError, InterfaceError) as error:
                # Replies are on disk and in `to_land`; they land once the database is back.
                log.warning("The database does not answer: %s", error)
                if not connection.in_atomic_block:
                    connection.close()
                if stopping.wait(DATABASE_PAUSE) and not self.on_their_way:
                    return

    def step(self) -> bool:
        """Do one round; returns False when no work is left."""
        now = time.monotonic()
        while not self.arrived.empty():
            self.to_land.append(self.arrived.get())
        if self.is_time_to_land(now):
            self.land()
        # Done before looking around: a process that was suspended for longer than its leases still knows its own
        # calls.
        if now - self.renewed_at > settings.CALL_LEASE_SECONDS / 3:
            renew_leases(list(self.on_their_way.values()))
            self.renewed_at = now
        if now - self.swept_at > SWEEP_EVERY:
            self.look_around()
        may_take = not stopping.is_set() and may_call()
        taken = self.take() if may_take else []
        for call in taken:
            self.on_their_way[call.key] = call
            self.threads.submit(self.ask, call)
        if self.on_their_way:
            self.wait_for_arrivals()
            return True
        if not may_take:
            if not stopping.is_set():
                self.look_around()  # what others have left behind is landed all the same
            return False
        if not self.has_work():
            self.look_around()
            if not self.has_work():
                return False
        stopping.wait(LOOK_AGAIN)
        return True

    def look_around(self) -> None:
        """Land results left behind by other processes, and find the models with calls."""
        sweep()
        for call in calls_to_look_up():
            self.looking_up.append(self.threads.submit(self.look_up, call))
        self.looking_up = [future for future in self.looking_up if not future.done()]
        left = self.left().filter(model=OuterRef("pk"))
        # Read again: an admin may have changed a limit.
        models = {model.pk: model for model in LanguageModel.objects.filter(Exists(left))}
        self.models = {pk: self.models.get(pk) or ReadAhead(model) for pk, model in models.items()}
        for pk, ahead in self.models.items():
            ahead.refresh(models[pk], now=timezone.now())
        self.watch()
        self.swept_at = time.monotonic()

    def take(self) -> list[TakenCall]:
        taken: list[TakenCall] = []
        arrived = Counter(result.model_id for result in self.to_land)
        for pk, ahead in self.models.items():
            most = settings.LLM_WORKER_CALLS - len(self.on_their_way) + len(self.to_land) - len(taken)
            if most > 0:
                try:
                    taken += take_calls(ahead, most=most, arrived=arrived[pk], worker=self.worker)
                except TakenElsewhere:
                    continue
        if taken:
            journal.note_sent(taken)
        return taken

    def ask(self, taken: TakenCall) -> None:
        with bound_contextvars(run_id=taken.call.run_id, call=taken.key):
            self.arrived.put(ask_baseline(taken) if taken.model.kind == ModelKind.BASELINE else ask_endpoint(taken))

    def look_up(self, call: Call) -> None:
        if result := look_up(call):
            self.arrived.put(result)

    def wait_for_arrivals(self) -> None:
        try:
            self.to_land.append(self.arrived.get(timeout=LOOK_AGAIN))
        except queue.Empty:
            return
        time.sleep(GATHER)

    def is_time_to_land(self, now: float) -> bool:
        if not self.to_land:
            self.landed_at = now
            return False
        return (
            len(self.to_land) >= min(LAND_AT, len(self.on_their_way))
            or now - self.landed_at > LAND_AFTER
            or not all(result.can_wait for result in self.to_land)
        )

    def land(self) -> None:
        """Land all new results, in one transaction."""
        land(self.to_land, clear=lambda landed: self.threads.submit(clear_spool, landed))
        for result in self.to_land:
            self.on_their_way.pop(result.key, None)
        self.to_land = []
        self.landed_at = time.monotonic()

    def has_work(self) -> bool:
        if any(not each.done() for each in self.looking_up) or self.to_land or not self.arrived.empty():
            return True
        return self.left().exists()

    def left(self) -> QuerySet[Call]:
        return one_by_one(Call.objects.filter(state=CallState.PENDING, run__state=RunState.RUNNING))
