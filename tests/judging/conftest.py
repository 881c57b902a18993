"""What tests of runs share: a folder for replies, short pauses, a counting server."""

from pathlib import Path

import pytest

from judging.runs import pump
from tests.llm_server import LlmServer


@pytest.fixture
def engine(settings, tmp_path) -> Path:
    """Replies on disk go to a folder of the test's own, and nobody waits long. Gives the folder."""
    settings.VAR_DIR = tmp_path
    settings.CALL_BACKOFF_SECONDS = 0.02
    settings.CALL_LEASE_SECONDS = 1.0
    pump.stopping.clear()
    return tmp_path


@pytest.fixture
def server():
    with LlmServer() as server:
        yield server
