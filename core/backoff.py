"""Computes when to retry after a temporary failure."""

import contextlib
import random
import re
import time
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 3600.0
# Some servers add a fraction. What else Python reads as a number, such as 1e9 or inf, nobody means.
SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def doubled(tries: int, *, first: float, most: float) -> float:
    """Seconds to wait after this many tries: `first`, then twice as long each time, with a maximum of `most`
    seconds.
    """
    return min(most, first * 2.0 ** min(max(tries, 1) - 1, 30))


def backoff(
    attempt: int,
    *,
    retry_after: float | None = None,
    base: float = 1.0,
    cap: float = 300.0,
    draw: Callable[[float, float], float] = random.uniform,
) -> float:
    """Seconds to wait before attempt number `attempt + 1` (the first is 1), drawn afresh each time.

    Full jitter: anything between 0 and `base` x 2^(attempt - 1) seconds, at most `cap` seconds, so that callers
    refused together do not return together. A pause that the other side asks for (`retry_after`) takes precedence, up
    to an hour.
    """
    spread = doubled(attempt, first=base, most=cap)
    asked = min(max(retry_after or 0.0, 0.0), LONGEST_WAIT)
    return asked + draw(0.0, min(spread, base) if asked else spread)


def seconds_asked_for(retry_after: str | None) -> float | None:
    """The pause in seconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); None if it
    cannot be read."""
    if SECONDS.fullmatch(retry_after or ""):
        return float(retry_after or "")
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        moment = parsedate_to_datetime(retry_after or "")
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(moment.timestamp() - time.time(), 0.0)
    return None
