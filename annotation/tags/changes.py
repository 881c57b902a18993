"""Admins' changes of tags, one or many at a time."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.db import transaction

from core.languages import joined, say
from core.models import Event, User
from core.refusals import Refusal

from ..desk.assignments.assigning import assign_tag, set_annotations_needed, unassign, unflag_tag
from ..desk.visibility import refuse_blind
from ..models import AnnotationAction, Assignment, BulkChange, ChangedTag, Tag
from .undoing import TagAction, record_change, touched

HIGHEST_PRIORITY = 1_000


@transaction.atomic
def change_tags(
    *, tags: Iterable[Tag], action: str, admin: User, annotator: User | None = None, number: int | None = None
) -> tuple[BulkChange | None, int, list[str]]:
    """Apply the action to each of the tags; returns the change, which can be undone as a whole (None if no tag was
    changed), the number of tags, and the reasons for the others.

    Assigning needs `annotator`; without one, a tag is unassigned from everybody who has it. Raises `Refusal`, having
    changed nothing, if the action lacks what it needs.
    """
    change = _change(action, admin, annotator, number)
    done: list[ChangedTag] = []
    refused: list[str] = []
    for tag in tags:
        try:
            with transaction.atomic():
                before = touched(tag.pk, action)
                change(tag)
                done.append(ChangedTag(tag=tag, before=before, after=touched(tag.pk, action)))
        except Refusal as refusal:
            refused.append(joined([tag.article.title, refusal.message], ": "))
    if not done:
        return None, 0, refused
    return record_change(done, action=action, admin=admin, annotator=annotator, number=number), len(done), refused


@transaction.atomic
def change_all_tags(*, tags: Collection[Tag], **how: Any) -> tuple[BulkChange | None, int]:
    """Like `change_tags`, but for all of the tags or none. Raises Refusal, saying why, if one of them cannot be
    changed. Returns the change and the number of tags.
    """
    change, done, refused = change_tags(tags=tags, **how)
    if refused:
        raise Refusal(say("{reason} None of these tags was changed.", reason=refused[0]))
    return change, done


def _change(action: str, admin: User, annotator: User | None, number: int | None) -> Callable[[Tag], object]:
    if action == TagAction.ASSIGN:
        if annotator is None:
            raise Refusal(say("Choose the person to assign to. Nothing was changed."), status=400)
        return lambda tag: _assign(tag, annotator, admin)
    if action == TagAction.HAND_OVER:
        if annotator is None:
            raise Refusal(say("Choose the person to reassign to. Nothing was changed."), status=400)
        return lambda tag: _hand_over(tag, annotator, admin)
    if action == TagAction.UNASSIGN:
        return lambda tag: _take_from(tag, annotator, admin)
    if action == TagAction.UNFLAG:
        return lambda tag: unflag_tag(tag=tag, admin=admin)
    if action not in TagAction.values:
        raise Refusal(say("Choose an action for the selected tags. Nothing was changed."), status=400)
    if number is None:
        raise Refusal(say("Give the number. Nothing was changed."), status=400)
    if action == TagAction.NEEDED:
        return lambda tag: _set_needed(tag, number, admin)
    return lambda tag: set_priority(tag=tag, priority=number, admin=admin)


def _assign(tag: Tag, annotator: User, admin: User) -> None:
    if annotator != admin:
        refuse_blind(tag, admin)
    assign_tag(tag=tag, annotator=annotator, admin=admin)


def _set_needed(tag: Tag, needed: int, admin: User) -> None:
    # One more can always be had; one less only while nobody has it.
    if needed < Assignment.objects.filter(tag=tag).count():
        refuse_blind(tag, admin)
    set_annotations_needed(tag=tag, needed=needed, admin=admin)


def _take_from(tag: Tag, annotator: User | None, admin: User) -> None:
    if annotator != admin:
        refuse_blind(tag, admin)
    if annotator is not None:
        unassign(tag=tag, annotator=annotator, admin=admin)
        return
    for holder in _holders(tag):
        unassign(tag=tag, annotator=holder, admin=admin)


def _hand_over(tag: Tag, annotator: User, admin: User) -> None:
    """Reassign the tag from its only holder, who keeps their draft; the new annotator begins anew."""
    refuse_blind(tag, admin)
    holders = _holders(tag)
    if len(holders) > 1:
        raise Refusal(say("Several people have this tag. Unassign one of them, then assign it. Nothing was changed."))
    if holders == [annotator]:
        raise Refusal(say("{annotator} already has this tag. Nothing was changed.", annotator=annotator))
    unassign(tag=tag, annotator=holders[0], admin=admin)
    assign_tag(tag=tag, annotator=annotator, admin=admin)


def _holders(tag: Tag) -> list[User]:
    """The people who have the tag and have not finished it. Raises Refusal if there are none."""
    unfinished = Assignment.objects.unfinished().filter(tag=tag).select_related("annotator")
    holders = [assignment.annotator for assignment in unfinished if assignment.annotator]
    if not holders:
        raise Refusal(say("Nobody has this tag. Nothing was changed."))
    return holders


@transaction.atomic
def set_priority(*, tag: Tag, priority: int, admin: User) -> None:
    """Set the priority; higher comes first in the queue. Raises `Refusal` if it is beyond ±1,000."""
    if abs(priority) > HIGHEST_PRIORITY:
        raise Refusal(
            say(
                "A priority must be between -{most} and {most}.",
                most=HIGHEST_PRIORITY,
            ),
            status=400,
        )
    before = tag.priority
    if Tag.objects.filter(pk=tag.pk).exclude(priority=priority).update(priority=priority):
        Assignment.objects.filter(tag=tag).update(priority=priority)
        Event.record(
            AnnotationAction.PRIORITISED, tag, actor=admin, before={"priority": before}, after={"priority": priority}
        )
