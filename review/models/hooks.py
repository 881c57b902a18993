"""The events of this app for webhooks."""

from core.models import HookEvent

ROUND_FINISHED = HookEvent("round.finished", "A round is finished: closed, and no disagreement left")
