"""The JSON of a chat call. The client that sends it is elsewhere: only processes that send calls load it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from core.languages import say

# Parts of a request other than decoding; `stream` and `n` would change the shape of the reply.
RESERVED = {"model", "messages", "stream", "stream_options", "n", "store", "metadata"}

# Paths of calls below the address of an endpoint: chats, and requests for the probabilities of a text's tokens.
CHAT_PATH, COMPLETIONS_PATH = "/chat/completions", "/completions"
# The endpoint of a batch's calls, as batches name it.
CHAT_URL: Final = "/v1/chat/completions"
# A megabyte as the limits of batches count it.
MEGABYTE = 1_000_000


def chat_request(
    model: str,
    messages: list[dict[str, str]],
    decoding: dict[str, object],
    *,
    max_tokens_name: str = "max_tokens",
    store_as: str = "",
    top_logprobs: int = 0,
) -> dict[str, object]:
    """The JSON of a chat call. Decoding values of None are omitted, for models that refuse a parameter.

    `top_logprobs` is the number of likeliest tokens whose log-probabilities are requested at each position.
    `max_tokens` is kept under the paper's name and sent as `max_tokens_name` (newer OpenAI models need
    `max_completion_tokens`). `store_as` asks the provider to keep the answer under this key for `find_stored`; only
    OpenAI is known to. Raises ValueError for an invalid decoding parameter.
    """
    stored = {"store": True, "metadata": {"request_key": store_as}} if store_as else {}
    probable = {"logprobs": True, "top_logprobs": top_logprobs} if top_logprobs else {}
    return {"model": model, "messages": messages} | given_decoding(decoding, max_tokens_name) | probable | stored


def given_decoding(decoding: Mapping[str, object], max_tokens_name: str) -> dict[str, object]:
    """The decoding parameters as they are sent. Raises ValueError for an invalid one."""
    if taken := RESERVED & decoding.keys():
        raise ValueError(say("not a decoding parameter: {names}", names=", ".join(sorted(taken))))
    renamed = {max_tokens_name if name == "max_tokens" else name: value for name, value in decoding.items()}
    return {name: value for name, value in renamed.items() if value is not None}


def completion_request(
    model: str,
    messages: list[dict[str, str]],
    decoding: dict[str, object],
    *,
    max_tokens_name: str = "max_tokens",
    top_logprobs: int,
) -> dict[str, object]:
    """The JSON of a call to `COMPLETIONS_PATH` that continues the messages as one text, with the log-probabilities of
    the continuation's tokens and of this number of alternatives. Raises ValueError for an invalid decoding parameter.
    """
    prompt = "\n\n".join(message["content"] for message in messages if message["content"])
    return {"model": model, "prompt": prompt} | given_decoding(decoding, max_tokens_name) | {"logprobs": top_logprobs}


def path_of(request: Mapping[str, object]) -> str:
    """The path of a request below the address of the endpoint."""
    return CHAT_PATH if "messages" in request else COMPLETIONS_PATH


def probabilities_request(model: str, text: str) -> dict[str, object]:
    """The JSON of a call to `COMPLETIONS_PATH` that requests the log-probabilities of a text's tokens: the reply
    repeats the text with them, and adds one token, which does not count. In the form of vLLM and llama-cpp-python.
    """
    return {"model": model, "prompt": text, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}


def request_digest(base_url: str, query: Mapping[str, str], body: dict[str, object]) -> str:
    """A digest that is equal exactly for requests to the same address, with the same parameters, model, messages and
    decoding: a SHA-256 in hexadecimal. The key under which the provider stores the completion does not affect it.
    """
    asked = {name: value for name, value in body.items() if name not in ("store", "metadata")}
    said = json.dumps([base_url, dict(query), asked], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()


def call_line(key: str, body: dict[str, object]) -> bytes:
    """The line for one call in the file of a batch; its result comes with the same `custom_id`."""
    line = {"custom_id": key, "method": "POST", "url": CHAT_URL, "body": body}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"
