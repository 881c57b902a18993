"""A reply as the readers of tasks get it: text, finish word, log-probabilities of its tokens, usage. Plain values."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# The largest excess over 0 of a log-probability that is an error of rounding.
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply with its log-probability (natural logarithm, 0 or less), and those of the likeliest tokens
    at its position by their texts, from the likeliest.
    """

    text: str
    logprob: float
    top: Mapping[str, float] = field(default_factory=dict)


Tokens = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a reply and of its prompt, as the provider counted them; None where it did not."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a task. `tokens` is None if no log-probabilities were requested, or the endpoint gave none that can
    be used. `problem` says why the text is no answer, "" if it is one.
    """

    text: str
    finish: str = ""
    tokens: Tokens | None = None
    usage: Usage = Usage()
    problem: str = ""
    # How the model writes the label of an option, such as "(A)"; "" if the likeliest way counts.
    option_labels: str = ""


@dataclass(frozen=True, slots=True)
class ReplySpec:
    """The properties that a task requests of its replies, besides an answer.

    `top_logprobs` is the number of likeliest tokens whose log-probabilities are requested at each position, 0 for
    none. `most_tokens` limits a reply below the model's own limit; a reply that ends there is complete.
    """

    top_logprobs: int = 0
    most_tokens: int | None = None

    def limit(self, own: int | None) -> int | None:
        """The token limit for a model whose own limit is `own`."""
        limits = [each for each in (own, self.most_tokens) if each is not None]
        return min(limits) if limits else None

    def ends_at_limit(self, own: int | None) -> bool:
        """Return whether a reply of a model with this limit is complete although it was cut."""
        return self.most_tokens is not None and self.limit(own) == self.most_tokens


ORDINARY = ReplySpec()


def probability(value: object) -> float:
    """The log-probability in a JSON value, at most 0. Raises ValueError if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value <= ROUNDING:
        raise ValueError("a log-probability must be a number, 0 or less")
    try:
        number = min(float(value), 0.0)
    except OverflowError:
        number = -math.inf
    if not math.isfinite(number):
        raise ValueError("a log-probability must be finite")
    return number


def tokens_from(value: object) -> Tokens:
    """The tokens in their stored form, a list of {"token", "logprob", "top"}. Raises ValueError, with the reason, if
    it is not of this form.
    """
    if not isinstance(value, list):
        raise ValueError("must be a list of tokens")
    return tuple(map(_token_from, value))


def _token_from(value: object) -> Token:
    if not isinstance(value, dict) or value.keys() - {"token", "logprob", "top"}:
        raise ValueError("each token must be an object with token, logprob and top")
    text, top = value.get("token"), value.get("top", {})
    if not isinstance(text, str) or not isinstance(top, dict):
        raise ValueError("a token must be a text, and top an object of log-probabilities by text")
    return Token(text, probability(value.get("logprob")), by_likelihood(top.items()))


def by_likelihood(pairs: Iterable[tuple[str, Any]]) -> dict[str, float]:
    """The log-probabilities by text, from the likeliest. Of two with one text, the likelier stays."""
    found: dict[str, float] = {}
    for text, value in sorted(((text, probability(value)) for text, value in pairs), key=lambda pair: -pair[1]):
        found.setdefault(text, value)
    return found


def stored_tokens(tokens: Sequence[Token] | None) -> list[dict[str, object]] | None:
    """The stored form of tokens, as `tokens_from` reads it."""
    if tokens is None:
        return None
    return [{"token": each.text, "logprob": each.logprob, "top": dict(each.top)} for each in tokens]
