"""The ways in which a call can end without a reply: four failures that say whether it was paid, and the provider's
message.
"""

import contextlib
import json
import re
from typing import Any

from core.outside import storable

# 4xx with which a gateway says that the model behind it did not answer in time: it may have worked, and been paid.
GATEWAY_TIMEOUTS = {408, 499}
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
    """The provider did not make the call and bills nothing for it: its batch expired or was cancelled."""


class RateLimited(CallFailed):
    """Refused with 429: not paid. `retry_after` is the number of seconds that the endpoint asks us to wait, if it
    gives one.
    """

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


def says_no_money(error: object, said: str, *, may_wait: bool = False) -> bool:
    """Return whether an error and its message say that credit or quota is used up: paying helps, waiting does not.
    `may_wait` means that it also gives a time to retry, as per-minute limits do.
    """
    names = {str(error.get(name)) for name in ("code", "type")} if isinstance(error, dict) else set()
    if names & NO_MONEY or "402" in names:
        return True
    return not may_wait and NO_MONEY_SAID.search(said) is not None


def words_of(body: object) -> str:
    """The message in an error's body; bodies come in many shapes, including HTML pages. If a gateway repeats the
    message of the provider behind it, that is included.
    """
    said, behind = _message_in(body), _behind(body)
    return storable(f"{said} ({behind})" if behind and behind not in said else said) or "no message"


def _message_in(body: object) -> str:
    if isinstance(body, dict):
        inner = body.get("error") or body
        inner = body if inner is True else inner
        body = inner.get("message") or inner.get("detail") or inner if isinstance(inner, dict) else inner
    text = body if isinstance(body, str) else json.dumps(body, default=str)
    return " ".join(re.sub(r"<[^>]{0,500}>", " ", text[:4000]).split())[:500]


def _behind(body: object) -> str:
    """The message of the provider behind a gateway, from `metadata.raw`; "" without one."""
    inner = (body.get("error") or body) if isinstance(body, dict) else None
    metadata = inner.get("metadata") if isinstance(inner, dict) else None
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str):
        with contextlib.suppress(ValueError, RecursionError):
            raw = json.loads(raw)
    return _message_in(raw) if raw else ""
