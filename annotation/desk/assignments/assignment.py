"""Assigns tags to people for a limited time: claim, renew, wait for an answer, hand back, skip, flag.

A tag has one `Assignment` for each annotation it needs. It is claimed by an UPDATE whose conditions must still hold;
the row count says who won.
"""

import random
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from core.engine.queries.inserts import insert_new, insert_together
from core.engine.queries.instances import PreparedInstances
from core.languages import in_sentence, say
from core.models import Event, Project, Role, User
from core.outside import required_text
from core.refusals import Refusal
from core.writing.locking import lock

from ...models import (
    Annotation,
    AnnotationAction,
    AnnotationState,
    Assignment,
    Comment,
    SamePassage,
    SeenAnnotation,
    Skip,
    Tag,
)
from .holding import KEEP, TAKE_NEXT, taking
from .practice_due import PracticeDue
from .queue import Candidate, next_for

NO_LONGER_OPEN = say(
    "This question is no longer open: it was answered, or the tag was taken up again or handed back. "
    "Reload the page to see. Nothing was changed."
)

FREE: dict[str, Any] = {
    "annotator": None,
    "claimed_at": None,
    "lease_expires_at": None,
    "assigned_by": None,
    "asked_at": None,
    "is_ahead": False,
}


class Standing(models.TextChoices):
    """Return whether an annotator still holds their open tag."""

    HELD = "held", say("Yours")
    WAITING = "waiting", say("Waiting for an answer")
    LOST = "lost", say("Taken by others")
    FLAGGED = "flagged", say("Flagged, waiting for an admin")
    SKIPPED = "skipped", say("Given up")
    SEEN = "seen", say("Another annotation of it seen")
    CLOSED = "closed", say("Submitted")


def claim_next_tag(*, annotator: User) -> Annotation | None:
    """The annotation to work on next, its assignment held for this person; None if none remains for them.

    Their own work comes first: tags that they hold, tags assigned or returned to them, and their drafts whose
    assignment is free. Then come the free assignments by priority and age, of tags that they have neither skipped nor
    annotated and of which they have seen no other annotation.

    Raises PracticeDue if only the queue remains, and the project requires this person to practise first.
    """
    while candidates := next_for(annotator):
        for candidate in _spread(candidates):
            if candidate.must_practise:
                raise PracticeDue
            if annotation := _take_up(candidate, annotator):
                return annotation
    return None


def _take_up(candidate: Candidate, annotator: User) -> Annotation | None:
    """Claim the candidate, found without a lock, in a short transaction; None if it is no longer free, or if this
    person has claimed another tag meanwhile: a second click must get the same tag as the first.
    """
    until = lease_end(candidate.lease_seconds)
    if candidate.rank == 0:
        return _go_on(candidate, annotator, until)
    try:
        with transaction.atomic():
            one_request_at_a_time(annotator)
            if not TAKE_NEXT.run(pk=candidate.pk, person=annotator.pk, now=timezone.now(), until=until):
                return None
            claimed = claimed_event(candidate, annotator)
            if candidate.annotation_id is None:
                new = new_annotation(candidate.tag_id, annotator)
                insert_together(claimed, new)
                return new
            insert_new(claimed)
    except IntegrityError:  # an admin assigned the tag to the same person at the same moment
        return None
    return Annotation.objects.get(pk=candidate.annotation_id)


def _go_on(candidate: Candidate, annotator: User, until: datetime) -> Annotation | None:
    if not _extend(candidate.pk, annotator, until):
        return None
    return open_annotation(tag=Tag.objects.get(pk=candidate.tag_id), annotator=annotator)


def one_request_at_a_time(annotator: User) -> None:
    """Within a transaction: make the claims of one person wait for each other."""
    # On SQLite there is one at a time anyway.
    if connection.features.has_select_for_update:
        LOCK.first(person=annotator.pk)


def still_annotates(person: User) -> bool:
    """Within a transaction: return whether this person may get a tag. Waits for their claims, and for whoever is
    closing the account at this moment: a tag assigned to a closed account would never be finished.
    """
    return lock(User.objects.filter(pk=person.pk, is_active=True)) and person.has_role(Role.ANNOTATOR)


LOCK = PreparedInstances(
    lambda person: User.objects.filter(pk=person).only("pk").select_for_update(no_key=True).order_by(), person=int
)


def has_seen(tag: Tag, person: User) -> bool:
    """Return whether this person has seen another person's work on the tag: their own would not be blind."""
    return SeenAnnotation.objects.filter(person=person, annotation__tag=tag).exists()


def _spread(candidates: list[Candidate]) -> Iterator[Candidate]:
    """The first candidate, then the others in random order within each priority.

    If the first is taken, other people have just asked too: in the same order, they would collide at each one.
    """
    yield candidates[0]
    for _, group in groupby(candidates[1:], key=lambda each: (each.rank, each.priority)):
        alike = list(group)
        random.shuffle(alike)
        yield from alike


