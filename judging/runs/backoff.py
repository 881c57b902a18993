"""When a call that was not paid may be repeated: numbers in, numbers out."""

import random
from collections.abc import Callable

LONGEST_WAIT = 3600.0


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
    refused together do not come back together. What the endpoint asks for comes first, up to an hour.
    """
    spread = min(cap, base * 2.0 ** min(max(attempt, 1) - 1, 30))
    asked = min(max(retry_after or 0.0, 0.0), LONGEST_WAIT)
    return asked + draw(0.0, min(spread, base) if asked else spread)
