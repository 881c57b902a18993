"""A broker that accepts connections and never answers: the site says so soon."""

import socket
import time

import pytest
from celery import current_app
from django.conf import settings

from core.health.checks import State
from core.health.ready import broker_findings


@pytest.fixture
def silent_broker(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        monkeypatch.setattr(settings, "CELERY_BROKER_URL", url)
        real = current_app.connection_for_write
        monkeypatch.setattr(current_app, "connection_for_write", lambda **options: real(url=url, **options))
        yield


def test_a_silent_broker_is_found_within_seconds(silent_broker):
    began = time.monotonic()
    assert [finding.state for finding in broker_findings()] == [State.FAILED]
    assert time.monotonic() - began < 10
