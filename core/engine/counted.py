"""Numbers that take a long time to count, on the first page and on those of runs, are counted less often.

What took long is shown again for `KEPT_TIMES` as long, so that a page that is open all day costs the same share of a
processor however much there is to count, and numbers that are counted quickly are always those of now.
"""

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

KEPT_TIMES, MOST_SECONDS = 20, 60
# In seconds; what is counted in less is never kept.
LONG = 0.2
MOST_KEPT = 1_000

# In this process only: until when, and what.
_kept: dict[Hashable, tuple[float, Any]] = {}


def counted(key: Hashable, count: Callable[[], T]) -> T:
    """What `count` returns, or returned a moment ago. The key names the person, too, if it depends on them."""
    start = time.monotonic()
    number = kept(key)
    if number is None:
        number = count()
        took = time.monotonic() - start
        if took > LONG:
            keep(key, number, seconds=min(KEPT_TIMES * took, MOST_SECONDS))
    return number


def kept(key: Hashable) -> Any:
    """What this process keeps under the key; None where it keeps nothing, or no longer."""
    until, number = _kept.get(key, (0.0, None))
    return number if time.monotonic() < until else None


def keep(key: Hashable, number: Any, *, seconds: float) -> None:
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[key] = (time.monotonic() + seconds, number)
