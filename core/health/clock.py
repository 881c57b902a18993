"""The clock's scheduler: Celery's own, which also gives signs of life."""

import logging
import time
from typing import Any

from celery.beat import PersistentScheduler

log = logging.getLogger(__name__)


class Clock(PersistentScheduler):
    """Gives a sign of life after it has looked at its schedule, however many entries were due."""

    _signed_at = float("-inf")

    def tick(self, *args: Any, **options: Any) -> float:
        pause = super().tick(*args, **options)
        # Imported late: the settings name this class before the apps are loaded.
        from .signs import SIGN_EVERY

        if time.monotonic() - self._signed_at >= SIGN_EVERY:
            self._signed_at = time.monotonic()
            give_signs()
        return min(pause, SIGN_EVERY)


def give_signs() -> None:
    """Give the clock's signs. A database or disk that is away must not stop the clock."""
    from ..models import SignKind
    from .signs import give_sign_and_hang_up, look_after_others, process_name, touch

    for give in (
        lambda: touch(SignKind.CLOCK),
        lambda: give_sign_and_hang_up(SignKind.CLOCK, process_name()),
        look_after_others,
    ):
        try:
            give()
        except Exception as error:
            log.warning("The clock's sign of life could not be written: %s", error)
