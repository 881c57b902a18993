"""Fixtures that several tests of this app share."""

import pytest

from annotation.models import Annotation, Wiki
from core.models import User
from tests.annotation.desk_helpers import claim
from tests.annotation.harvest_helpers import FakeWiki
from tests.factories import TagFactory, WikiFactory


@pytest.fixture
def wiki_row(db) -> Wiki:
    return WikiFactory(name="Test Wiki (en)", api_url="https://wiki.example/w/api.php")


@pytest.fixture
def fake_wiki(monkeypatch, wiki_row) -> FakeWiki:
    """The wiki behind `wiki_row`."""
    fake = FakeWiki()
    monkeypatch.setattr("annotation.harvesting.steps.WikiClient", lambda api_url, **settings: fake)
    return fake


@pytest.fixture
def draft(annotator: User) -> Annotation:
    TagFactory(article__title="Harbour Bridge")
    return claim(annotator)
