"""A model's key goes only to the hosts that it is listed with."""

import pytest

from config.reading.environment import BadSetting, Environment
from judging.endpoints.addresses import Endpoint, EndpointRefused, read_key
from judging.endpoints.extras import read_headers


@pytest.fixture(autouse=True)
def listed(settings, monkeypatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "sk-lab")
    settings.LLM_KEY_HOSTS = {"LAB_API_KEY": ["llm.lab.example", ".models.example:8443"]}


@pytest.mark.parametrize("url", ["https://llm.lab.example/v1", "https://a.models.example:8443/v1"])
def test_a_listed_host_gets_it(url):
    assert read_key("LAB_API_KEY", url) == "sk-lab"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/v1",
        "https://llm.lab.example.evil.example/v1",
        "https://llm.lab.example@evil.example/v1",
        "https://a.models.example/v1",
    ],
)
def test_a_key_goes_only_to_its_hosts(url):
    with pytest.raises(EndpointRefused, match=r"llm\.lab\.example"):
        read_key("LAB_API_KEY", url)


def test_neither_does_one_in_a_header():
    endpoint = Endpoint(base_url="https://evil.example/v1", headers={"X-Key": "LAB_API_KEY"})
    with pytest.raises(EndpointRefused):
        read_headers(endpoint)


def test_a_key_without_hosts_goes_to_each_that_models_may_be_at(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    assert read_key("OPENAI_API_KEY", "https://anywhere.example/v1") == "sk"


@pytest.mark.parametrize("written", ["LAB_API_KEY", "OTHER_KEY@a.example", "LAB_API_KEY@"])
def test_an_entry_that_cannot_be_used_starts_nothing(monkeypatch, written):
    monkeypatch.setenv("LLM_KEY_HOSTS", written)
    with pytest.raises(BadSetting, match="LLM_KEY_HOSTS"):
        Environment().key_hosts("LLM_KEY_HOSTS", ["LAB_API_KEY"])
