"""A clock that stands still, for tests that compare worlds."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone


@pytest.fixture
def clock(monkeypatch):
    """Time stands still, so that two worlds differ in nothing else. `clock(delta)` lets it go on."""
    moment = [timezone.now()]
    monkeypatch.setattr("django.utils.timezone.now", lambda: moment[0])

    class StandingStill(datetime):
        @classmethod
        def now(cls, tz=None):
            return moment[0]

    monkeypatch.setattr("django.contrib.humanize.templatetags.humanize.datetime", StandingStill)

    def go_on(delta: timedelta) -> None:
        moment[0] += delta

    return go_on
