"""What came back from a chat call: a reply, or one of four failures that say whether the call was paid."""

import contextlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

from core.outside import storable

from ..protocol.thoughts import joined, split_thoughts

# 4xx with which a gateway says that the model behind it did not answer in time: it may have worked, and been paid.
GATEWAY_TIMEOUTS = {408, 499}
WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
# Error codes and types, and phrases in messages, that mean credit is used up.
NO_MONEY = {
    "account_deactivated",
    "billing_hard_limit_reached",
    "billing_not_active",
    "budget_exceeded",
    "insufficient_balance",
    "insufficient_credits",
    "insufficient_funds",
    "insufficient_quota",
    "payment_required",
}
NO_MONEY_SAID = re.compile(
    r"\bcredit balance\b.{0,40}\b(?:too low|exhausted|used up)|\binsufficient (?:account )?(?:credit|balance|funds)"
    r"|\b(?:out of|no(?: remaining)?|any|all available) credits\b|\bcredits? (?:limit )?(?:exceeded|exhausted)\b"
    r"|\bexceeded your current quota\b|\bbudget has been exceeded\b|\bpayment required\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reply:
    """What a model answered. `raw` is the body as it arrived; the texts can be stored in any database.

    `text` is the answer alone: thoughts are in `reasoning`, wherever the model wrote them.
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
    raw: bytes = field(default=b"", repr=False)

    @property
    def outcome(self) -> str:
        """complete, cut (at the token limit), refused, filtered or empty: only the first counts as an answer."""
        if self.finish_reason == "content_filter":
            return "filtered"
        if self.refusal:
            return "refused"
        if self.finish_reason == "length":
            return "cut"
        return "complete" if self.text.strip() else "empty"


class CallFailed(Exception):
    """A call without a reply. `reason` is a short word to group by, `message` a sentence for people, with the key
    removed, `raw` as much of the body as arrived."""

    def __init__(self, message: str, *, reason: str, status: int | None = None, raw: bytes = b""):
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.status = status
        self.raw = raw


class NotSent(CallFailed):
    """No byte of the request left this machine: not paid."""


class NotDone(NotSent):
    """The provider says that it did not make the call, and bills nothing for it: its batch expired or was
    cancelled."""


class RateLimited(CallFailed):
    """Refused with 429: not paid. `retry_after` is the number of seconds that the endpoint asks us to wait, if it
    says."""

    def __init__(self, message: str, *, retry_after: float | None = None, **kwargs: Any):
        super().__init__(message, **kwargs)
        self.retry_after = retry_after


class InDoubt(CallFailed):
    """Sent, but it is not known whether it was answered and paid. `before_reply`: the connection broke before the
    first byte of a reply."""

    def __init__(self, message: str, *, before_reply: bool = False, **kwargs: Any):
        super().__init__(message, **kwargs)
        self.before_reply = before_reply


class Rejected(CallFailed):
    """Refused for good: wrong key, unknown model, no money, a request that the endpoint does not accept."""


def read_reply(raw: bytes, *, seconds: float | None = 0.0) -> Reply:
    """The reply in the body of a 200, perhaps found on disk later; `seconds` is how long the call took, if that is
    known. Raises InDoubt, with the body, if there is no reply in it."""
    data = json_in(raw)
    choice = first(data.get("choices")) if isinstance(data, dict) else None
    message = choice.get("message", {"content": choice.get("text")}) if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict) or not {"message", "text"} & choice.keys():
        raise no_completion(data, raw)
    said = split_thoughts(text_of(message.get("content")))
    usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    return Reply(
        text=said.answer,
        finish_reason=text_of(choice.get("finish_reason"))[:40],
        refusal=text_of(message.get("refusal")),
        reasoning=joined(thoughts_in_parts(message), said.thoughts),
        prompt_tokens=count_of(usage.get("prompt_tokens")),
        completion_tokens=count_of(usage.get("completion_tokens")),
        cached_tokens=cached_tokens_of(usage),
        provider_id=text_of(data.get("id"))[:200],
        served_model=text_of(data.get("model"))[:200],
        seconds=seconds,
        raw=raw,
    )


def json_in(raw: bytes) -> Any:
    """The value of a JSON text; None if it is none. Some servers cut a character in two at the token limit: the rest
    of the answer is good, and paid."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(raw.decode("utf-8-sig", "replace"))
    return None


def prompt_probabilities(raw: bytes) -> list[float] | None:
    """The log-probabilities of the prompt's tokens in the reply to a `requests.probabilities_request`: without
    that of the first token, which has none, and of what was added. None if the body does not hold them all."""
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
    """The log-probability of the token that is there; other tokens are not asked for."""
    return next(iter(told.values()))["logprob"] if len(told) == 1 else None


def no_completion(data: Any, raw: bytes) -> InDoubt:
    """The failure for the body of a 200 without an answer."""
    said = words_of(data) if isinstance(data, dict) else words_of(raw[:4000].decode(errors="replace"))
    if isinstance(data, dict) and says_no_money(data.get("error"), said):
        return InDoubt(f"There is no money or quota left: {said}", reason="quota", status=200, raw=raw)
    if data is None and WEB_PAGE.match(raw):
        message = f"A web page came instead of an answer. Are the base URL and the network right? It says: “{said}”."
        return InDoubt(message, reason="web page", status=200, raw=raw)
    return InDoubt(f"The answer is not a chat completion: {said}", reason="unreadable", status=200, raw=raw)


def says_no_money(error: object, said: str, *, may_wait: bool = False) -> bool:
    """Whether an error and its message say that credit or quota is used up: paying helps, waiting does not.
    `may_wait` means that it also says when to come back, as per-minute limits do."""
    names = {str(error.get(name)) for name in ("code", "type")} if isinstance(error, dict) else set()
    if names & NO_MONEY or "402" in names:
        return True
    return not may_wait and NO_MONEY_SAID.search(said) is not None


def first(value: object) -> Any:
    return value[0] if isinstance(value, list) and value else None


def thoughts_in_parts(message: dict[str, Any]) -> str:
    """The thoughts that a message has in separate parts. Servers name these parts in many ways."""
    named = [text_of(message.get(name)) for name in ("reasoning_content", "reasoning")]
    listed = [message.get(name) for name in ("reasoning_details", "thinking_blocks", "content")]
    parts = [part for each in listed if isinstance(each, list) for part in each if isinstance(part, dict)]
    thoughts = [thought_of(part) for part in parts if str(part.get("type")).startswith(("thinking", "reasoning"))]
    return joined(*named, *([] if any(named) else thoughts))


def thought_of(part: dict[str, Any]) -> str:
    said = (text_of(part.get(name)) for name in ("thinking", "text", "summary", "reasoning"))
    return next(filter(None, said), "")


def text_of(value: object) -> str:
    """A text, or the joined texts of a list of parts, made storable."""
    if isinstance(value, list):
        value = "".join(
            part.get("text") or "" for part in value if isinstance(part, dict) and part.get("type") == "text"
        )
    if not isinstance(value, str):
        return ""
    return storable(value)


def cached_tokens_of(usage: dict[str, Any]) -> int | None:
    """Tokens of the prompt that came from the provider's cache; None if it does not say."""
    details = usage.get("prompt_tokens_details")
    told = [details.get("cached_tokens")] if isinstance(details, dict) else []
    told += [usage.get(name) for name in ("prompt_cache_hit_tokens", "cache_read_input_tokens")]
    return next((count for count in map(count_of, told) if count is not None), None)


def count_of(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**31:
        return None
    return int(value)


def words_of(body: object) -> str:
    """The message in an error's body; bodies come in many shapes, pages of HTML among them."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message") or inner.get("detail") or inner if isinstance(inner, dict) else inner
    text = body if isinstance(body, str) else json.dumps(body, default=str)
    text = " ".join(re.sub(r"<[^>]{0,500}>", " ", text[:4000]).split())
    return storable(text[:500]) or "no message"
