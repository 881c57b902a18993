"""Active time in a practice run, by step. It is stored with the attempt and summed nowhere else."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from core.languages import say
from core.models import User
from core.refusals import Refusal
from core.writing.locking import lock

from ..desk.drafts.time import LENIENCE
from ..models import PracticeAttempt

MOST_PAGES = 50


@transaction.atomic
def note_practice_time(*, attempt: PracticeAttempt, person: User, page: str, seconds: Mapping[int, int]) -> None:
    """Keep the active seconds per step that one opening of the desk has counted so far, as `desk.time.note_time`
    does; an attempt may get its last seconds after it is finished.

    A total never shrinks and never exceeds the time since the attempt was begun. Raises Refusal if `page` or a step
    is not valid, or if the attempt is another person's.
    """
    if not page or any(step not in range(1, 7) for step in seconds):
        raise Refusal(say("The time was not recorded: the page did not say which step it belongs to."), status=400)
    if not lock(PracticeAttempt.objects.filter(pk=attempt.pk, person=person)):
        raise Refusal(say("This practice run is another person's. Nothing was changed."), status=403)
    attempt.refresh_from_db(fields=["times", "finished_at"])
    page = page[:64]
    if page not in attempt.times and len(attempt.times) >= MOST_PAGES:
        return
    before = attempt.times.get(page, {})
    longest = _longest(attempt)
    counted = {str(step): max(before.get(str(step), 0), min(count, longest)) for step, count in seconds.items()}
    attempt.times = attempt.times | {page: before | counted}
    attempt.save(update_fields=["times"])


def _longest(attempt: PracticeAttempt) -> int:
    """The maximum number of seconds that can have passed on it."""
    until = attempt.finished_at or timezone.now()
    return int((until - attempt.begun_at).total_seconds()) + LENIENCE
