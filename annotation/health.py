"""Checks of this app: the age of waiting harvests, and the wikis that this site asks."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from core.health.checks import Finding, State, register
from core.health.hosts import Peer, host_findings

from .models import Harvest, HarvestState, Wiki

WAITS_LONG = timedelta(minutes=15)


def queue_findings() -> list[Finding]:
    """The age of the harvest that has waited longest for a worker."""
    name = "Queue"
    oldest = Harvest.objects.filter(state=HarvestState.WAITING).order_by("requested_at").first()
    if oldest is None:
        return [Finding(name, State.OK, "No harvest waits for a worker.")]
    age = timezone.now() - oldest.requested_at
    sentence = f"Harvest {oldest.pk} has waited for a worker for {age.total_seconds() / 60:.0f} minutes."
    if age < WAITS_LONG:
        return [Finding(name, State.OK, sentence)]
    todo = "See that a worker runs and is not busy with another long harvest."
    return [Finding(name, State.WARNING, sentence, todo)]


def wiki_findings() -> Iterable[Finding]:
    """One finding for each wiki that may be asked; made-up ones of the samples are left out."""
    wikis = [wiki for wiki in Wiki.objects.filter(is_allowed=True) if wiki.api_url and not wiki.is_made_up]
    return host_findings([Peer(f"Wiki {wiki.name}", wiki.api_url, local=settings.LOCAL_WIKIS) for wiki in wikis])


def register_checks() -> None:
    register("Queue", queue_findings, order=45)
    register("Wikis", wiki_findings, order=100, is_far=True)
