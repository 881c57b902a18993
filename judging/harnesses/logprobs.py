"""Log-probabilities in logs of other programs, as tokens. Each wrong value is refused with its path in the sample."""

import math
from collections.abc import Sequence

from core.files.problems import ShapeError
from core.languages import say

from ..protocol.replies import Token, Tokens, by_likelihood, probability
from .logs import at


def tokens_of_inspect(told: object, path: str) -> Tokens | None:
    """The tokens of a choice in Inspect's log, from its `logprobs`; None if it has none.

    Args:
        told: `{"content": [{"token", "logprob", "top_logprobs": [{"token", "logprob"}]}]}`, in natural logarithms.
        path: the path of `told` in the sample, for errors.

    Raises ShapeError, with the path, if anything in it is not of this form.
    """
    if told is None:
        return None
    content = at(told, "content")
    if not isinstance(content, list):
        raise ShapeError(f"{path}.content", say("must be a list of tokens"))
    return tuple(_token(each, f"{path}.content.{number}") for number, each in enumerate(content)) or None


def _token(told: object, path: str) -> Token:
    top = at(told, "top_logprobs")
    if top is not None and not isinstance(top, list):
        raise ShapeError(f"{path}.top_logprobs", say("must be a list of tokens"))
    pairs = [_pair(each, f"{path}.top_logprobs.{number}") for number, each in enumerate(top or [])]
    return Token(*_pair(told, path), by_likelihood(pairs))


def _pair(told: object, path: str) -> tuple[str, float]:
    text = at(told, "token")
    if not isinstance(text, str):
        raise ShapeError(f"{path}.token", say("must be a text"))
    return text, _probability(at(told, "logprob"), f"{path}.logprob")


def _probability(value: object, path: str) -> float:
    try:
        return probability(value)
    except ValueError as error:
        raise ShapeError(path, say("is wrong: {error}", error=error)) from None


def token_of_options(options: Sequence[object], replies: Sequence[object], path: str) -> Token:
    """The likeliest of the options that lm-evaluation-harness compared, as one token with all of them beside it.

    Args:
        options: the texts of the options.
        replies: of each option, `[log-likelihood, whether it is the greedy continuation]`. The harness logs both as
            text: "-0.25", "True".
        path: the path of the replies in the sample, for errors.

    Raises ShapeError, with the path, if anything is not of this form, or if no option is possible.
    """
    found = {}
    for number, (option, reply) in enumerate(zip(options, replies, strict=True)):
        if not isinstance(option, str) or option in found:
            raise ShapeError("arguments", say("must hold a text for each option, and each text once"))
        value = _number(at(reply, 0))
        if value != -math.inf:
            found[option] = _probability(value, f"{path}.{number}.0")
    if not found:
        raise ShapeError(path, say("have no option that is possible"))
    top = by_likelihood(found.items())
    likeliest = next(iter(top))
    return Token(likeliest, top[likeliest], top)


def _number(value: object) -> object:
    """The number in a text; any other value unchanged."""
    try:
        return float(value) if isinstance(value, str) and value.strip() == value and "_" not in value else value
    except ValueError:
        return value
