"""The JSON of a chat call, separate from the client that sends it, so that only processes that send calls load
that."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

# Parts of a request other than decoding; `stream` and `n` would change the shape of the reply.
RESERVED = {"model", "messages", "stream", "stream_options", "n", "store", "metadata"}

# Where calls go below the address of an endpoint: most are chats, some ask for the probabilities of a text's tokens.
CHAT_PATH, COMPLETIONS_PATH = "/chat/completions", "/completions"
# What the calls of a batch are made at, as batches name it.
CHAT_URL: Final = "/v1/chat/completions"
# As the limits of batches count.
MEGABYTE = 1_000_000


def chat_request(
    model: str,
    messages: list[dict[str, str]],
    decoding: dict[str, Any],
    *,
    max_tokens_name: str = "max_tokens",
    store_as: str = "",
) -> dict[str, Any]:
    """The JSON of a chat call. Decoding values of None are left out, for models that refuse a parameter.

    `max_tokens` is kept under the paper's name and sent as `max_tokens_name` (newer OpenAI models want
    `max_completion_tokens`). `store_as` asks the provider to keep the answer under this key for `find_stored`; only
    OpenAI is known to. Raises ValueError if a decoding parameter is not one.
    """
    if taken := RESERVED & decoding.keys():
        raise ValueError(f"not a decoding parameter: {', '.join(sorted(taken))}")
    renamed = {max_tokens_name if name == "max_tokens" else name: value for name, value in decoding.items()}
    stored = {"store": True, "metadata": {"request_key": store_as}} if store_as else {}
    given = {name: value for name, value in renamed.items() if value is not None}
    return {"model": model, "messages": messages} | given | stored


def probabilities_request(model: str, text: str) -> dict[str, Any]:
    """The JSON of a call to `COMPLETIONS_PATH` that asks for the log-probabilities of a text's tokens: the text comes
    back with them, and one token more, which does not count. In the form that vLLM and llama-cpp-python take."""
    return {"model": model, "prompt": text, "max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}


def request_digest(base_url: str, query: Mapping[str, str], body: dict[str, Any]) -> str:
    """The same for two requests exactly if they go to the same address, with the same parameters, and have the same
    model, messages and decoding: a SHA-256 in hexadecimal. Under which key the provider is to keep the completion
    changes nothing in it."""
    asked = {name: value for name, value in body.items() if name not in ("store", "metadata")}
    said = json.dumps([base_url, dict(query), asked], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()


def call_line(key: str, body: dict[str, Any]) -> bytes:
    """The line for one call in the file of a batch; its result comes with the same `custom_id`."""
    line = {"custom_id": key, "method": "POST", "url": CHAT_URL, "body": body}
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"
