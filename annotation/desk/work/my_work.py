"""An annotator's current and past work, and the queue's tags for them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Min, OuterRef, QuerySet
from django.utils import timezone

from core.lists.pages import count_each_up_to
from core.models import User
from core.words import up_to

from ...models import Annotation, AnnotationState, Assignment, Skip, Tag
from ..assignments.queue import MOST_COUNTED, left_for, left_in_words
from ..visibility import blind_tags


@dataclass(frozen=True, slots=True)
class Outlook:
    """Why the queue has a tag for an annotator, or has none. The numbers are in words: "7", "more than 500"; they are
    "" where there is a tag, and where there are none.
    """

    left: int
    left_in_words: str
    has_tags: bool = True  # in the project, still in their articles
    with_others: str = ""
    next_lapse_at: datetime | None = None  # when the first of these may come back
    skipped: str = ""
    flagged: str = ""


def outlook_for(annotator: User) -> Outlook:
    left = left_for(annotator)
    if left:
        return Outlook(left, left_in_words(left))
    # Not the tags that this person annotated: whether another has one of these now is hidden from them.
    held = Assignment.objects.held().exclude(annotator=annotator).exclude(tag__in=blind_tags(annotator))
    counts = count_each_up_to(
        MOST_COUNTED,
        {
            "with_others": held.order_by().values("tag").distinct(),
            "skipped": Skip.objects.filter(annotator=annotator, tag__in=Tag.objects.offered()),
            "flagged": Tag.objects.present().filter(flagged_at__isnull=False),
        },
    )
    return Outlook(
        left,
        left_in_words(left),
        has_tags=Tag.objects.present().exists(),
        next_lapse_at=held.aggregate(lapse=Min("lease_expires_at"))["lapse"],
        **{name: up_to(count, MOST_COUNTED) if count else "" for name, count in counts.items()},
    )


def held_now(annotator: User) -> Annotation | None:
    """The annotation with this person's live claim: the one open on their screen, not one claimed ahead."""
    live = Assignment.objects.unfinished().filter(annotator=annotator, lease_expires_at__gt=timezone.now())
    assignments = live.filter(is_ahead=False)
    assignment = assignments.order_by("-claimed_at").first()
    return Annotation.objects.filter(tag=assignment.tag_id, annotator=annotator).first() if assignment else None


def work_of(annotator: User) -> QuerySet[Annotation]:
    """This person's own annotations, last touched first. Each has its `review_state`, and whether it holds an
    assignment, is waiting for an answer, and was skipped.

    A tag that was opened and left untouched does not count, nor one claimed ahead.
    """
    unfinished = Assignment.objects.unfinished().filter(is_ahead=False)
    assignments = unfinished.filter(tag=OuterRef("tag"), annotator=annotator)
    skips = Skip.objects.filter(tag=OuterRef("tag"), annotator=annotator)
    return (
        Annotation.objects.filter(annotator=annotator)
        .annotate(
            has_assignment=Exists(assignments),
            is_waiting=Exists(assignments.waiting()),
            was_skipped=Exists(skips),
        )
        .exclude(version=0, has_assignment=False, state=AnnotationState.DRAFT)
        .with_review_state(annotator)
        .select_related("tag__article")
        .defer("tag__article__wikitext", "tag__paragraph", "tag__paragraph_clean")
        .order_by("-saved_at", "-pk")
    )
