"""Fixtures of the tests of runs: a folder for replies, short pauses, a counting server."""

import pytest

from tests.judging.options import install_options


@pytest.fixture
def options(monkeypatch, db):
    """The template of a task that compares the probabilities of options, with a release of three items."""
    return install_options(monkeypatch)
