"""The words of lists: what is made at less cost says the same."""

import random
from datetime import UTC, datetime, timedelta

from django.contrib.humanize.templatetags import humanize

from core.templatetags.rows import time_since

NOW = datetime(2026, 3, 29, 1, 30, 0, 500, tzinfo=UTC)


class StandingClock(datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


def test_a_time_is_told_as_django_tells_it(monkeypatch):
    monkeypatch.setattr(humanize, "datetime", StandingClock)
    minute, hour, day = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
    edges = [
        timedelta(0),
        timedelta(seconds=1),
        minute,
        2 * minute,
        hour,
        2 * hour,
        day,
        day + hour,
        7 * day,
        28 * day,
    ]
    gone = [edge + shift for edge in edges for shift in (-timedelta(microseconds=1), timedelta(0), minute, hour)]
    chosen = random.Random(7)
    gone += [timedelta(seconds=chosen.uniform(0, 10 ** chosen.uniform(0, 8))) for _ in range(2_000)]
    for each in gone:
        assert time_since(NOW - each, NOW) == humanize.naturaltime(NOW - each), each
