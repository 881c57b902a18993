"""The events of this app for webhooks."""

from core.models import HookEvent

RUN_ENDED = HookEvent("run.ended", "A run ended: finished or cancelled")
