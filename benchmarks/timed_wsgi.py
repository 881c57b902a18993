"""The application, saying in a header how long it took: what a benchmark calls server time."""

import time
from collections.abc import Callable
from typing import Any

from config.wsgi import application as inner


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
    started = time.perf_counter()

    def start(status: str, headers: list[tuple[str, str]], error: Any = None) -> Any:
        spent = (time.perf_counter() - started) * 1000
        return start_response(status, [*headers, ("Server-Timing", f"app;dur={spent:.2f}")], error)

    return inner(environ, start)
