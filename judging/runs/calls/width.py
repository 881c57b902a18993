"""Computes the number of concurrent calls to an endpoint, between one and the model's limit: numbers in, numbers out.

Additive increase, multiplicative decrease. After a round of answers (as many as concurrent calls), one call more; at
a sign of overload, half of the calls in flight. Calls sent before the last decrease say nothing about the new width,
so they neither widen nor narrow it again.

Signs of overload are 429, 503, 529, an answer that does not come in time, and answers that come more slowly: their
pace, averaged over the last ones, is more than twice the usual. The pace is seconds / (tokens of the answer + 50), as
long answers take longer, and starting one takes about as long as writing 50 tokens (a rule of thumb).

Sources: D.-M. Chiu and R. Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in
computer networks", Computer Networks and ISDN Systems 17 (1989), for the rule; RFC 5681, section 3.1, for one more a
round and half of what is in flight; RFC 9002, section 7.3.2, for one decrease a round; L. Brakmo and L. Peterson,
"TCP Vegas", IEEE JSAC 13 (1995), for delay as a sign; RFC 6298, section 2, for the weight 1/8.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from ...endpoints.failures import CallFailed, InDoubt, RateLimited
from ...endpoints.replies import ChatReply

STARTING_TOKENS = 50
RECENT = 1 / 8
# The usual pace is a mean of about this many answers; it counts once there are ENOUGH.
USUAL, ENOUGH = 100, 20
TOO_SLOW = 2.0
OVERLOADED = {503, 529}


@dataclass(frozen=True, slots=True)
class Ended:
    """The outcome of a call sent at `sent_at`: a reply, or a failure."""

    reply: ChatReply | None = None
    failure: CallFailed | None = None
    sent_at: datetime | None = None

    @property
    def overload(self) -> str:
        """The sign of overload in it, in words; "" if there is none."""
        if isinstance(self.failure, RateLimited):
            return "too many calls (429)"
        if isinstance(self.failure, InDoubt) and self.failure.status in OVERLOADED:
            return f"overloaded ({self.failure.status})"
        if isinstance(self.failure, InDoubt) and self.failure.reason == "time-out":
            return "no answer in time"
        return ""

    @property
    def pace(self) -> float:
        """Seconds per token of the reply."""
        if self.reply is None or self.reply.seconds is None:
            return 0.0
        return self.reply.seconds / ((self.reply.completion_tokens or 0) + STARTING_TOKENS)


@dataclass(frozen=True, slots=True)
class Width:
    """The number of concurrent calls, and the reference for the next answers. `answers` counts up to USUAL, as the
    weight of the usual pace.
    """

    calls: float
    usual_pace: float = 0.0
    recent_pace: float = 0.0
    answers: int = 0
    narrowed_at: datetime | None = None
    because: str = ""

    @property
    def is_slower(self) -> bool:
        return self.answers >= ENOUGH and self.recent_pace > TOO_SLOW * self.usual_pace


def next_width(width: Width, ended: Iterable[Ended], *, limit: int, on_their_way: int, now: datetime) -> Width:
    """The width after some calls have ended. `on_their_way` counts the calls in flight before they did."""
    signs = []
    for each in ended:
        is_news = width.narrowed_at is None or each.sent_at is None or each.sent_at > width.narrowed_at
        if each.reply is not None:
            width = with_answer(width, each.pace, limit=limit, is_news=is_news)
        elif is_news and each.overload:
            signs.append(each.overload)
    if width.is_slower:
        signs.append("answers come more slowly")
    return narrowed(width, signs[0], on_their_way=on_their_way, now=now) if signs else width


def with_answer(width: Width, pace: float, *, limit: int, is_news: bool) -> Width:
    weight = min(width.answers + 1, USUAL)
    usual = width.usual_pace + (pace - width.usual_pace) / weight
    if not is_news:
        return replace(width, usual_pace=usual, answers=weight)
    recent = width.recent_pace + (pace - width.recent_pace) * RECENT if width.answers else pace
    wider = min(float(limit), width.calls + 1 / max(width.calls, 1.0))
    return replace(width, calls=wider, usual_pace=usual, recent_pace=recent, answers=weight)


def narrowed(width: Width, because: str, *, on_their_way: int, now: datetime) -> Width:
    calls = max(1.0, min(width.calls, on_their_way) / 2)
    return replace(width, calls=calls, recent_pace=width.usual_pace, narrowed_at=now, because=because)
