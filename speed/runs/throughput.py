"""Measures a run's time besides waiting for answers: 1,000 calls, 50 at a time, each answered after 500 ms.

    python -m speed.runs.throughput [--calls 1000] [--concurrency 50] [--delay 0.5] [--judges 2]
    python -m speed.runs.throughput --asks evidence    # or statements, checks

Measures a run by one worker as `manage.py up` starts it, on SQLite and the embedded broker (or as set by DATABASE_URL
and CELERY_BROKER_URL), and a bare asyncio loop over the official client that stores nothing. The ideal is calls /
concurrency x delay. A run's time is from the first call sent to the last reply in the database. With `--judges`, this
number of judge models judge the same imported responses, and replies are their verdicts.
"""

import argparse
import asyncio
import time
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import psutil

from speed.laboratory import Server, Worker, laboratory, make_release


def bare_loop(base_url: str, requests: list[dict], concurrency: int) -> tuple[float, float]:
    import openai

    async def work() -> None:
        client = openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)
        left = iter(requests)

        async def worker() -> None:
            for request in left:
                await client.chat.completions.create(**request)

        await asyncio.gather(*(worker() for _ in range(concurrency)))

    started, cpu = time.monotonic(), cpu_of(psutil.Process())
    asyncio.run(work())
    return time.monotonic() - started, cpu_of(psutil.Process()) - cpu


def cpu_of(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def engine(folder: Path, server: Server, options: argparse.Namespace) -> tuple[float, float]:
    from django.db.models import Max, Min

    from judging.models import Attempt, CallState
    from speed.runs.purposes import RUNS

    asks: Any = Judgments(server, options)
    if not options.judges:
        model = server.model("Bench", concurrent_calls=options.concurrency)
        asks = RUNS[options.asks](model, options.calls)
    server.pull(answer=asks.answer)
    asks.prepare()
    worker = Worker(folder, "worker")
    try:
        time.sleep(8)  # until the worker is running
        cpu = cpu_of(psutil.Process(worker.process.pid))
        run = asks.start()
        deadline = time.monotonic() + 3 * options.calls / options.concurrency
        while run.calls.exclude(state=CallState.DONE).exists() and time.monotonic() < deadline:
            time.sleep(0.25)
        cpu = cpu_of(psutil.Process(worker.process.pid)) - cpu
    finally:
        worker.end()
    done = run.calls.filter(state=CallState.DONE).count()
    stored = asks.stored(run).count()
    if not done == stored == options.calls:
        raise SystemExit(f"{done} calls done and {stored} replies stored of {options.calls}: see the worker's log")
    times = Attempt.objects.filter(call__run=run).aggregate(first=Min("sent_at"), last=Max("ended_at"))
    return (times["last"] - times["first"]).total_seconds(), cpu


class Judgments:
    """Judgments of imported responses, by several judge models."""

    answer = "The answer."

    def __init__(self, server: Server, options: argparse.Namespace):
        self.server, self.judges = server, options.judges
        self.calls, self.concurrency = options.calls, options.concurrency

    def prepare(self) -> None:
        from django.utils import timezone

        from judging.models import LanguageModel, ModelKind, PromptTemplate, Response, Run, RunKind, RunState

        release = make_release(self.calls // self.judges)
        self.source = Run.objects.create(kind=RunKind.IMPORT, state=RunState.FINISHED, started_at=timezone.now())
        asked = {
            "run": self.source,
            "model": LanguageModel.objects.create(name="Judged", kind=ModelKind.IMPORTED),
            "template": PromptTemplate.objects.get(code="5", version=1),
        }
        text = "One source says 1903, another 1953."
        Response.objects.bulk_create(
            Response(**asked, instance=each, text=text, imported={}) for each in release.instances.all()
        )

    def start(self) -> Any:
        from judging.runs.runs import create_judge_run, start_run
        from judging.tasks import call_models

        each = self.concurrency // self.judges
        models = [self.server.model(f"Bench {number}", concurrent_calls=each) for number in range(self.judges)]
        run = create_judge_run(language_models=models, source_runs=[self.source], budget=Decimal(1000))
        start_run(run=run)
        call_models.delay()
        return run

    def stored(self, run: Any) -> Any:
        return run.judgments.exclude(verdict="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--delay", type=float, default=0.5)
    parser.add_argument("--judges", type=int, default=0)
    parser.add_argument("--asks", choices=["answers", "statements", "evidence", "checks"], default="answers")
    options = parser.parse_args()
    ideal = options.calls / options.concurrency * options.delay
    print(f"{options.calls} calls, {options.concurrency} at a time, {options.delay:g} s each: ideal {ideal:.1f} s")
    with laboratory(LLM_WORKER_CALLS=str(max(128, options.concurrency))) as folder:
        from judging.models import Attempt

        with closing(Server(folder, "--delay", str(options.delay))) as server:
            used = engine(folder, server, options)
            show("run of this program", *used, ideal, options.calls)
            requests = list(Attempt.objects.values_list("request", flat=True))
            used = bare_loop(server.base_url, requests, options.concurrency)
            show("bare asyncio loop", *used, ideal, options.calls)


def show(name: str, wall: float, cpu: float, ideal: float, calls: int) -> None:
    print(f"{name:20} {wall:6.2f} s = {wall / ideal:.3f} x ideal, {cpu / calls * 1000:.2f} ms CPU a call", flush=True)


if __name__ == "__main__":
    main()
