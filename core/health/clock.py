"""The clock's scheduler: Celery's own, which also gives signs of life, and sends only while it has the turn."""

import logging
import time
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry
from celery.schedules import crontab

log = logging.getLogger(__name__)


class Clock(PersistentScheduler):
    """Gives a sign of life after it has looked at its schedule, however many entries were due.

    A second clock sends nothing while the first has the turn. When it takes over, it sends what has been due since
    the first renewed its turn for the last time.
    """

    _signed_at = float("-inf")
    _asked_at = float("-inf")  # when it last asked for the turn
    _had_at = float("-inf")  # when it last had it

    def tick(self, *args: Any, **options: Any) -> float:
        # Imported late: the settings name this class before the apps are loaded.
        from .signs import SIGN_EVERY

        if time.monotonic() - self._asked_at >= SIGN_EVERY:
            self._ask_for_turn()
        pause = super().tick(*args, **options) if self._has_turn() else SIGN_EVERY
        if time.monotonic() - self._signed_at >= SIGN_EVERY:
            self._signed_at = time.monotonic()
            give_signs()
        return min(pause, SIGN_EVERY)

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        super().apply_entry(entry, producer=producer)
        if isinstance(entry.schedule, crontab):
            self._ask_for_turn()  # so that a clock that takes over does not send the work of the night again

    def close(self) -> None:
        from .turn import release_turn

        super().close()
        try:
            release_turn()
        except Exception as error:
            log.warning("The clock's turn could not be released: %s", error)

    def _has_turn(self) -> bool:
        from .turn import LEASE

        return time.monotonic() - self._had_at < LEASE.total_seconds()

    def _ask_for_turn(self) -> None:
        """Ask for the turn. If the database does not answer, keep it for as long as nobody else can have it."""
        from .turn import take_turn_and_hang_up

        had_it, self._asked_at = self._has_turn(), time.monotonic()
        try:
            before = take_turn_and_hang_up()
        except Exception as error:
            log.warning("The clock's turn could not be renewed: %s", error)
            return
        if before is None:
            self._had_at = float("-inf")
            return
        self._had_at = self._asked_at
        if not had_it:
            for entry in self.schedule.values():
                entry.last_run_at = before
            self._heap = None  # is made anew from these times


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
