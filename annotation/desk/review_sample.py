"""Review of a sample: draws the submissions that a reviewer has to decide on.

The draw depends on the annotation's number and this site's secret key: the same number gives the same draw, and
nobody can compute it. What it leaves out is accepted without review once it can no longer be taken back. So
annotators cannot tell from their own pages whether theirs is drawn while they could still change it.
"""

from datetime import timedelta

from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.crypto import salted_hmac

from core.models import Project

from ..models import Annotation, AnnotationState, Assignment, FirstSubmission
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


def is_too_late_to_take_back(annotation: Annotation) -> bool:
    """Return whether a submission can no longer be taken back because only a sample is reviewed: its writer could
    otherwise see that it is drawn, and change it.
    """
    if annotation.submitted_at is None or Project.get().review_percent >= 100:
        return False
    return annotation.submitted_at <= timezone.now() - TAKEN_BACK_WITHIN


def due_without_review() -> AnnotationQuerySet:
    """The submissions that the draw left out and that can no longer be taken back, those of tags that several people
    annotate by now excepted: a reviewer chooses among them.
    """
    several = Assignment.objects.filter(tag=OuterRef("tag"), number=2)
    accepted = Annotation.objects.accepted().filter(tag=OuterRef("tag"))
    left_out = Annotation.objects.filter(state=AnnotationState.SUBMITTED, needs_review=False)
    due = left_out.filter(~Exists(several), ~Exists(accepted))
    return due.filter(submitted_at__lte=timezone.now() - TAKEN_BACK_WITHIN).order_by("submitted_at")
