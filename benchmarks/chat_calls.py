"""What calling a model costs: wall time and CPU of 1,000 calls, 50 at a time, each answered after 500 ms.

    python -m benchmarks.chat_calls [CALLS] [CONCURRENCY]

Compares a bare asyncio loop over the official client with `complete_chat` in threads, which puts every answer on disk
(fsync) before reading it. The server runs in a process of its own, and its CPU is not counted.
"""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openai

from judging.endpoints.addresses import Endpoint
from judging.endpoints.client import complete_chat
from judging.endpoints.requests import chat_request

PORT, DELAY = 9761, 0.5
MESSAGES = [{"role": "system", "content": ""}, {"role": "user", "content": "Provide a short answer. " + "x " * 750}]
REQUEST = chat_request("a-model", MESSAGES, {"temperature": 0, "max_tokens": 250, "seed": 5})


def bare_asyncio(base_url: str, calls: int, concurrency: int) -> None:
    async def work() -> None:
        client = openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)
        waiting = iter(range(calls))

        async def worker() -> None:
            for _ in waiting:
                await client.chat.completions.create(**REQUEST)

        await asyncio.gather(*(worker() for _ in range(concurrency)))

    asyncio.run(work())


def threads(base_url: str, calls: int, concurrency: int) -> None:
    endpoint = Endpoint(base_url)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(concurrency) as pool:

        def one(number: int) -> None:
            def spool(raw: bytes) -> None:
                descriptor = os.open(Path(folder) / str(number), os.O_WRONLY | os.O_CREAT)
                os.write(descriptor, raw)
                os.fsync(descriptor)
                os.close(descriptor)

            complete_chat(endpoint, REQUEST, request_key=str(number), on_arrival=spool)

        list(pool.map(one, range(calls)))


def used() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    calls, concurrency = (int(value) for value in [*sys.argv[1:3], *("1000", "50")[len(sys.argv) - 1 :]])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    command = [sys.executable, "-m", "tests.llm_server", "--port", str(PORT), "--delay", str(DELAY)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[1])
    try:
        assert server.stdout
        base_url = server.stdout.readline().decode().strip()
        ideal = calls / concurrency * DELAY
        print(f"{calls} calls, {concurrency} at a time, {DELAY:g} s each: ideal {ideal:.1f} s")
        for work in (bare_asyncio, threads):
            work(base_url, concurrency, concurrency)  # so that connections and clients exist before the clock starts
            started, cpu = time.perf_counter(), used()
            work(base_url, calls, concurrency)
            wall, cpu = time.perf_counter() - started, used() - cpu
            times, each = wall / ideal, cpu / calls * 1000
            print(f"{work.__name__:14} {wall:6.2f} s = {times:.3f} x ideal, {each:.2f} ms CPU a call")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
