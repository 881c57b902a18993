"""The reply to a chat call, read from the body of a 200."""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from core.outside import storable

from ..protocol.finish_words import LONGEST_WORD, Finish, finish_of, word_of
from ..protocol.replies import Tokens
from ..protocol.thoughts import joined, split_thoughts
from .failures import CallFailed, InDoubt, says_no_money, words_of
from .statuses import failure_of_status, pause_asked_for, status_in
from .token_probabilities import are_whole, tokens_of_choice

WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)


@dataclass(frozen=True)
class ChatReply:
    """A model's reply. `raw` is the body as it arrived; the texts can be stored in any database.

    `text` is the answer alone: thoughts are in `reasoning`, regardless of where the model wrote them.
    """

    text: str
    finish_reason: str = ""
    refusal: str = ""
    reasoning: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    provider_id: str = ""
    served_model: str = ""
    seconds: float | None = 0.0
    # The log-probabilities of the tokens of `text`, if the endpoint gave them.
    tokens: Tokens | None = None
    raw: bytes = field(default=b"", repr=False)

    @property
    def outcome(self) -> str:
        """complete, cut, refused, filtered, empty, failed or unknown: only the first counts as an answer. The finish
        word decides; a missing word means a complete reply.
        """
        finish = finish_of(self.finish_reason)
        if finish == Finish.FILTERED:
            return "filtered"
        if self.refusal or finish == Finish.REFUSED:
            return "refused"
        if finish in NO_ANSWER:
            return NO_ANSWER[finish]
        return "complete" if self.text.strip() else "empty"


NO_ANSWER = {Finish.CUT: "cut", Finish.ERROR: "failed", Finish.UNKNOWN: "unknown"}
# Other servers' names for `finish_reason`.
OTHER_NAMES = ("stop_reason", "done_reason", "finishReason", "stopReason", "finish_details", "incomplete_details")
# With these, a choice may lack its message.
ENDED_EARLY = {Finish.FILTERED, Finish.REFUSED, Finish.CUT}


def read_reply(raw: bytes, *, seconds: float | None = 0.0) -> ChatReply:
    """The reply in the body of a 200, perhaps found on disk later.

    Args:     seconds: duration of the call, if known.

    Raises:
        CallFailed: with the body, if there is no reply in it. An error in the body counts as its status would.
    """
    data = json_in(raw)
    choice = first(data.get("choices")) if isinstance(data, dict) else None
    if failure := error_in(data, choice, raw):
        raise failure
    if not isinstance(choice, dict):
        raise no_completion(data, raw)
    word = finish_word(data, choice)
    message = message_of(choice, finish_of(word))
    if message is None:
        raise no_completion(data, raw)
    said = split_thoughts(text_of_content(message.get("content")))
    reasoning = joined(thoughts_in_parts(message), said.thoughts)
    usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    completion_tokens = count_of(usage.get("completion_tokens"))
    return ChatReply(
        text=said.answer,
        finish_reason=word[:LONGEST_WORD],
        refusal=text_of(message.get("refusal")) or refusal_in_parts(message.get("content")),
        reasoning=reasoning,
        # No prompt is empty, and every text has tokens: such a count is none, and the reserve is kept.
        prompt_tokens=count_of(usage.get("prompt_tokens")) or None,
        completion_tokens=(completion_tokens or None) if said.answer or reasoning else completion_tokens,
        cached_tokens=cached_tokens_of(usage),
        provider_id=text_of(data.get("id"))[:200],
        served_model=text_of(data.get("model"))[:200],
        seconds=seconds,
        tokens=known_tokens(choice, usage),
        raw=raw,
    )


def known_tokens(choice: dict[str, object], usage: dict[str, object]) -> Tokens | None:
    """The tokens of a choice with their log-probabilities; None if there are none or some are missing."""
    tokens = tokens_of_choice(choice)
    return tokens if tokens and are_whole(tokens, count_of(usage.get("completion_tokens")) or 0) else None


