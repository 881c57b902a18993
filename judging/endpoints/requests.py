"""The JSON of a chat call, separate from the client that sends it, so that only processes that send calls load
that."""

from typing import Any

# Parts of a request other than decoding; `stream` and `n` would change the shape of the reply.
RESERVED = {"model", "messages", "stream", "stream_options", "n", "store", "metadata"}


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
