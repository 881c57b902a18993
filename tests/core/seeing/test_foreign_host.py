"""A request for another host is refused in plain words, and costs the log one quiet line."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
FOREIGN = ["evil.example", 'evil.example<b>"x" level=error', "evil.exampleé"]


@pytest.fixture(autouse=True)
def _one_host(settings):
    settings.ALLOWED_HOSTS = ["testserver"]


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("address", ["/", "/account/login/", "/nowhere/"])
@pytest.mark.parametrize("https", [False, True])
def test_another_host_gets_a_page_in_plain_words(host, address, https, settings):
    settings.SECURE_SSL_REDIRECT = https
    response = Client(raise_request_exception=False).get(address, headers={"Host": host})
    assert response.status_code == 400
    page = response.content.decode()
    assert "This site has another address" in page
    assert "evil" not in page


def test_a_program_gets_a_problem():
    response = Client(raise_request_exception=False).get("/api/v1/me/", headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    assert "ALLOWED_HOSTS" in response.json()["detail"]


@pytest.mark.parametrize("host", FOREIGN)
def test_the_log_has_one_warning_without_the_host(host, logged):
    Client(raise_request_exception=False).post("/account/login/?q=evil", {"a": "evil"}, headers={"Host": host})
    (refused,) = [line for line in logged() if line["logger"].startswith("django.")]
    assert refused.pop("request_id")
    assert refused.pop("timestamp")
    assert refused == {
        "event": "Refused a request for a host that is not in ALLOWED_HOSTS",
        "level": "warning",
        "logger": "django.security.DisallowedHost",
        "path": "/account/login/",
    }
    assert "evil" not in str(logged())