def finish_word(data: dict[str, object], choice: dict[str, object]) -> str:
    """The reason why the model stopped: the choice's own word, otherwise one under another server's name for it; ""
    without one. If a gateway reports success, a different word of the provider behind it counts.
    """
    others = [each.get(name) for each in (choice, data) for name in OTHER_NAMES]
    behind = word_of(choice.get("native_finish_reason"))
    words = (word_of(choice.get("finish_reason")), behind, *map(word_of, others))
    word = next((each for each in words if each.strip()), "")
    is_contradicted = finish_of(word) == Finish.WHOLE and finish_of(behind) not in (Finish.WHOLE, Finish.UNKNOWN)
    return storable(behind if is_contradicted else word)


def message_of(choice: dict[str, Any], finish: Finish) -> dict[str, Any] | None:
    """The message of a choice; an empty one if its finish word explains why there is none. None otherwise."""
    if isinstance(choice.get("message"), dict):
        return choice["message"]
    if "message" not in choice and choice.get("text") is not None:
        return {"content": choice["text"]}
    return {} if finish in ENDED_EARLY else None


def error_in(data: Any, choice: Any, raw: bytes) -> CallFailed | None:
    """The failure in the body of a 200, instead of an answer or after half of one; None without one."""
    for error in errors_of(data, choice):
        if status := status_in(error):
            wait = pause_asked_for(headers_in(error))
            return failure_of_status(status, error, words_of(error), raw=raw, retry_after=wait)
        if choice is not None:
            return broken_off(words_of(error), raw)
    word = finish_word(data, choice) if isinstance(choice, dict) else ""
    return broken_off(f"it ends with “{word[:LONGEST_WORD]}”", raw) if finish_of(word) == Finish.ERROR else None


def errors_of(data: object, choice: object) -> Iterator[Any]:
    """The errors in a body, in its choice or in the choice's message; a body without a choice may itself be one."""
    body = first(data) if isinstance(data, list) else data
    message = choice.get("message") if isinstance(choice, dict) else None
    for each in (body, choice, message):
        if isinstance(each, dict) and (error := each.get("error") or first(each.get("errors"))):
            inner = error.get("error") if isinstance(error, dict) else None
            # If the error itself names no status, the object around it may.
            yield next((found for found in (error, inner, each) if status_in(found)), error)
    if choice is None and isinstance(body, dict):
        yield body


def headers_in(error: dict[str, object]) -> dict[str, str]:
    """The headers of the provider that a gateway repeats, by their names in lower case."""
    metadata = error.get("metadata")
    headers = metadata.get("headers") if isinstance(metadata, dict) else None
    return {str(name).lower(): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}


def broken_off(said: str, raw: bytes) -> InDoubt:
    return InDoubt(f"The provider broke the reply off: {said}.", reason="error word", status=200, raw=raw)


def json_in(raw: bytes) -> Any:
    """The value of a JSON text; None if it is not JSON. Some servers cut a character in two at the token limit: the
    rest of the answer is valid, and paid.
    """
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(raw.decode("utf-8-sig", "replace"))
    return None


def prompt_probabilities(raw: bytes) -> list[float] | None:
    """The log-probabilities of the prompt's tokens in the reply to a `requests.probabilities_request`: without that
    of the first token, which has none, and without added tokens. None if the body does not hold them all.
    """
    try:
        data = json_in(raw)
        choice, usage = data["choices"][0], data.get("usage") or {}
        told = choice.get("prompt_logprobs")
        if isinstance(told, list):  # as vLLM's own parameter gives them
            values = [None, *(one_probability(each) for each in told[1:])]
        else:
            added = count_of(usage.get("completion_tokens"))
            listed = choice["logprobs"]["token_logprobs"]
            values = listed[: len(listed) - (1 if added is None else added)]
    except (LookupError, TypeError, AttributeError):
        return None
    expected = count_of(usage.get("prompt_tokens"))
    numbers = [value for value in values[1:] if isinstance(value, int | float) and not isinstance(value, bool)]
    if not numbers or len(numbers) != len(values) - 1 or expected not in (None, len(values)):
        return None
    return [float(value) for value in numbers]


