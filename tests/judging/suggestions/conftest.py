"""The desk of an annotator whose project has a model that makes suggestions."""

import pytest

from tests.judging.suggestions.suggesting import Desk


@pytest.fixture
def by_hand(engine, monkeypatch):
    """A worker works when the test says so."""
    monkeypatch.setattr("judging.tasks.pump_calls", lambda: None)


@pytest.fixture
def desk(annotator, sign_in, server):
    """An annotator with a tag, and a model that may make suggestions."""
    return Desk(annotator, sign_in(annotator), server)
