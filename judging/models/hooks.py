"""What programs elsewhere can be told of."""

from core.models import HookEvent

RUN_ENDED = HookEvent("run.ended", "A run ended: finished or cancelled")
