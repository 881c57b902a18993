"""Asking a completions endpoint for the probabilities of a text's tokens."""

import json
import math

import pytest

from benchmarks.contradoc.maker.checks import perplexity
from judging.endpoints.addresses import Endpoint
from judging.endpoints.client import complete_chat
from judging.endpoints.replies import prompt_probabilities
from judging.endpoints.requests import COMPLETIONS_PATH, probabilities_request
from tests.servers.llm_server import LlmServer


def body(choice, **usage):
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def test_the_probabilities_of_all_tokens_of_a_long_text_come_back():
    text = "The bridge opened in 1903. " * 2_000
    with LlmServer(probability="-2") as server:
        arrived: list[bytes] = []
        request = probabilities_request("a-model", text)
        complete_chat(Endpoint(server.base_url), request, on_arrival=arrived.append, path=COMPLETIONS_PATH)
        assert server.targets == ["/v1/completions"]
    values = prompt_probabilities(arrived[0])
    assert values is not None
    assert len(values) == len(text.split(" ")) - 1
    assert perplexity(values) == pytest.approx(math.exp(2))


def test_the_form_of_vllm_is_read_too():
    told = [None, {"12": {"logprob": -1.5, "rank": 1}}, {"7": {"logprob": -0.5, "rank": 3}}]
    assert prompt_probabilities(body({"text": "", "prompt_logprobs": told}, prompt_tokens=3)) == [-1.5, -0.5]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{",
        body({"text": "x"}),
        body({"text": "x", "logprobs": None}),
        body({"text": "x", "logprobs": {"token_logprobs": [None, -1, None, -2]}}),
        # Only the added token: a server that does not echo.
        body({"text": "x", "logprobs": {"token_logprobs": [-1]}}, completion_tokens=1),
        # A text that the server cut.
        body({"text": "x", "logprobs": {"token_logprobs": [None, -1, -2]}}, completion_tokens=1, prompt_tokens=50),
        body({"text": "x", "prompt_logprobs": [None, {"1": {"logprob": -1}, "2": {"logprob": -3}}]}),
    ],
)
def test_what_does_not_hold_them_all_is_unreadable(raw):
    assert prompt_probabilities(raw) is None


def test_perplexity_is_the_exponential_of_the_mean():
    assert perplexity([-1.0, -3.0]) == pytest.approx(math.exp(2))
    assert perplexity([]) is None
    assert perplexity([float("-inf")]) is None
    assert perplexity([-1_000.0]) is None
