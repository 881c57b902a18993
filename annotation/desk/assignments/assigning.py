"""Admins' decisions about the assignments of a tag: its annotator, the number of annotations needed, flags."""

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.writing.locking import lock

from ...models import Annotation, AnnotationAction, Assignment, CheckTag, SeenAnnotation, Skip, Tag
from ...models.assignments import MOST_ANNOTATIONS
from .assignment import free_assignments, has_seen, open_annotation, still_annotates


@transaction.atomic
def unflag_tag(*, tag: Tag, admin: User) -> None:
    """Put a flagged tag back into the queue. Raises Refusal if it is not flagged."""
    before = {"flag_reason": tag.flag_reason, "flagged_by": tag.flagged_by_id}
    unflagged = Tag.objects.filter(pk=tag.pk, flagged_at__isnull=False).update(
        flagged_at=None, flagged_by=None, flag_reason=""
    )
    if not unflagged:
        raise Refusal(say("This tag is no longer flagged. Nothing was changed."))
    Event.record(AnnotationAction.TOOK_OFF_FLAG, tag, actor=admin, before=before)


@transaction.atomic
def assign_tag(*, tag: Tag, annotator: User, admin: User) -> Assignment:
    """Reserve an assignment of the tag for this person, without a lease.

    Raises Refusal if the person is not an annotator, has done the tag or has seen another person's work on it, if the
    tag is flagged, or if no assignment is free.
    """
    if not still_annotates(annotator):
        raise Refusal(
            say(
                "{annotator} is not an annotator. Give them the role first; nothing was changed.", annotator=annotator
            )
        )
    tag.refresh_from_db()
    if tag.flagged_at:
        raise Refusal(say("This tag is flagged. Remove the flag first; nothing was changed."))
    annotation = Annotation.objects.filter(tag=tag, annotator=annotator).first()
    if annotation and not annotation.is_writable:
        raise Refusal(say("{annotator} has already annotated this tag. Nothing was changed.", annotator=annotator))
    if has_seen(tag, annotator) or knows_the_text(tag, annotator):
        raise Refusal(
            say(
                "{annotator} has seen another annotation of this tag, and would not be independent of it. Choose "
                "another annotator; nothing was changed.",
                annotator=annotator,
            )
        )
    assignment = _reserve(tag, annotator, admin)
    if assignment is None:
        raise Refusal(
            say(
                "This tag has no free assignment ({count} in all). Set one more annotation for it, "
                "or unassign one of its annotators first. Nothing was changed.",
                count=tag.annotations_needed,
            )
        )
    Skip.objects.filter(tag=tag, annotator=annotator).delete()
    open_annotation(tag=tag, annotator=annotator)
    Event.record(
        AnnotationAction.ASSIGNED,
        tag,
        actor=admin,
        after={"annotator": annotator.pk, "assignment": assignment.number},
    )
    return assignment


def knows_the_text(tag: Tag, person: User) -> bool:
    """Return whether this person has had to do with a tag of the same text, where the answer of one is known."""
    made = CheckTag.objects.filter(tag=tag).values_list("original", flat=True).first()
    original = made or tag.pk
    alike = {original, *CheckTag.objects.filter(original=original).values_list("tag", flat=True)} - {tag.pk}
    own = Annotation.objects.filter(tag__in=alike, annotator=person)
    return own.exists() or SeenAnnotation.objects.filter(annotation__tag__in=alike, person=person).exists()


def _reserve(tag: Tag, annotator: User, admin: User) -> Assignment | None:
    now = timezone.now()
    reserved = {"annotator": annotator, "claimed_at": now, "lease_expires_at": None, "assigned_by": admin}
    reserved["is_ahead"] = False
    own = Assignment.objects.unfinished().filter(tag=tag, annotator=annotator)
    if own.filter(asked_at=None).update(**reserved):
        return own.get()
    if own.exists():
        raise Refusal(
            say(
                "{annotator} has this tag and is waiting for the answer to a question. Nothing was changed.",
                annotator=annotator,
            )
        )
    # Prefer one that nobody has touched: the annotator of a lapsed one may come back.
    for assignment in Assignment.objects.free(at=now).filter(tag=tag).order_by(F("annotator").asc(nulls_first=True)):
        if Assignment.objects.free(at=now).filter(pk=assignment.pk).update(**reserved):
            return assignment
    return None


@transaction.atomic
def unassign(*, tag: Tag, annotator: User, admin: User) -> None:
    """Unassign the tag from this person; they keep their draft. Raises Refusal if they do not have it.

    The queue does not offer it to them again, as that would undo the admin's action.
    """
    if not free_assignments(annotator=annotator, actor=admin, tag=tag):
        raise Refusal(
            say(
                "{annotator} does not hold this tag, or has already submitted it. Nothing was changed.",
                annotator=annotator,
            )
        )
    Skip.objects.get_or_create(tag=tag, annotator=annotator, defaults={"reason": say("unassigned by an admin")})
    Event.record(AnnotationAction.UNASSIGNED, tag, actor=admin, before={"annotator": annotator.pk})


@transaction.atomic
def set_annotations_needed(*, tag: Tag, needed: int, admin: User) -> None:
    """Set how many annotations the tag needs: free assignments are added or removed.

    Raises Refusal if the number is out of range or below the number of assignments in use.
    """
    if not 1 <= needed <= MOST_ANNOTATIONS:
        raise Refusal(
            say(
                "A tag can need 1 to {most} annotations. Nothing was changed.",
                most=MOST_ANNOTATIONS,
            ),
            status=400,
        )
    lock(Tag.objects.filter(pk=tag.pk))
    numbers = list(Assignment.objects.filter(tag=tag).order_by("number").values_list("number", flat=True))
    if len(numbers) == needed:
        return
    unused = [number for number in range(1, MOST_ANNOTATIONS + 1) if number not in numbers]
    for number in unused[: max(0, needed - len(numbers))]:
        Assignment.of(tag, number).save()
    if len(numbers) > needed:
        _remove_assignments(tag, len(numbers) - needed)
    before = {"annotations_needed": len(numbers)}
    Event.record(AnnotationAction.SET_NEEDED, tag, actor=admin, before=before, after={"annotations_needed": needed})


def _remove_assignments(tag: Tag, surplus: int) -> None:
    now = timezone.now()
    free = Assignment.objects.free(at=now).filter(tag=tag).order_by(F("annotator").asc(nulls_first=True), "-number")
    for assignment in free:
        if surplus:
            surplus -= Assignment.objects.free(at=now).filter(pk=assignment.pk).delete()[0]
    if surplus:
        used = Assignment.objects.filter(tag=tag).count()
        raise Refusal(
            say(
                "{used} people have this tag or have done it: it cannot need fewer. Unassign one of them first. "
                "Nothing was changed.",
                used=used,
            )
        )
