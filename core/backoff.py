"""When something that failed in passing is tried again: numbers in, numbers out."""

import contextlib
import math
import random
import time
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 3600.0


def doubled(tries: int, *, first: float, most: float) -> float:
    """Seconds to wait after so many tries: `first`, then twice as long each time, at most `most`."""
    return min(most, first * 2.0 ** min(max(tries, 1) - 1, 30))


def backoff(
    attempt: int,
    *,
    retry_after: float | None = None,
    base: float = 1.0,
    cap: float = 300.0,
    draw: Callable[[float, float], float] = random.uniform,
) -> float:
    """Seconds to wait before attempt number `attempt + 1` (the first was 1), drawn anew each time.

    Full jitter: anything between nothing and base x 2^(attempt - 1), at most `cap`, so that many callers that were
    refused together do not come back together. What the other side asks for comes first, up to an hour.
    """
    spread = doubled(attempt, first=base, most=cap)
    asked = min(max(retry_after or 0.0, 0.0), LONGEST_WAIT)
    return asked + draw(0.0, min(spread, base) if asked else spread)


def seconds_asked_for(retry_after: str | None) -> float | None:
    """The pause that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); None if it says nothing."""
    with contextlib.suppress(ValueError):
        seconds = float(retry_after or "")
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        moment = parsedate_to_datetime(retry_after or "")
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(moment.timestamp() - time.time(), 0.0)
    return None
