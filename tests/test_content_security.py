"""The policy against foreign script and style holds on every page, whoever asks and whatever is answered."""

import pytest
from django.test import Client

from tests.core.test_access import LISTED, actors, address, let_in, rows, world  # noqa: F401  # fixtures

STRICT = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}


def policy(response) -> set[str]:
    return {part.strip() for part in response.headers.get("Content-Security-Policy", "").split(";")}


@pytest.mark.parametrize("name", LISTED)
def test_the_policy_stands_on_every_answer(name, actors, rows, sign_in):
    where = address(name, rows)
    clients = [Client(), *[sign_in(person) for role, person in actors.items() if let_in(name, role)][:1]]
    for client in clients:
        for response in (client.get(where), client.post(where)):
            assert policy(response) >= STRICT, f"{response.status_code} at {where}"
            if response.streaming or not response.headers.get("Content-Type", "").startswith("text/html"):
                continue
            page = response.content.decode()
            assert " style=" not in page
            assert "<style" not in page
            assert "<script>" not in page
            assert " onclick=" not in page


def test_an_address_that_does_not_exist_has_the_policy_too(client):
    assert policy(client.get("/nowhere/")) >= STRICT
