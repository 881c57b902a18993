"""The log-probabilities of a reply's tokens, from the body of a chat or of a completion."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from core.outside import storable

from ..protocol.replies import Token, Tokens, by_likelihood, probability


def tokens_of_choice(choice: dict[str, object]) -> Tokens | None:
    """The tokens of a choice with their log-probabilities; None if it has none, or if one of them is not valid: half
    of a distribution could be taken for the whole.
    """
    told = choice.get("logprobs")
    if not isinstance(told, dict):
        return None
    try:
        tokens = tuple(_of_chat(told["content"]) if told.get("content") else _of_completion(told))
    except (LookupError, TypeError, ValueError, AttributeError):
        return None
    return tokens or None


def are_whole(tokens: Tokens, counted: int) -> bool:
    """Return whether these begin with the first token of a reply that has this number of them. llama.cpp leaves out a
    token that is a part of a character and adds its text to the next one, which is then not among its alternatives. A
    token that ends the reply may be missing.
    """
    return len(tokens) >= counted or all(not each.top or each.text in each.top for each in tokens)


def _of_chat(content: list[dict[str, Any]]) -> Iterator[Token]:
    for each in content:
        pairs = ((top["token"], top["logprob"]) for top in each.get("top_logprobs") or [])
        yield Token(_text(each["token"]), probability(each["logprob"]), _top(pairs))


def _of_completion(told: dict[str, Any]) -> Iterator[Token]:
    tokens, values = told["tokens"], told["token_logprobs"]
    tops = told.get("top_logprobs") or [None] * len(tokens)
    for text, value, top in zip(tokens, values, tops, strict=True):
        yield Token(_text(text), probability(value), _top((top or {}).items()))


def _top(pairs: Iterable[tuple[Any, Any]]) -> dict[str, float]:
    """The alternatives from the likeliest; an impossible one (minus infinity) is left out."""
    return by_likelihood((_text(text), value) for text, value in pairs if value != -math.inf)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a token is a text")
    return storable(value)
