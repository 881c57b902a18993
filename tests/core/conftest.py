"""A receiver of messages to programs, and the webhook that sends there."""

import pytest

from core.models import Webhook
from core.webhooks import webhooks
from tests.core.receiver import receiving

ALL = ["annotation.returned", "part.back", "part.silent", "release.made", "round.finished", "run.ended"]


@pytest.fixture
def receiver():
    with receiving() as found:
        yield found


@pytest.fixture
def hook(admin, receiver) -> Webhook:
    return webhooks.add_webhook(admin=admin, url=f"{receiver.url}/hooks", events=ALL)[0]
