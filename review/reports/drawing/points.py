"""Differences of shares in percentage points, in words."""

from core.languages import figure, say

from ...statistics.estimates import Interval, Undefined
from ..layout import shown

MINUS = "−"


def signed(value: float, *, decimals: bool = True) -> str:
    """A difference of shares in percentage points, with its sign."""
    points = shown(value, as_percent=True)
    if not decimals:
        points = points.quantize(1)
    return figure(f"+{points}" if points > 0 else f"{MINUS}{-points}" if points < 0 else f"{points}")


def ends_in_words(interval: Interval | Undefined) -> str:
    if isinstance(interval, Undefined):
        return say("; no interval: {reason}", reason=interval.reason)
    return say(", 95% interval {interval}", interval=between(interval))


def between(interval: Interval) -> str:
    return say("{low} to {high}", low=signed(interval.low), high=signed(interval.high))
