"""The events of this app for webhooks."""

from core.languages import say
from core.models import HookEvent

ROUND_FINISHED = HookEvent("round.finished", say("A round is finished: closed, and no disagreement left"))
