"""Claims the tag after the current one early, so that its page is ready, and hands it back if it is not wanted."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.engine.queries.inserts import insert_new
from core.models import User
from core.writing.locking import lock

from ...models import Annotation, Assignment
from .assignment import (
    Standing,
    claimed_event,
    hand_back,
    lease_end,
    new_annotation,
    one_request_at_a_time,
    renew_lease,
)
from .holding import TAKE_AHEAD
from .queue import Candidate, next_for


def claim_ahead(*, annotation: Annotation, annotator: User) -> Annotation | None:
    """The person's next tag after the current annotation, held for them meanwhile. A repeated call returns the same
    one. None if the queue is empty, if others were quicker, or if the person no longer has the tag of this
    annotation.
    """
    if renew_lease(annotation=annotation, annotator=annotator) != Standing.HELD:
        return None
    for candidate in next_for(annotator):
        if candidate.tag_id == annotation.tag_id:
            continue
        if found := _reserve(candidate, annotation, annotator):
            return found
    return None


def _reserve(candidate: Candidate, at_hand: Annotation, annotator: User) -> Annotation | None:
    until = lease_end(candidate.lease_seconds)
    if candidate.rank == 0:
        return _keep(candidate, annotator, until)
    now, person = timezone.now(), annotator.pk
    try:
        with transaction.atomic():
            one_request_at_a_time(annotator)
            # A lapsed one is no longer kept for its page.
            Assignment.objects.filter(annotator=annotator, is_ahead=True, lease_expires_at__lte=now).update(
                is_ahead=False
            )
            if not TAKE_AHEAD.run(pk=candidate.pk, person=person, tag=at_hand.tag_id, now=now, until=until):
                return None
            insert_new(claimed_event(candidate, annotator))
            own = Annotation.objects.filter(tag=candidate.tag_id, annotator=annotator).first()
            return own or insert_new(new_annotation(candidate.tag_id, annotator))
    except IntegrityError:  # an admin assigned the tag to the same person at the same moment
        return None


def _keep(candidate: Candidate, annotator: User, until: datetime) -> Annotation | None:
    """The person's existing claim: returned to them, assigned to them, or claimed ahead before."""
    Assignment.objects.filter(pk=candidate.pk, annotator=annotator, is_ahead=True).update(lease_expires_at=until)
    return Annotation.objects.filter(tag=candidate.tag_id, annotator=annotator).first()


@transaction.atomic
def hand_back_ahead(*, annotator: User) -> bool:
    """Hand back the tag that this person claimed ahead, unless they have begun it meanwhile; returns whether there
    was one.
    """
    ahead = Assignment.objects.filter(annotator=annotator, is_ahead=True).first()
    annotation = ahead and Annotation.objects.filter(tag=ahead.tag_id, annotator=annotator).first()
    if not ahead or not annotation:
        return False
    # A save locks annotation and assignment in this order.
    lock(Annotation.objects.filter(pk=annotation.pk))
    if not Assignment.objects.filter(pk=ahead.pk, annotator=annotator, is_ahead=True).update(is_ahead=False):
        return False
    hand_back(annotation=annotation, annotator=annotator)
    return True
