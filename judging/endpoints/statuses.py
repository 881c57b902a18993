"""The failure for an HTTP status, from the server, a batch's result, or the body of a 200."""

import contextlib
import re
from typing import Any

from core.backoff import LONGEST_WAIT, seconds_asked_for

from .failures import GATEWAY_TIMEOUTS, CallFailed, InDoubt, RateLimited, Rejected, says_no_money

# A per-minute limit can be worded like a monthly one, but then says when to come back.
COME_BACK = re.compile(r"\b(?:retry|try again) (?:in|after)\b", re.IGNORECASE)
# Words with which gateways report by a 400 what others report by a 404.
UNKNOWN_MODEL = re.compile(
    r"\bmodel_not_found\b|\b(?:invalid|unknown) model\b|\bmodel\b.{0,80}\b(?:not found|(?:does not|doesn't) exist)",
    re.IGNORECASE,
)


def failure_of_status(
    status: int,
    error: object,
    said: str,
    *,
    where: str = "The endpoint",
    key_name: str = "",
    target: str = "",
    retry_after: float | None = None,
    raw: bytes = b"",
) -> CallFailed:
    """The failure for a status other than success.

    Args:
        error: the body's error, of which `code` and `type` are read.
        said: the provider's own words.
        where: the endpoint's address, for messages.
        key_name: the environment variable with the key.
        target: where a redirect points to.
        retry_after: seconds that the endpoint asks us to wait, if it says.
    """
    code = str(error.get("code")) if isinstance(error, dict) else ""
    may_wait = retry_after is not None or bool(COME_BACK.search(said))
    is_about_money = says_no_money(error, said, may_wait=may_wait)
    if status == 429 and not is_about_money:
        return RateLimited(f"Too many calls: {said}", reason="rate", status=status, raw=raw, retry_after=retry_after)
    if status >= 500 or status in GATEWAY_TIMEOUTS:
        return InDoubt(
            f"{where} answered with the error {status}: {said}", reason=str(status), status=status, raw=raw
        )
    reason, message = "request", f"{where} refused the request ({status}): {said}"
    if status == 402 or is_about_money:
        reason, message = "quota", f"No money or quota is left: {said}"
    elif status in {401, 403}:
        reason, message = "key", f"The key in {key_name or '(none named)'} is not accepted: {said}"
    elif status == 404 or (status == 400 and UNKNOWN_MODEL.search(f"{code} {said}")):
        reason, message = "model", f"{where} does not know this model, or the base URL is wrong: {said}"
    elif 300 <= status < 400:
        reason = "redirect"
        message = f"{where} redirects to {target or 'another address'}. If that is correct, set it as the base URL."
    elif code == "content_filter":
        reason, message = "filtered", f"The message was filtered: {said}"
    return Rejected(message, reason=reason, status=status, raw=raw)


def status_in(error: object) -> int | None:
    """The status that an error in a body names as its code; None if it names none."""
    if not isinstance(error, dict):
        return None
    for name in ("code", "status", "status_code", "http_status"):
        value = error.get(name)
        with contextlib.suppress(ValueError, OverflowError):
            number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0
            if 300 <= number < 600 and number == int(number):
                return int(number)
    names = (str(error.get(name)).lower() for name in ("code", "type", "status"))
    return next((NAMED[name] for name in names if name in NAMED), None)


# Names of errors that stand for a status, where the status changes the call's outcome; other calls stay in doubt.
NAMED = dict.fromkeys(
    ("rate_limit_exceeded", "rate_limit_error", "rate_limited", "too_many_requests", "resource_exhausted"), 429
) | dict.fromkeys(("overloaded_error", "overloaded"), 529)


def pause_asked_for(headers: Any) -> float | None:
    """Seconds that headers ask us to wait; None without a pause. A number over the longest pause is taken as
    milliseconds, as some servers mean it, if that gives a valid pause.
    """
    in_ms = seconds_asked_for(headers.get("retry-after-ms"))
    if in_ms is not None:
        return in_ms / 1000
    written = headers.get("retry-after")
    asked = seconds_asked_for(written)
    is_number = asked is not None and str(written).strip().replace(".", "", 1).isdigit()
    return plausible(asked) if asked is not None and is_number else asked


def plausible(asked: float) -> float:
    """A pause in seconds, converted if it was given in milliseconds."""
    return asked / 1000 if asked > LONGEST_WAIT and asked / 1000 <= LONGEST_WAIT else asked
