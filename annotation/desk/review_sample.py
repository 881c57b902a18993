"""Review of a sample: draws the submissions that a reviewer has to decide on.

The draw depends on the annotation's number and this site's secret key: the same number gives the same draw, and
nobody can compute it. What it leaves out is accepted without review once it can no longer be taken back. So
annotators cannot tell from their own pages whether theirs is drawn while they could still change it.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from core.languages import say
from core.models import Event, Project, User
from core.refusals import Refusal

from ..models import Annotation, AnnotationAction, AnnotationState, Assignment, FirstSubmission, ReviewShare
from ..models.annotations import AnnotationQuerySet

TAKEN_BACK_WITHIN = timedelta(hours=1)
SALT = "annotation.review_sample"


def needs_review(annotation: Annotation, *, percent: int) -> bool:
    """Return whether a reviewer has to decide on this annotation, which is being submitted, where this share of them
    is reviewed. The first ones of a person, those that a reviewer returned, and those of tags that several people
    annotate always are.
    """
    if percent >= 100:
        return True
    # All are asked for each, so that the time it takes tells nothing.
    was_returned = FirstSubmission.objects.filter(annotation=annotation, returned_at__isnull=False).exists()
    is_of_several = Assignment.objects.filter(tag=annotation.tag_id, number=2).exists()
    first = Project.get().review_first
    before = Annotation.objects.filter(annotator=annotation.annotator_id, submitted_at__isnull=False)
    is_new = before.exclude(pk=annotation.pk)[:first].count() < first
    return _drawn(annotation.pk) < percent or was_returned or is_of_several or is_new


def _drawn(number: int) -> int:
    """A number from 0 to 99."""
    return int(salted_hmac(SALT, str(number), algorithm="sha256").hexdigest()[:8], 16) % 100


def share_of(person: User | None) -> int:
    """The percentage of this person's submissions that are reviewed: their own share, else the project's."""
    own = ReviewShare.objects.filter(person=person).first() if person else None
    return own.percent if own else Project.get().review_percent


@transaction.atomic
def set_review_share(*, person: User, percent: int | None, admin: User) -> None:
    """Set the percentage of this person's submissions that are reviewed; None removes it, so that the project's
    applies. Raises Refusal if it is no percentage.
    """
    if percent is not None and not 0 <= percent <= 100:
        raise Refusal(say("A share is a number from 0 to 100. Nothing was changed."), status=400)
    own = ReviewShare.objects.filter(person=person)
    before = own.values_list("percent", flat=True).first()
    if percent == before:
        return
    if percent is None:
        own.delete()
    else:
        values = {"percent": percent, "set_by": admin, "set_at": timezone.now()}
        ReviewShare.objects.update_or_create(person=person, defaults=values)
    action, now = AnnotationAction.SET_REVIEW_SHARE, {"percent": percent}
    Event.record(action, person, actor=admin, before={"percent": before}, after=now)


def review_share_context(person: User) -> dict[str, Any]:
    """Return what the form of this person's share shows: their own one, and the project's settings."""
    project, own = Project.get(), ReviewShare.objects.filter(person=person).first()
    return {"review_share": own, "review_percent": project.review_percent, "review_first": project.review_first}


def is_sampled() -> bool:
    """Return whether only a sample of some person's submissions is reviewed."""
    return Project.get().review_percent < 100 or ReviewShare.objects.filter(percent__lt=100).exists()


def is_too_late_to_take_back(annotation: Annotation) -> bool:
    """Return whether a submission can no longer be taken back because only a sample is reviewed: its writer could
    otherwise see that it is drawn, and change it. It is the same for everybody: nobody learns their own share.
    """
    if annotation.submitted_at is None or not is_sampled():
        return False
    return annotation.submitted_at <= timezone.now() - TAKEN_BACK_WITHIN


def draw_again() -> None:
    """Bring to review what the draw left out and is not accepted yet, where the share is now higher, or where it is
    now among the first annotations of its writer.
    """
    left_out = Annotation.objects.filter(state=AnnotationState.SUBMITTED, needs_review=False)
    shares = dict(ReviewShare.objects.values_list("person", "percent"))
    project = Project.get()
    rows = left_out.values_list("pk", "annotator")
    drawn = [pk for pk, annotator in rows if _drawn(pk) < shares.get(annotator, project.review_percent)]
    drawn += _first_ones(left_out, project.review_first)
    if drawn:
        left_out.filter(pk__in=drawn).update(needs_review=True)


def _first_ones(left_out: AnnotationQuerySet, first: int) -> Iterator[int]:
    """The submissions that are among this many first ones of their writers."""
    rows = left_out.order_by("annotator", "submitted_at").values_list("annotator", "submitted_at", "pk")
    for annotator, own in groupby(rows, key=lambda row: row[0]):
        for _, at, pk in own:
            # By first submissions: of one that came back to its writer, the later one does not count.
            once = Q(first_submission=None, submitted_at__lt=at)
            before = Annotation.objects.filter(once | Q(first_submission__submitted_at__lt=at), annotator=annotator)
            if before.order_by()[:first].count() >= first:
                break
            yield pk


def due_without_review() -> AnnotationQuerySet:
    """The submissions that the draw left out and that can no longer be taken back, those of tags that several people
    annotate by now excepted: a reviewer chooses among them.
    """
    several = Assignment.objects.filter(tag=OuterRef("tag"), number=2)
    accepted = Annotation.objects.accepted().filter(tag=OuterRef("tag"))
    left_out = Annotation.objects.filter(state=AnnotationState.SUBMITTED, needs_review=False)
    due = left_out.filter(~Exists(several), ~Exists(accepted))
    return due.filter(submitted_at__lte=timezone.now() - TAKEN_BACK_WITHIN).order_by("submitted_at")
