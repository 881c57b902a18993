"""Computes the number of instances that a comparison of two models needs, given how often models disagreed so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from core.languages import say

from ...statistics.comparison import LEVEL_OF_TESTS, instances_needed
from ...statistics.estimates import Undefined
from .pairs import Compared

# Assumed shares of discordant instances while no two models have final verdicts.
ASSUMED = (0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True, slots=True)
class Need:
    """The needs if this share of the instances is discordant: correct by only one of the two models."""

    what: str
    discordant: float
    instances: int | Undefined
    judgments_each: int

    @property
    def percent(self) -> float:
        return self.discordant * 100

    @property
    def responses(self) -> int | None:
        return None if isinstance(self.instances, Undefined) else 2 * self.instances

    @property
    def judgments(self) -> int | None:
        return None if self.responses is None else self.responses * self.judgments_each


def needs(seen: Sequence[Compared], *, points: float, power: int, pairs: int, judgments_each: int) -> list[Need]:
    """The needs for the least, the median and the most discordant of the existing pairs, or for assumed shares
    without any.

    `points` are percentage points, `power` is in percent, and the level is shared out over `pairs` (Bonferroni), of
    which Holm's method never falls short of.
    """

    def need(what: str, discordant: float) -> Need:
        found = instances_needed(points / 100, discordant, power=power / 100, level=LEVEL_OF_TESTS / pairs)
        return Need(what, discordant, found, judgments_each)

    if not seen:
        return [need(say("Assumed"), share) for share in ASSUMED]
    shares = sorted(((each.found.discordant / each.found.instances, each) for each in seen), key=lambda pair: pair[0])
    (least, one), (most, other) = shares[0], shares[-1]
    if len(shares) == 1:
        return [need(say("Seen: {first} and {second}", first=one.first, second=one.second), least)]
    return [
        need(say("Least seen: {first} and {second}", first=one.first, second=one.second), least),
        need(say("Median of {shares} pairs", shares=len(shares)), median(share for share, _ in shares)),
        need(say("Most seen: {first} and {second}", first=other.first, second=other.second), most),
    ]
