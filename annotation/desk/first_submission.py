"""Keeps each annotator's first submission, made before others could influence it."""

from django.utils import timezone

from ..content.rows import content_of
from ..models import Annotation, AnnotationState, FirstSubmission


def keep_first_submission(annotation: Annotation) -> None:
    """Keep the submission. Call it before the writer gets a submitted annotation back. Changes nothing if one is kept
    already.
    """
    submitted = Annotation.objects.filter(pk=annotation.pk, state=AnnotationState.SUBMITTED, first_submission=None)
    kept = [
        FirstSubmission(
            annotation=as_submitted,
            content=content_of(as_submitted),
            submitted_at=as_submitted.submitted_at or as_submitted.saved_at,
        )
        for as_submitted in submitted.with_parts()
    ]
    # Another request may be returning it at this moment: one of the two is refused after this, by the state.
    FirstSubmission.objects.bulk_create(kept, ignore_conflicts=True)


def note_return(annotation: Annotation) -> None:
    """Record that a reviewer returned it: the first time is kept."""
    FirstSubmission.objects.filter(annotation=annotation, returned_at=None).update(returned_at=timezone.now())
