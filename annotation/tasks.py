"""Background work. A message only wakes a worker; the rows say what there is to do, so a lost or duplicate message
does no harm."""

from celery import shared_task
from django.conf import settings

from core.waking import wake_now
from core.writing import batches

from . import evidence
from .evidence import watch
from .harvesting import harvests, steps


@shared_task
def run_harvest(harvest_id: int) -> None:
    if steps.run_harvest(harvest_id) is not None:
        wake_harvests()  # one that waited for this wiki can begin
        wake_evidence()


@shared_task
def wake_harvests() -> None:
    """Called by the clock: resumes harvests whose message was lost or whose worker died."""
    for harvest_id in harvests.harvests_to_take_up().values_list("pk", flat=True):
        # A message that has not been read by then is followed by another.
        wake_now(run_harvest, harvest_id, expires=60)


@shared_task
def clear_dead_batches() -> None:
    """Called by the clock: deletes what an import or a release had written when its process died."""
    batches.clear_dead_batches()


@shared_task
def send_mail() -> None:
    """Called by the clock: mails what is due."""
    # Imported only here: a worker at rest needs no mail.
    from .mailing.sending import send_due

    if settings.MAIL_CONFIGURED:
        send_due()


@shared_task
def fetch_evidence(tag_id: int) -> None:
    """Fetch what is due for a tag, then everything else to ask its wiki for."""
    if evidence.work_off(tag_id):
        _wake_fetching()


@shared_task
def wake_evidence() -> None:
    """Called by the clock: requests evidence for new tags, and picks up what nobody is fetching."""
    if settings.EVIDENCE_AHEAD:
        for tag in evidence.tags_without_evidence():
            evidence.ask_for_evidence(tag=tag)
    _wake_fetching()


def _wake_fetching() -> None:
    for tag_id in evidence.next_tags():
        wake_now(fetch_evidence, tag_id, expires=60)


@shared_task
def watch_articles() -> None:
    """Called by the clock, at night: checks what has happened to the tags that people have worked on."""
    watch.watch_all()


@shared_task
def watch_tag(tag_id: int) -> None:
    """Called from the desk: checks what has happened to this tag."""
    watch.look_as_asked(tag_id)


@shared_task
def wake_watching() -> None:
    """Called by the clock: resumes checks whose message was lost or whose worker died."""
    for tag_id in watch.tags_to_look_at():
        wake_now(watch_tag, tag_id, expires=60)