def one_probability(told: Any) -> Any:
    """The log-probability of the actual token; other tokens are ignored."""
    return next(iter(told.values()))["logprob"] if len(told) == 1 else None


def no_completion(data: object, raw: bytes) -> InDoubt:
    """The failure for the body of a 200 without an answer."""
    said = words_of(data) if isinstance(data, dict) else words_of(raw[:4000].decode(errors="replace"))
    if isinstance(data, dict) and says_no_money(data.get("error"), said):
        return InDoubt(f"No money or quota is left: {said}", reason="quota", status=200, raw=raw)
    if data is None and WEB_PAGE.match(raw):
        message = (
            "A web page arrived instead of an answer. Are the base URL and the network correct? "
            f"The page says: “{said}”."
        )
        return InDoubt(message, reason="web page", status=200, raw=raw)
    return InDoubt(f"The answer is not a chat completion: {said}", reason="unreadable", status=200, raw=raw)


def first(value: object) -> Any:
    return value[0] if isinstance(value, list) and value else None


def thoughts_in_parts(message: dict[str, object]) -> str:
    """The thoughts that a message has in separate parts. Servers use many names for these parts."""
    named = [text_of(message.get(name)) for name in ("reasoning_content", "reasoning")]
    listed = [message.get(name) for name in ("reasoning_details", "thinking_blocks", "content")]
    parts = [part for each in listed if isinstance(each, list) for part in each if isinstance(part, dict)]
    thoughts = [thought_of(part) for part in parts if is_thought(part)]
    return joined(*named, *([] if any(named) else thoughts))


def thought_of(part: dict[str, object]) -> str:
    said = (text_of_content(part.get(name)) for name in ("thinking", "text", "summary", "reasoning"))
    return next(filter(None, said), "")


def text_of(value: object) -> str:
    """A text, made storable; "" for anything else."""
    return storable(value) if isinstance(value, str) else ""


def text_of_content(content: object) -> str:
    """The text of a message's content: a text, a list of parts, or one part; "" for one too deep to read."""
    with contextlib.suppress(RecursionError):
        parts = content if isinstance(content, list) else [content]
        return storable("".join(map(text_of_part, parts)))
    return ""


def text_of_part(part: object) -> str:
    """The text of one part of a content; "" for thoughts, refusals, pictures and others, which have a type and no
    text. An object without a type is the answer itself, and kept as its JSON.
    """
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return text_of_content(part)
    if isinstance(part, bool | int | float):
        return json.dumps(part)
    if not isinstance(part, dict) or is_thought(part) or part.get("type") == "refusal":
        return ""
    texts = (text_in(part.get(name)) for name in ("text", "content", "output_text", "parts"))
    return next(filter(None, texts), "") or ("" if "type" in part else json.dumps(part, ensure_ascii=False))


def text_in(value: object) -> str:
    """The text in a field of a part, perhaps in an object with annotations, or in separate parts."""
    value = value.get("value") if isinstance(value, dict) else value
    return text_of_content(value) if isinstance(value, str | list) else ""


def refusal_in_parts(content: object) -> str:
    parts = content if isinstance(content, list) else [content]
    refusals = (part for part in parts if isinstance(part, dict) and part.get("type") == "refusal")
    return "".join(text_of(part.get("refusal") or part.get("text")) for part in refusals)


def is_thought(part: dict[str, object]) -> bool:
    named = str(part.get("type")).startswith(("thinking", "reasoning", "redacted_thinking"))
    return named or part.get("thought") is True


def cached_tokens_of(usage: dict[str, object]) -> int | None:
    """Tokens of the prompt from the provider's cache; None if it does not report them."""
    details = usage.get("prompt_tokens_details")
    told = [details.get("cached_tokens")] if isinstance(details, dict) else []
    told += [usage.get(name) for name in ("prompt_cache_hit_tokens", "cache_read_input_tokens")]
    return next((count for count in map(count_of, told) if count is not None), None)


def count_of(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**31:
        return None
    return int(value)