def lease_end(seconds: int | None = None) -> datetime:
    """The end of a claim or renewal made now. Callers that have read the setting pass its `seconds`."""
    return timezone.now() + timedelta(seconds=seconds or Project.get().lease_seconds)


def _take(found: Assignment, annotator: User, until: datetime) -> bool:
    """Claim this assignment if it is still free; returns whether that worked. All conditions are on the row itself,
    so that PostgreSQL checks them again after waiting for another person's claim. Raises IntegrityError if the tag is
    this person's already."""
    free, values = taking(found.pk, annotator.pk, timezone.now(), until)
    if not free.update(**values):
        return False
    insert_new(claimed_event(found, annotator))
    return True


def claimed_event(found: Candidate | Assignment, annotator: User) -> Event:
    """The entry of the log for a claim, not saved yet."""
    return Event.of(
        AnnotationAction.CLAIMED,
        Tag(pk=found.tag_id),
        actor=annotator,
        before={"annotator": found.annotator_id},
        after={"annotator": annotator.pk, "assignment": found.number},
    )


def _extend(assignment: int, annotator: User, until: datetime) -> bool:
    """Renew an annotator's own assignment, expired or not; False if it has been taken or is waiting for an answer by
    now.
    """
    own = Assignment.objects.unfinished().filter(pk=assignment, annotator=annotator, asked_at=None)
    leased = own.filter(lease_expires_at__isnull=False)
    return bool(leased.update(lease_expires_at=until, is_ahead=False)) or own.exists()


def open_annotation(*, tag: Tag, annotator: User) -> Annotation:
    """This person's annotation of the tag."""
    found = Annotation.objects.filter(tag=tag, annotator=annotator).first()
    return found or insert_new(new_annotation(tag.pk, annotator))


def new_annotation(tag_id: int, annotator: User) -> Annotation:
    """An empty, unsaved annotation."""
    return Annotation(tag_id=tag_id, annotator=annotator, same_passage=SamePassage.DIFFERENT)


def renew_lease(*, annotation: Annotation, annotator: User, until: datetime | None = None) -> Standing:
    """Keep the tag for the person whose page is open: one UPDATE while it is theirs. If the lease has expired, a free
    assignment is taken again; the text is kept in any case. Callers that hold a lock pass `until`, computed before
    it.
    """
    if not annotation.is_writable:
        return Standing.CLOSED
    until = until or lease_end(annotation.lease_seconds)
    if KEEP.run(tag=annotation.tag_id, person=annotator.pk, until=until):
        return Standing.HELD
    if Assignment.objects.unfinished().filter(tag=annotation.tag_id, annotator=annotator).exists():
        return Standing.WAITING
    return hold_assignment(annotation=annotation, annotator=annotator)


@transaction.atomic
def hold_assignment(*, annotation: Annotation, annotator: User) -> Standing:
    """Claim any free assignment of the tag that this annotation is about, if there is one."""
    tag = Tag.objects.get(pk=annotation.tag_id)
    if tag.flagged_at:
        return Standing.FLAGGED
    if Skip.objects.filter(tag=tag, annotator=annotator).exists():
        return Standing.SKIPPED
    if has_seen(tag, annotator):
        return Standing.SEEN
    for assignment in Assignment.objects.free().filter(tag=tag).order_by("number"):
        with suppress(IntegrityError), transaction.atomic():  # an admin assigned it to the same person meanwhile
            if _take(assignment, annotator, lease_end(annotation.lease_seconds)):
                return Standing.HELD
    return Standing.LOST


def wait_for_answer(*, annotation: Annotation, annotator: User) -> None:
    """Keep the tag for its annotator while a question is waiting: nobody else gets it, and no lease expires.

    Raises Refusal if the tag is no longer theirs, or is already waiting for an answer.
    """
    _refuse_closed(annotation)
    standing = renew_lease(annotation=annotation, annotator=annotator)
    assignments = Assignment.objects.unfinished().filter(tag=annotation.tag_id, annotator=annotator, asked_at=None)
    if not assignments.update(asked_at=timezone.now(), lease_expires_at=None, is_ahead=False):
        if standing == Standing.WAITING:
            raise Refusal(
                say("You have already asked about this tag, and it is waiting for the answer. Nothing was changed.")
            )
        raise Refusal(
            say(
                "This tag is not with you now ({standing}), so it cannot wait for an answer.",
                standing=in_sentence(standing.label),
            )
        )


def stop_waiting(*, annotation: Annotation, with_lease: bool) -> None:
    """Return the assignment to its annotator. Raises Refusal if it is no longer waiting for an answer.

    Without a lease it waits for them, like a returned one; so does one that an admin assigned.
    """
    assignments = (
        Assignment.objects.unfinished().waiting().filter(tag=annotation.tag_id, annotator=annotation.annotator_id)
    )
    assignment = assignments.first()
    lease = lease_end() if with_lease and assignment and not assignment.assigned_by_id else None
    if not assignments.update(asked_at=None, lease_expires_at=lease):
        raise Refusal(NO_LONGER_OPEN)


