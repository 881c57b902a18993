"""Models are asked only where the deployment allows, and never at addresses that hand out credentials."""

import httpx2
import pytest

from judging.endpoints import client, connections
from judging.endpoints.addresses import Endpoint, EndpointRefused, check_base_url, refuse_address
from judging.endpoints.failures import Rejected
from judging.endpoints.requests import chat_request
from tests.annotation.wiki_helpers import lead
from tests.servers.llm_server import LlmServer

MESSAGES = [{"role": "user", "content": "Who?"}]


@pytest.mark.parametrize("url", ["http://localhost:11434/v1", "http://127.0.0.1/v1", "http://[::1]:8000/v1"])
def test_this_machine_is_allowed_from_the_start(url):
    check_base_url(url)


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        (["api.openai.com"], "https://API.openai.com/v1"),
        (["api.openai.com"], "https://api.openai.com./v1"),
        ([".lab.example"], "https://gpu7.lab.example:8000/v1"),
        ([".lab.example"], "https://lab.example/v1"),
        (["gpu7:8000"], "http://gpu7:8000/v1"),
        (["gpu7.internal"], "http://GPU7.internal./v1"),
        (["10.0.0.7"], "http://10.0.0.7:8000/v1"),
        (["studio.local"], "http://studio.local:1234/v1"),
        (["[fd12::7]:8000"], "http://[fd12::7]:8000/v1"),
        (["fd12::7"], "http://[fd12::7]:9000/v1"),
        (["*"], "https://anything.example/v1"),
    ],
)
def test_an_allowed_host_passes(settings, allowed, url):
    settings.LLM_ALLOWED_HOSTS = allowed
    check_base_url(url)


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        ([], "http://localhost/v1"),
        (["api.openai.com"], "http://api.openai.com/v1"),
        ([".lab.example"], "http://gpu7.lab.example:8000/v1"),
        (["*"], "http://anything.example/v1"),
        (["8.8.8.8"], "http://8.8.8.8/v1"),
        (["2606:4700::1111"], "http://[2606:4700::1111]/v1"),
        (["localhost.evil.example"], "http://localhost.evil.example/v1"),
        (["api.openai.com"], "https://api.openai.com.evil.example/v1"),
        (["api.openai.com"], "https://evil.example/api.openai.com"),
        (["api.openai.com"], "https://api.openai.com@evil.example/v1"),
        (["api.openai.com"], "https://api.openai.com:x@api.openai.com/v1"),
        (["localhost"], "http://evil.example\\@localhost/v1"),
        ([".lab.example"], "http://evillab.example/v1"),
        (["gpu7:8000"], "http://gpu7:8001/v1"),
        (["gpu7:8000"], "http://gpu7/v1"),
        (["[fd12::7]:8000"], "http://[fd12::7]:8001/v1"),
        (["*"], "ftp://files.example/v1"),
        (["*"], "file:///etc/passwd"),
        (["*"], "https:///v1"),
        (["*"], "api.openai.com/v1"),
        (["*"], ""),
        (["*"], "https://api.example/v1?api-key=secret"),
        (["*"], "http://[::1/v1"),
        (["*"], "http://a\0b/v1"),
    ],
)
def test_any_other_base_url_is_refused(settings, allowed, url):
    settings.LLM_ALLOWED_HOSTS = allowed
    with pytest.raises(EndpointRefused):
        check_base_url(url)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.0.1",
        "168.63.129.16",
        "64:ff9b:1::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "100.100.100.200",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::",
        "0.0.0.0",
        "224.0.0.1",
    ],
)
def test_link_local_and_metadata_addresses_are_refused(address):
    with pytest.raises(EndpointRefused):
        refuse_address(address, local=True)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.7", "192.168.1.5", "fd12::7", "104.18.7.192"])
def test_a_groups_own_network_is_not(address):
    refuse_address(address, local=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/v1",
        "http://localhost/v1",
        "http://10.0.0.7/v1",
        "http://2130706433/v1",
        "http://0x7f000001/v1",
        "https://127.1/v1",
    ],
)
def test_a_private_host_has_to_be_named(settings, url):
    settings.LLM_ALLOWED_HOSTS = ["*"]
    with pytest.raises(EndpointRefused, match="by name"):
        check_base_url(url)


def test_under_a_star_a_name_that_leads_to_this_machine_gets_nothing(settings, monkeypatch):
    settings.LLM_ALLOWED_HOSTS = ["*"]
    with LlmServer() as server:
        port = httpx2.URL(server.base_url).port
        lead(monkeypatch, "models.internal", "127.0.0.1")
        with pytest.raises(Rejected, match="private network"):
            client.complete_chat(Endpoint(f"http://models.internal:{port}/v1"), chat_request("m", MESSAGES, {}))
        settings.LLM_ALLOWED_HOSTS = ["models.internal"]
        client.complete_chat(Endpoint(f"http://models.internal:{port}/v1"), chat_request("m", MESSAGES, {}))
        assert len(server.calls) == 1


def test_a_name_that_changes_its_address_after_the_check_gains_nothing(settings, monkeypatch):
    settings.LLM_ALLOWED_HOSTS = ["*"]
    with LlmServer() as server:
        port = httpx2.URL(server.base_url).port
        asked = lead(monkeypatch, "rebound.internal", "8.8.8.8", "127.0.0.1")
        with pytest.raises(Rejected, match="private network"):
            client.complete_chat(Endpoint(f"http://rebound.internal:{port}/v1"), chat_request("m", MESSAGES, {}))
        assert len(asked) == 2
        assert not server.calls


def test_an_allowed_name_that_leads_to_a_refused_address_gets_nothing(monkeypatch):
    """The address that the connection has is the one that counts, whatever the name led to before."""
    monkeypatch.setattr(
        connections, "refuse_address", lambda address, local: refuse_address("169.254.169.254", local=local)
    )
    with LlmServer() as server, pytest.raises(Rejected, match="link-local"):
        client.complete_chat(Endpoint(server.base_url), chat_request("m", MESSAGES, {}))
    assert not server.calls


def test_a_call_to_a_host_that_is_not_allowed_is_rejected_before_anything_is_sent(settings):
    with LlmServer() as server:
        settings.LLM_ALLOWED_HOSTS = ["api.openai.com"]
        with pytest.raises(Rejected, match="LLM_ALLOWED_HOSTS"):
            client.complete_chat(Endpoint(server.base_url), chat_request("m", MESSAGES, {}))
    assert not server.calls
