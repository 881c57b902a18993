"""What came back of a chat call: a reply, or one of four failures that say whether the call was paid."""

import contextlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

# What no database stores: NUL, and halves of characters that JSON lets through.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True)
class Reply:
    """What a model answered. `raw` is the body as it arrived; the texts can be stored in any database."""

    text: str
    finish_reason: str = ""
    refusal: str = ""
    reasoning: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    provider_id: str = ""
    served_model: str = ""
    seconds: float = 0.0
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
    """A call without a reply. `reason` is a short word to group by, `message` a sentence for people without the key,
    `raw` what there is of a body."""

    def __init__(self, message: str, *, reason: str, status: int | None = None, raw: bytes = b""):
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.status = status
        self.raw = raw


class NotSent(CallFailed):
    """No byte of the request left this machine: not paid."""


class RateLimited(CallFailed):
    """Refused with 429: not paid. `retry_after`: the seconds that the endpoint asks for, if it says."""

    def __init__(self, message: str, *, retry_after: float | None = None, **kwargs: Any):
        super().__init__(message, **kwargs)
        self.retry_after = retry_after


class InDoubt(CallFailed):
    """Sent, and not known whether it was answered and paid."""


class Rejected(CallFailed):
    """Refused for good: wrong key, unknown model, no money, a request that the endpoint does not take."""


def read_reply(raw: bytes, *, seconds: float = 0.0) -> Reply:
    """The reply in the body of a 200, also one found on disk later. Raises InDoubt with the body if there is none."""
    data: Any = None
    with contextlib.suppress(ValueError, RecursionError):
        # Some servers cut a character in two at the token limit; the rest of the answer is good, and paid.
        data = json.loads(raw.decode("utf-8-sig", "replace"))
    choice = first(data.get("choices")) if isinstance(data, dict) else None
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        said = words_of(data) if isinstance(data, dict) else words_of(raw[:4000].decode(errors="replace"))
        raise InDoubt(f"The answer is not a chat completion: {said}", reason="unreadable", status=200, raw=raw)
    message = choice["message"]
    usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    return Reply(
        text=text_of(message.get("content")),
        finish_reason=text_of(choice.get("finish_reason"))[:40],
        refusal=text_of(message.get("refusal")),
        reasoning=text_of(message.get("reasoning_content") or message.get("reasoning")),
        prompt_tokens=count_of(usage.get("prompt_tokens")),
        completion_tokens=count_of(usage.get("completion_tokens")),
        provider_id=text_of(data.get("id"))[:200],
        served_model=text_of(data.get("model"))[:200],
        seconds=seconds,
        raw=raw,
    )


def first(value: object) -> Any:
    return value[0] if isinstance(value, list) and value else None


def text_of(value: object) -> str:
    """A text, or the texts of a list of parts, fit to be stored."""
    if isinstance(value, list):
        value = "".join(
            part.get("text") or "" for part in value if isinstance(part, dict) and part.get("type") == "text"
        )
    if not isinstance(value, str):
        return ""
    return UNSTORABLE.sub("\ufffd", value)


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
    return text[:500] or "no message"
