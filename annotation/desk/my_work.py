"""What an annotator is working on and has done, and what the queue has for them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Min, OuterRef, QuerySet
from django.utils import timezone

from core.models import User

from ..models import Annotation, AnnotationState, Assignment, Skip, Tag
from .queue import left_for, left_in_words


@dataclass(frozen=True, slots=True)
class Outlook:
    """Why the queue has or does not have a tag for an annotator, in numbers."""

    left: int
    left_in_words: str
    tags: int  # in the project, still in their articles
    with_others: int
    next_lapse_at: datetime | None  # when the first of these may come back
    skipped: int
    flagged: int


def outlook_for(annotator: User) -> Outlook:
    held = Assignment.objects.held().exclude(annotator=annotator)
    others = held.aggregate(tags=Count("tag", distinct=True), lapse=Min("lease_expires_at"))
    left = left_for(annotator)
    tags = Tag.objects.present().aggregate(all=Count("pk"), flagged=Count("flagged_at"))
    return Outlook(
        left=left,
        left_in_words=left_in_words(left),
        tags=tags["all"],
        with_others=others["tags"],
        next_lapse_at=others["lapse"],
        skipped=Skip.objects.filter(annotator=annotator, tag__in=Tag.objects.offered()).count(),
        flagged=tags["flagged"],
    )


def held_now(annotator: User) -> Annotation | None:
    """The annotation this person has a live claim on: the one open on their screen."""
    assignments = Assignment.objects.unfinished().filter(annotator=annotator, lease_expires_at__gt=timezone.now())
    assignment = assignments.order_by("-claimed_at").first()
    return Annotation.objects.filter(tag=assignment.tag_id, annotator=annotator).first() if assignment else None


def work_of(annotator: User) -> QuerySet[Annotation]:
    """Their own annotations, last touched first. Each knows whether it holds an assignment, is waiting for an answer,
    was skipped, and was ever saved.

    A tag that was opened and left untouched does not count.
    """
    assignments = Assignment.objects.unfinished().filter(tag=OuterRef("tag"), annotator=annotator)
    free = Assignment.objects.free().filter(tag=OuterRef("tag"))
    skips = Skip.objects.filter(tag=OuterRef("tag"), annotator=annotator)
    return (
        Annotation.objects.filter(annotator=annotator)
        .annotate(
            has_assignment=Exists(assignments),
            is_waiting=Exists(assignments.waiting()),
            has_free_assignment=Exists(free),
            was_skipped=Exists(skips),
        )
        .exclude(version=0, has_assignment=False, state=AnnotationState.DRAFT)
        .with_choices()
        .select_related("tag__article")
        .defer("tag__article__wikitext", "tag__paragraph", "tag__paragraph_clean")
        .order_by("-saved_at", "-pk")
    )
