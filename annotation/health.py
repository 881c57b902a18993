"""Checks of this app: the age of waiting harvests, and the wikis that this site asks."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from core.health.checks import Finding, State, register
from core.health.hosts import Peer, host_findings
from core.languages import say
from core.models import User
from core.seeing.figures import LAPSED, QUEUE_AGE, QUEUE_LENGTH, Figure, age, counted
from core.seeing.figures import register as register_figures
from core.seeing.now import Step, register_steps

from .desk.visibility import blind_tags
from .models import Assignment, EvidenceRequest, Harvest, HarvestState, RequestState, Wiki

WAITS_LONG = timedelta(minutes=15)


def queue_findings() -> list[Finding]:
    """The age of the harvest that has waited longest for a worker."""
    name = say("Queue")
    oldest = Harvest.objects.filter(state=HarvestState.WAITING).order_by("requested_at").first()
    if oldest is None:
        return [Finding(name, State.OK, say("No harvest waits for a worker."))]
    age = timezone.now() - oldest.requested_at
    sentence = say(
        "Harvest {pk} has waited for a worker for {minutes:.0f} minutes.",
        pk=oldest.pk,
        minutes=age.total_seconds() / 60,
    )
    if age < WAITS_LONG:
        return [Finding(name, State.OK, sentence)]
    todo = say("See that a worker runs and is not busy with another long harvest.")
    return [Finding(name, State.WARNING, sentence, todo)]


def wiki_findings() -> Iterable[Finding]:
    """One finding for each wiki that may be asked; made-up ones of the samples are left out."""
    wikis = [wiki for wiki in Wiki.objects.filter(is_allowed=True) if wiki.api_url and not wiki.is_made_up]
    return host_findings(
        [Peer(say("Wiki {name}", name=wiki.name), wiki.api_url, local=settings.LOCAL_WIKIS) for wiki in wikis]
    )


def queue_figures() -> Iterable[Figure]:
    """Harvests and evidence that wait for a worker, and leases that have lapsed."""
    now = timezone.now()
    harvest = Harvest.objects.filter(state=HarvestState.WAITING).order_by("requested_at").first()
    yield Figure(*QUEUE_AGE, age(harvest.requested_at if harvest else None, now), {"queue": "harvests"})
    waiting = EvidenceRequest.objects.filter(state=RequestState.WAITING, not_before__lte=now)
    oldest = waiting.order_by("not_before").values_list("not_before", flat=True).first()
    yield Figure(*QUEUE_AGE, age(oldest, now), {"queue": "evidence"})
    yield Figure(*QUEUE_LENGTH, counted(waiting), {"queue": "evidence"})
    running = EvidenceRequest.objects.filter(state=RequestState.RUNNING, lease_expires_at__lt=now)
    yield Figure(*LAPSED, counted(running), {"of": "evidence"})
    lapsed = Assignment.objects.filter(done_at=None, lease_expires_at__lt=now)
    yield Figure(*LAPSED, counted(lapsed), {"of": "tags"})


def people_annotating(admin: User, now: datetime) -> Iterable[Step]:
    """People with a tag in hand whose page is open, without tags to which this admin is blind."""
    held = Assignment.objects.filter(done_at=None, lease_expires_at__gt=now, is_ahead=False)
    held = held.exclude(tag__in=blind_tags(admin))
    yield Step(
        say("Annotating, with an open page"), held.aggregate(people=Count("annotator", distinct=True))["people"]
    )


def register_checks() -> None:
    register_steps(people_annotating)
    register_figures("harvests and evidence", queue_figures)
    register(say("Queue"), queue_findings, order=45)
    register(say("Wikis"), wiki_findings, order=100, is_far=True)
