"""The events that other programs can be sent."""

from core.models import HookEvent

RUN_ENDED = HookEvent("run.ended", "A run ended: finished or cancelled")
