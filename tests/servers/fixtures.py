"""A counting server, a folder for replies, and short pauses: for all tests that call models."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from judging.runs import pump
from tests.contradoc.making.replies import writes
from tests.factories.judging import make_model
from tests.judging.run_sums import check_sums
from tests.servers.llm_server import LlmServer


@pytest.fixture
def engine(request, settings, tmp_path) -> Iterator[Path]:
    """Replies on disk go to a folder of the test's own, and nobody waits long. Gives the folder. Whatever the test
    did with calls, their sums are then what would be counted."""
    settings.VAR_DIR = tmp_path
    settings.CALL_BACKOFF_SECONDS = 0.02
    settings.CALL_LEASE_SECONDS = 60.0
    pump.stopping.clear()
    yield tmp_path
    if request.node.get_closest_marker("django_db"):
        check_sums()


@pytest.fixture
def server():
    with LlmServer() as server:
        yield server


@pytest.fixture
def writer(server):
    """A model that writes statements against documents."""
    server.answer = writes()
    return make_model(server.base_url, name="Writer", decoding={"max_tokens": 2_000, "temperature": 0})
