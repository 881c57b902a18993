"""The events of this app for webhooks."""

from core.languages import say
from core.models import HookEvent

RUN_ENDED = HookEvent("run.ended", say("A run ended: finished or cancelled"))
