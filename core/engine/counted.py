"""Caches slow counts of the first page and of runs.

A count is reused for `KEPT_TIMES` as long as it took, so a page that is open all day costs the same share of a
processor however much there is to count, and quick counts are always current.
"""

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

KEPT_TIMES, MOST_SECONDS = 20, 60
# In seconds; what is counted in less is never kept.
LONG = 0.2
# Numbers of all there is are kept from this part of the time on, and as many times as long: a few rows more or less
# change little.
OF_ALL = 25
MOST_KEPT = 1_000

# In this process only: until when, and what.
_kept: dict[Hashable, tuple[float, Any]] = {}


def counted(key: Hashable, count: Callable[[], T], *, of_all: bool = False) -> T:
    """The result of `count`, or its recent result. The key includes the person if the result depends on them."""
    start = time.monotonic()
    number = kept(key)
    if number is None:
        number = count()
        took = (time.monotonic() - start) * (OF_ALL if of_all else 1)
        if took > LONG:
            keep(key, number, seconds=min(KEPT_TIMES * took, MOST_SECONDS))
    return number


def kept(key: Hashable) -> Any:
    """The value cached under the key in this process; None if there is none or it has expired."""
    until, number = _kept.get(key, (0.0, None))
    return number if time.monotonic() < until else None


def keep(key: Hashable, number: object, *, seconds: float) -> None:
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[key] = (time.monotonic() + seconds, number)
