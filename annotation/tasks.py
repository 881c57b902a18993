"""Background work. A message only wakes a worker up; the rows say what there is to do, so a lost or doubled message
does no harm."""

from celery import shared_task
from django.conf import settings

from . import evidence
from .evidence import watch
from .harvesting import harvest, harvest_run
from .models import Tag


@shared_task
def run_harvest(harvest_id: int) -> None:
    if harvest_run.run_harvest(harvest_id) is not None:
        wake_harvests()  # one that waited for this one's wiki can begin
        wake_evidence()


@shared_task
def wake_harvests() -> None:
    """Called by the clock: takes up harvests whose message was lost or whose worker died."""
    for harvest_id in harvest.harvests_to_take_up().values_list("pk", flat=True):
        # A message that nobody has read by then is followed by another.
        run_harvest.apply_async((harvest_id,), expires=60)


@shared_task
def fetch_evidence(tag_id: int) -> None:
    """Fetch what is due for a tag, then what else its wiki is to be asked for."""
    if evidence.work_off(tag_id):
        _wake_fetching()


@shared_task
def wake_evidence() -> None:
    """Called by the clock: asks for the evidence of new tags, and takes up what nobody fetches."""
    if settings.EVIDENCE_AHEAD:
        for tag in evidence.tags_without_evidence():
            evidence.ask_for_evidence(tag=tag)
    _wake_fetching()


def _wake_fetching() -> None:
    for tag_id in evidence.next_tags():
        fetch_evidence.apply_async((tag_id,), expires=60)


@shared_task
def watch_articles() -> None:
    """Called by the clock, at night: what became of the tags that people have worked on."""
    watch.watch_all()


@shared_task
def watch_tag(tag_id: int) -> None:
    """Asked for at the desk: what became of this tag."""
    watch.watch_tags(Tag.objects.filter(pk=tag_id).select_related("article__wiki"))
