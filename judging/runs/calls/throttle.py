"""Computes the number of calls that a model's endpoint may get now: its limits apply across all workers, as they are
computed from the rows.

Concurrent calls are those in the state "sent"; requests and tokens per minute are the attempts of the last minute. A
tenth of a minute may take a tenth of them, so that a minute's worth does not go out in one burst. While the endpoint
is overloaded, fewer calls than the limit go out at a time (`width`).
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone

from core.backoff import backoff
from core.models import Event, User

from ...endpoints.failures import CallFailed, NotSent, RateLimited
from ...models import Attempt, Call, CallState, JudgingAction, LanguageModel, ModelKind, Throttle
from .width import Ended, Width, next_width

# (seconds, share of the limit)
WINDOWS = ((60.0, 1.0), (6.0, 0.1))
LONGEST_PAUSE = 60.0


@dataclass
class Room:
    """The number of calls that may still be sent. `tokens` is None without a limit; a call larger than the whole
    limit is sent alone. A probe tests whether the endpoint can be reached again.
    """

    calls: int
    tokens: int | None = None
    is_unused: bool = True
    is_probe: bool = False

    def take(self, tokens: int) -> bool:
        """Use up room for one call; returns False if there is none."""
        if self.calls < 1 or (self.tokens is not None and tokens > self.tokens and not self.is_unused):
            return False
        self.calls -= 1
        self.is_unused = False
        if self.tokens is not None:
            self.tokens -= tokens
        return True


def find_room(model: LanguageModel, *, most: int, arrived: int = 0, now: datetime) -> Room:
    """Room for at most `most` calls; `arrived` is the number of sent calls whose reply is already on disk. Locks the
    model's throttle until the transaction ends, so that workers take calls in turn and each counts the others' calls.
    """
    throttle = lock_throttle(model.pk)
    if throttle.pause_at(now):
        return Room(0)
    throttle.model = model
    at_a_time = 1 if throttle.failures else throttle.calls_at_a_time
    room = Room(min(most, at_a_time - calls_sent(model.pk) + arrived), is_probe=throttle.failures > 0)
    if room.calls < 1 or not (model.requests_per_minute or model.tokens_per_minute):
        return room
    for seconds, share in WINDOWS:
        recent = Attempt.objects.filter(
            model=model, sent_at__gt=now - timedelta(seconds=seconds), call_batch=None, reused_from=None
        )
        used = recent.aggregate(calls=Count("pk"), tokens=Sum("tokens"))
        if model.requests_per_minute:
            room.calls = min(room.calls, math.ceil(model.requests_per_minute * share) - used["calls"])
        if model.tokens_per_minute:
            left = math.ceil(model.tokens_per_minute * share) - (used["tokens"] or 0)
            room.tokens = left if room.tokens is None else min(room.tokens, left)
            room.is_unused = room.is_unused and not used["calls"]
    return room


def lock_throttle(model_id: int) -> Throttle:
    locked = Throttle.objects.select_related("model").filter(pk=model_id).select_for_update(of=("self",))
    throttle = locked.first()
    if throttle is None:
        Throttle.objects.get_or_create(model_id=model_id)
        throttle = locked.get()
    return throttle


def calls_sent(model_id: int) -> int:
    """The calls in flight to a model, in real time."""
    # Calls with a lease: the provider chooses when to make those in a batch.
    return Call.objects.filter(model=model_id, state=CallState.SENT, lease_expires_at__isnull=False).count()


@transaction.atomic
def lift_pause(*, model: LanguageModel, admin: User) -> bool:
    """Let calls to a model be sent now, although its endpoint asked for a pause or could not be reached. Its calls
    waiting for their next try are sent, too, but none that is in doubt. Returns whether there was a pause.
    """
    throttle, now = lock_throttle(model.pk), timezone.now()
    pause = throttle.pause_at(now)
    if pause is None:
        return False
    throttle.paused_until, throttle.reason = None, ""
    throttle.save(update_fields=["paused_until", "reason"])
    Call.objects.filter(model=model, state=CallState.PENDING, doubts=0, not_before__gt=now).update(not_before=now)
    Event.record(JudgingAction.LIFTED_PAUSE, model, actor=admin, before={"paused_until": pause.isoformat()})
    return True


def note_outcomes(model_id: int, ended: list[Ended], *, was_probe: bool, now: datetime) -> None:
    """Slow down if the endpoint asks for it, is overloaded or cannot be reached; go back to normal once a probe
    succeeds. Call it first in a transaction: workers lock throttles before anything else."""
    throttle = lock_throttle(model_id)
    note_pauses(throttle, [each.failure for each in ended], was_probe=was_probe, now=now)
    if throttle.model.kind == ModelKind.ENDPOINT and throttle.model.adapts_concurrency:
        note_width(throttle, ended, now=now)
    throttle.save()


def note_width(throttle: Throttle, ended: list[Ended], *, now: datetime) -> None:
    limit = throttle.model.concurrent_calls
    before = Width(
        min(throttle.width or limit, limit),
        usual_pace=throttle.usual_pace,
        recent_pace=throttle.recent_pace,
        answers=throttle.answers,
        narrowed_at=throttle.narrowed_at,
        because=throttle.narrowed_because,
    )
    after = next_width(before, ended, limit=limit, on_their_way=calls_sent(throttle.model_id), now=now)
    throttle.width = after.calls if after.calls < limit else None
    throttle.usual_pace, throttle.recent_pace, throttle.answers = after.usual_pace, after.recent_pace, after.answers
    throttle.narrowed_at, throttle.narrowed_because = after.narrowed_at, after.because


def note_pauses(throttle: Throttle, failures: list[CallFailed | None], *, was_probe: bool, now: datetime) -> None:
    """Store the pauses from `failures`, the outcomes of some calls; None for a reply."""
    waits = [f for f in failures if isinstance(f, RateLimited) and f.retry_after]
    unreachable = [f for f in failures if isinstance(f, NotSent)]
    if not waits and not unreachable and not was_probe:
        return
    if len(unreachable) == len(failures):
        throttle.failures = min(throttle.failures + 1, 100)
        seconds = backoff(throttle.failures, base=settings.CALL_BACKOFF_SECONDS, cap=LONGEST_PAUSE)
        throttle.reason = unreachable[-1].message
    elif waits:
        throttle.failures = 0
        seconds = backoff(1, retry_after=max(f.retry_after or 0.0 for f in waits), base=settings.CALL_BACKOFF_SECONDS)
        throttle.reason = waits[-1].message
    else:
        throttle.failures, throttle.reason, seconds = 0, "", 0.0
    until = now + timedelta(seconds=seconds)
    throttle.paused_until = max(until, throttle.paused_until or until)
