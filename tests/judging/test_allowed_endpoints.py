"""Models are asked only where the deployment allows, and never at addresses that hand out credentials."""

import pytest

from judging import llm
from judging.endpoints import Endpoint, EndpointRefused, check_base_url, refuse_address
from judging.replies import Rejected
from tests.llm_server import LlmServer

MESSAGES = [{"role": "user", "content": "Who?"}]


@pytest.mark.parametrize("url", ["http://localhost:11434/v1", "http://127.0.0.1/v1", "http://[::1]:8000/v1"])
def test_this_machine_is_allowed_from_the_start(url):
    check_base_url(url)


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        (["api.openai.com"], "https://API.openai.com/v1"),
        (["api.openai.com"], "https://api.openai.com./v1"),
        ([".lab.example"], "http://gpu7.lab.example:8000/v1"),
        ([".lab.example"], "http://lab.example/v1"),
        (["gpu7:8000"], "http://gpu7:8000/v1"),
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
        refuse_address(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "10.0.0.7", "192.168.1.5", "fd12::7", "104.18.7.192"])
def test_a_groups_own_network_is_not(address):
    refuse_address(address)


def test_an_allowed_name_that_leads_to_a_refused_address_gets_nothing(monkeypatch):
    """The address that the connection has is the one that counts, whatever the name led to before."""
    monkeypatch.setattr(llm, "refuse_address", lambda address: refuse_address("169.254.169.254"))
    with LlmServer() as server, pytest.raises(Rejected, match="link-local"):
        llm.complete_chat(Endpoint(server.base_url), llm.chat_request("m", MESSAGES, {}))
    assert not server.calls


def test_a_call_to_a_host_that_is_not_allowed_is_rejected_before_anything_is_sent(settings):
    with LlmServer() as server:
        settings.LLM_ALLOWED_HOSTS = ["api.openai.com"]
        with pytest.raises(Rejected, match="LLM_ALLOWED_HOSTS"):
            llm.complete_chat(Endpoint(server.base_url), llm.chat_request("m", MESSAGES, {}))
    assert not server.calls
