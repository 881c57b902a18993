"""A model that takes batches, and no pauses between them."""

from decimal import Decimal

import pytest

from judging.models import LanguageModel
from tests.factories.judging import make_model


@pytest.fixture
def no_waiting(engine, settings):
    settings.CALL_BACKOFF_SECONDS = 1000.0  # until `turn` comes round
    settings.BATCH_POLL_SECONDS = 0.0
    settings.BATCH_GRACE_SECONDS = 60.0


@pytest.fixture
def model(server) -> LanguageModel:
    return make_model(server.base_url, offers_batches=True, price_in=Decimal(1), price_out=Decimal(2))
