"""Background work. A message only wakes a worker; the rows define the work to do, so a lost or duplicate message does
no harm.
"""

from contextlib import suppress
from threading import BoundedSemaphore
from typing import Any

from celery import shared_task
from celery.signals import worker_init
from django.conf import settings

from core.keeping.sending import may_send
from core.refusals import Refusal
from core.waking import wake_now
from core.writing import batches

from . import evidence
from .desk.decisions import accept_annotation
from .desk.review_sample import draw_again, due_without_review
from .evidence import watch
from .harvesting import harvests, steps

ACCEPTED_AT_ONCE = 500


class HarvestThreads:
    """The threads of this worker that may harvest. The others are for calls to models and all else, which must not
    wait for hours.
    """

    def __init__(self) -> None:
        self.free = BoundedSemaphore()

    def share(self, threads: int) -> None:
        """Take half of the worker's threads."""
        self.free = BoundedSemaphore(max(1, threads // 2))


harvest_threads = HarvestThreads()


@worker_init.connect
def share_threads(sender: Any, **_kwargs: object) -> None:
    if isinstance(sender.concurrency, int):  # else it is decided later, and one thread has to do
        harvest_threads.share(sender.concurrency)


@shared_task
def run_harvest(harvest_id: int) -> None:
    if not may_send() or not (free := harvest_threads.free).acquire(blocking=False):
        return  # the clock sends the message again
    try:
        harvest = steps.run_harvest(harvest_id)
    finally:
        free.release()
    if harvest is not None:
        wake_harvests()  # one that waited for this wiki or for a thread can begin
        wake_evidence()


@shared_task
def wake_harvests() -> None:
    """Resume harvests whose message was lost or whose worker died, and let more machines read a dump. Called by the
    clock."""
    if not may_send():
        return
    for harvest_id in (harvests.harvests_to_take_up() | harvests.harvests_to_join()).values_list("pk", flat=True):
        # A message that has not been read by then is followed by another.
        wake_now(run_harvest, harvest_id, expires=60)


@shared_task
def clear_dead_batches() -> None:
    """Delete rows of an import or a release whose process died. Called by the clock."""
    batches.clear_dead_batches()


@shared_task
def clear_abandoned_items() -> None:
    """Delete items of interrupted imports that nobody continued. Called by the clock."""
    from .releases.items.abandoned import clear_abandoned_items  # loads what reads files

    clear_abandoned_items()


@shared_task
def accept_without_review() -> None:
    """Accept submissions that no reviewer has to decide on. Called by the clock."""
    draw_again()
    for annotation in due_without_review()[:ACCEPTED_AT_ONCE]:
        # A reviewer may be deciding on it, or its writer taking it back, at this moment.
        with suppress(Refusal):
            accept_annotation(annotation=annotation, reviewer=None)


@shared_task
def send_mail() -> None:
    """Send due mails. Called by the clock."""
    # Imported only here: a worker at rest needs no mail.
    from .mailing.sending import send_due

    if settings.MAIL_CONFIGURED:
        send_due()


@shared_task
def fetch_evidence(tag_id: int) -> None:
    """Fetch due evidence for a tag, then everything else to ask its wiki for."""
    if may_send() and evidence.work_off(tag_id):
        _wake_fetching()


@shared_task
def wake_evidence() -> None:
    """Request evidence for new tags, and pick up requests that nobody is fetching. Called by the clock."""
    if not may_send():
        return
    if settings.EVIDENCE_AHEAD:
        for tag in evidence.tags_without_evidence():
            evidence.ask_for_evidence(tag=tag)
    _wake_fetching()


def _wake_fetching() -> None:
    for tag_id in evidence.next_tags():
        wake_now(fetch_evidence, tag_id, expires=60)


@shared_task
def watch_articles() -> None:
    """Check tags with annotation work for changes in their articles. Called by the clock, at night."""
    if may_send():
        watch.watch_all()


@shared_task
def watch_tag(tag_id: int) -> None:
    """Check this tag for changes in its article. Called from the desk."""
    if may_send():
        watch.look_as_asked(tag_id)


@shared_task
def wake_watching() -> None:
    """Resume checks whose message was lost or whose worker died. Called by the clock."""
    for tag_id in watch.tags_to_look_at():
        wake_now(watch_tag, tag_id, expires=60)
