"""Fixtures that several tests of this app share."""

import pytest

from annotation.models import Wiki
from tests.annotation.harvest_helpers import FakeWiki
from tests.factories import WikiFactory


@pytest.fixture
def wiki_row(db) -> Wiki:
    return WikiFactory(name="Test Wiki (en)", api_url="https://wiki.example/w/api.php")


@pytest.fixture
def fake_wiki(monkeypatch, wiki_row) -> FakeWiki:
    """The wiki behind `wiki_row`."""
    fake = FakeWiki()
    monkeypatch.setattr("annotation.harvesting.steps.WikiClient", lambda api_url, **settings: fake)
    return fake