def free_assignments(*, annotator: User, actor: User, tag: Tag | None = None) -> int:
    """Free this person's unfinished assignments, for one tag or for all; returns their number. An open question is
    closed with its assignment.
    """
    assignments = Assignment.objects.unfinished().filter(annotator=annotator)
    asks = Comment.objects.open_asks().filter(annotation__annotator=annotator)
    if tag is not None:
        assignments, asks = assignments.filter(tag=tag), asks.filter(annotation__tag=tag)
    freed = assignments.update(**FREE)
    _close_asks(asks, actor)
    return freed


def _close_asks(asks: models.QuerySet[Comment], actor: User) -> None:
    # By primary key: an UPDATE with a join differs between the two databases.
    found = Comment.objects.filter(pk__in=list(asks.values_list("pk", flat=True)), resolved_at=None)
    found.update(resolved_at=timezone.now(), resolved_by=actor)


@transaction.atomic
def hand_back(*, annotation: Annotation, annotator: User) -> None:
    """Hand the tag back to the queue. A draft with text stays with its writer."""
    _refuse_closed(annotation)
    if free_assignments(annotator=annotator, actor=annotator, tag=annotation.tag):
        Event.record(
            AnnotationAction.HANDED_BACK, annotation.tag, actor=annotator, before={"annotator": annotator.pk}
        )
    forget_if_untouched(annotation)


@transaction.atomic
def skip_tag(*, annotation: Annotation, annotator: User, reason: str) -> None:
    """Skip the tag; the queue does not offer it to this person again. Raises Refusal if there is no reason."""
    reason = required_text(reason, say("Give a reason for skipping this tag. Nothing was changed."))
    _refuse_closed(annotation)
    Skip.objects.update_or_create(
        tag=annotation.tag, annotator=annotator, defaults={"reason": reason, "at": timezone.now()}
    )
    freed = free_assignments(annotator=annotator, actor=annotator, tag=annotation.tag)
    before = {"annotator": annotator.pk} if freed else {}
    Event.record(AnnotationAction.SKIPPED, annotation.tag, actor=annotator, before=before, message=reason)
    forget_if_untouched(annotation)


@transaction.atomic
def take_up_again(*, annotation: Annotation, annotator: User) -> Standing:
    """Continue a draft whose assignment was handed back or that is waiting for an answer; a skip is undone."""
    _refuse_closed(annotation)
    _go_on_without_answer(annotation, annotator)
    if Skip.objects.filter(tag=annotation.tag_id, annotator=annotator).delete()[0]:
        Event.record(AnnotationAction.TOOK_BACK_SKIP, annotation.tag, actor=annotator)
    return renew_lease(annotation=annotation, annotator=annotator)


def _go_on_without_answer(annotation: Annotation, annotator: User) -> None:
    if not Assignment.objects.waiting().filter(tag=annotation.tag_id, annotator=annotator).exists():
        return
    # A once submitted annotation keeps waiting for its writer, as before the question.
    stop_waiting(annotation=annotation, with_lease=annotation.submitted_at is None)
    _close_asks(Comment.objects.open_asks().filter(annotation=annotation), annotator)
    Event.record(
        AnnotationAction.WENT_ON, annotation, actor=annotator, before={"asked": True}, after={"asked": False}
    )


@transaction.atomic
def flag_tag(*, tag: Tag, annotator: User, reason: str) -> None:
    """Put the tag aside until an admin has checked it. The draft is kept, the assignment is free again.

    If another annotator flagged the tag in the meantime, it keeps that reason and this one goes to the log. Raises
    Refusal if there is no reason, or if this person has submitted an annotation of the tag.
    """
    reason = required_text(reason, say("Say what an admin should check. Nothing was changed."))
    annotation = Annotation.objects.filter(tag=tag, annotator=annotator).first()
    if annotation:
        _refuse_closed(annotation)
    flagged = Tag.objects.filter(pk=tag.pk, flagged_at=None).update(
        flagged_at=timezone.now(), flagged_by=annotator, flag_reason=reason
    )
    free_assignments(annotator=annotator, actor=annotator, tag=tag)
    Event.record(
        AnnotationAction.FLAGGED, tag, actor=annotator, after={"flagged": True} if flagged else {}, message=reason
    )


def forget_if_untouched(annotation: Annotation) -> None:
    """Delete a draft in which nothing was ever saved."""
    # Nothing was ever typed, so nothing is lost, and "My work" remains a list of work.
    untouched = Annotation.objects.filter(pk=annotation.pk, version=0, state=AnnotationState.DRAFT)
    untouched.filter(model_suggestions=None, comments=None).delete()


def _refuse_closed(annotation: Annotation) -> None:
    # A save of the same draft waits, too: it locks annotation and assignment in this order.
    if not lock(Annotation.objects.filter(pk=annotation.pk, state__in=AnnotationState.writable())):
        if not Annotation.objects.filter(pk=annotation.pk).exists():  # a second click: it was deleted untouched
            raise Refusal(say("This tag is already back in the queue. Nothing was changed."))
        raise Refusal(say("You have submitted this tag. Take it back under “My work” first; nothing was changed."))
