"""Tokens and money of calls, before and after: numbers in, numbers out.

A provider's own count is known only after the call. Before it, `estimate_tokens` gives the expected number, and
`most_tokens` the number to reserve from a budget, so that a run stops before its budget is exceeded.
"""

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal

# Tokens that the chat format adds to each message and to the whole.
TOKENS_A_MESSAGE = 4
TOKENS_A_CALL = 3
# English text has 4 to 5 bytes per token; numbers, names and other scripts fewer, seldom under 2.
USUAL_BYTES_A_TOKEN = 4
FEWEST_BYTES_A_TOKEN = 2


def estimate_tokens(messages: Iterable[Mapping[str, str]]) -> int:
    """The expected number of tokens of a prompt."""
    return count(messages, USUAL_BYTES_A_TOKEN)


def most_tokens(messages: Iterable[Mapping[str, str]]) -> int:
    """A number of tokens that a prompt is very unlikely to exceed."""
    return count(messages, FEWEST_BYTES_A_TOKEN)


def count(messages: Iterable[Mapping[str, str]], bytes_a_token: int) -> int:
    texts = [message.get("content") or "" for message in messages]
    size = sum(math.ceil(len(text.encode(errors="replace")) / bytes_a_token) for text in texts)
    return size + TOKENS_A_MESSAGE * len(texts) + TOKENS_A_CALL


def cost(
    prompt_tokens: int,
    completion_tokens: int,
    *,
    price_in: Decimal,
    price_out: Decimal,
    cached_tokens: int = 0,
    price_cached: Decimal | None = None,
) -> Decimal:
    """The price of a call; prices are per million tokens. `cached_tokens` are part of the prompt's, and cost
    `price_cached`, or as much as the others if that is None. Exact, not rounded, as a run sums thousands of these.
    """
    cached = min(cached_tokens, prompt_tokens)
    into = (prompt_tokens - cached) * price_in + cached * (price_in if price_cached is None else price_cached)
    return (into + completion_tokens * price_out) / 1_000_000
