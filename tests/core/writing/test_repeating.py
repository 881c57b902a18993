"""Signs of life go on while the database is busy, and end when they are refused or the work is over."""

import time

from django.db import OperationalError

from core.refusals import Refusal
from core.writing.repeating import repeated


def calls_during(seconds: float, answers: list[Exception | None]) -> int:
    """The number of calls within this time, of which the first ones end as `answers` says."""
    calls = []

    def do() -> None:
        calls.append(time.monotonic())
        if answers and (error := answers.pop(0)):
            raise error

    with repeated(do, every=0.02):
        time.sleep(seconds)
    count = len(calls)
    time.sleep(0.1)
    assert len(calls) == count, "it went on after the block"
    return count


def test_a_busy_database_does_not_end_them():
    assert calls_during(0.5, [OperationalError("database is locked"), None]) > 2


def test_a_refusal_ends_them():
    assert calls_during(0.3, [None, Refusal("It was stopped.")]) == 2
