"""The application with a header that gives its time: the server time of a measurement, and this thread's CPU time,
which does not depend on the machine's other work.
"""

import time
from collections.abc import Callable
from typing import Any

from config.wsgi import application as inner


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
    started, computed = time.perf_counter(), time.thread_time()

    def start(status: str, headers: list[tuple[str, str]], error: Any = None) -> Any:
        spent = (time.perf_counter() - started) * 1000
        own = (time.thread_time() - computed) * 1000
        return start_response(status, [*headers, ("Server-Timing", f"app;dur={spent:.2f}, cpu;dur={own:.2f}")], error)

    return inner(environ, start)
