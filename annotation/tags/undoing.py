"""Admins' changes of tags as entries that can be undone, each as a whole, while nothing of them has changed since."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from core.languages import joined, say, say_count
from core.models import Event, User
from core.refusals import Refusal
from core.writing.locking import lock

from ..desk.assignments.assigning import set_annotations_needed
from ..desk.assignments.assignment import FREE, forget_if_untouched, has_seen, still_annotates
from ..desk.visibility import blind_tags, refuse_blind
from ..models import Annotation, AnnotationAction, Assignment, BulkChange, ChangedTag, Skip, Tag


class TagAction(models.TextChoices):
    ASSIGN = "assign", say("Assign to")
    UNASSIGN = "unassign", say("Unassign")
    HAND_OVER = "hand_over", say("Reassign to")
    NEEDED = "needed", say("Set annotations needed to")
    PRIORITY = "priority", say("Set priority to")
    UNFLAG = "unflag", say("Remove the flag")


State = dict[str, Any]
PEOPLE = {TagAction.ASSIGN, TagAction.UNASSIGN, TagAction.HAND_OVER}
TIMES = ("claimed_at", "lease_expires_at")
COLUMNS = ("number", "annotator", "assigned_by", "asked_at", "done_at")
MOST_SHOWN = 50


def touched(tag: int, action: str) -> State:
    """The parts of the tag (given by primary key) that the action touches, as JSON."""
    row = Tag.objects.filter(pk=tag)
    if action == TagAction.PRIORITY:
        return {"priority": row.values_list("priority", flat=True).get()}
    if action == TagAction.NEEDED:
        return {"needed": Assignment.objects.filter(tag=tag).count()}
    if action == TagAction.UNFLAG:
        return _as_json(row.values("flagged_at", "flagged_by", "flag_reason").get())
    rows = Assignment.objects.filter(tag=tag).order_by("number").values(*COLUMNS, *TIMES)
    skips = Skip.objects.filter(tag=tag).order_by("annotator").values("annotator", "reason")
    written = Annotation.objects.filter(tag=tag).order_by("pk").values("pk", "annotator", "state", "version")
    return {
        "assignments": [_as_json(each) for each in rows],
        "skips": list(skips),
        "written": list(written),
    }


def _as_json(row: Mapping[str, Any]) -> State:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()}


def _compared(state: State) -> State:
    """The state without leases and claims, which an open page renews."""
    if "assignments" not in state:
        return state
    rows = [{name: row[name] for name in COLUMNS} for row in state["assignments"]]
    return {**state, "assignments": rows}


def record_change(
    tags: Collection[ChangedTag], *, action: str, admin: User, annotator: User | None, number: int | None
) -> BulkChange:
    """Record a change of these tags, inside the transaction that made it."""
    change = BulkChange.objects.create(action=action, by=admin, annotator=annotator, number=number)
    for each in tags:
        each.change = change
    ChangedTag.objects.bulk_create(tags)
    # Without the person: an admin who annotates one of the tags reads this entry, too.
    Event.record(AnnotationAction.CHANGED_TAGS, change, actor=admin, after={"action": action, "tags": len(tags)})
    return change


@transaction.atomic
def undo_change(*, change: BulkChange, admin: User) -> int:
    """Undo the change for all of its tags; returns their number.

    Raises Refusal, having changed nothing, if it was undone already, if something that it touched has changed since,
    if a person that it concerns can no longer have the tag, or if the admin annotates one of the tags.
    """
    now = timezone.now()
    if not BulkChange.objects.filter(pk=change.pk, undone_at=None).update(undone_at=now, undone_by=admin):
        raise Refusal(say("This change was undone already. Nothing was changed."))
    tags = list(change.tags.select_related("tag__article"))
    for each in tags:
        refuse_blind(each.tag, admin)
    for each in tags:
        _undo(each, change.action, admin)
    Event.record(AnnotationAction.UNDID, change, actor=admin, after={"action": change.action, "tags": len(tags)})
    return len(tags)


def _undo(changed: ChangedTag, action: str, admin: User) -> None:
    tag = changed.tag
    lock(Tag.objects.filter(pk=tag.pk))
    if not _is_unchanged(changed, action):
        raise Refusal(say("{title} has changed since, so nothing was undone.", title=tag.article.title))
    before = changed.before
    if action == TagAction.NEEDED:
        set_annotations_needed(tag=tag, needed=before["needed"], admin=admin)
    elif action in PEOPLE:
        _restore_people(changed)
    else:
        Tag.objects.filter(pk=tag.pk).update(**_columns(before))
        if action == TagAction.PRIORITY:
            Assignment.objects.filter(tag=tag).update(priority=before["priority"])
    Event.record(AnnotationAction.UNDID, tag, actor=admin, after={"action": action})


def _columns(state: State) -> State:
    """The same values by the names of columns, times as times."""
    named = {
        f"{name}_id" if name in ("annotator", "assigned_by", "flagged_by") else name: state[name] for name in state
    }
    return {
        name: datetime.fromisoformat(value) if name.endswith("_at") and value else value
        for name, value in named.items()
    }


def _restore_people(changed: ChangedTag) -> None:
    tag, before, after = changed.tag, changed.before, changed.after
    now_by_number = {row["number"]: row for row in after["assignments"]}
    differing = [row for row in before["assignments"] if _row(row) != _row(now_by_number[row["number"]])]
    # First all free: nobody may have two assignments of one tag at any moment.
    Assignment.objects.filter(tag=tag, number__in=[row["number"] for row in differing]).update(**FREE)
    for row in differing:
        if row["annotator"] is not None:
            _check_still_annotates(tag, row["annotator"])
            # A question was closed with the assignment, so nothing waits for its answer.
            held = _columns({**row, "asked_at": None})
            Assignment.objects.filter(tag=tag, number=row["number"]).update(**held)
    _restore_skips(tag, before["skips"])
    there_before = {row["pk"] for row in before["written"]}
    for row in after["written"]:
        if row["pk"] not in there_before:
            forget_if_untouched(Annotation(pk=row["pk"]))


def _row(row: State) -> State:
    return {name: row[name] for name in COLUMNS}


def _check_still_annotates(tag: Tag, person: int) -> None:
    annotator = User.objects.get(pk=person)
    if not still_annotates(annotator):
        raise Refusal(say("{annotator} no longer annotates, so nothing was undone.", annotator=annotator))
    if has_seen(tag, annotator):
        raise Refusal(
            say(
                "{annotator} has seen another annotation of {title} since, so nothing was undone.",
                annotator=annotator,
                title=tag.article.title,
            )
        )


def _restore_skips(tag: Tag, skips: Iterable[State]) -> None:
    by_person = {each["annotator"]: each["reason"] for each in skips}
    Skip.objects.filter(tag=tag).exclude(annotator__in=by_person).delete()
    there = set(Skip.objects.filter(tag=tag).values_list("annotator", flat=True))
    for person, reason in by_person.items():
        if person not in there:
            Skip.objects.create(tag=tag, annotator_id=person, reason=reason)


def _is_unchanged(changed: ChangedTag, action: str) -> bool:
    return _compared(touched(changed.tag_id, action)) == _compared(changed.after)


def latest_changes(reader: User) -> list[BulkChange]:
    """The latest changes, newest first, each with the number of its tags (`count`), with what it says (`words`), and
    whether it can be undone now (`can_be_undone`). Of those of a tag that the reader annotates, neither people nor
    what has happened since is told.
    """
    rows = BulkChange.objects.select_related("by", "annotator", "undone_by").annotate(count=models.Count("tags"))
    hidden = set(ChangedTag.objects.filter(tag__in=blind_tags(reader)).values_list("change", flat=True))
    found: list[Any] = list(rows.order_by("-pk")[:MOST_SHOWN])
    for change in found:
        is_open = change.undone_at is None and change.pk not in hidden
        change.can_be_undone = is_open and all(_is_unchanged(each, change.action) for each in change.tags.all())
        change.words = _words(change, is_hidden=change.pk in hidden)
    return found


def _words(change: BulkChange, *, is_hidden: bool) -> str:
    label = TagAction(change.action).label if change.action in TagAction.values else ""
    label = label or say("{action} (unknown)", action=change.action)
    about = "" if is_hidden else str(change.annotator or "")
    about = about or ("" if change.number is None else str(change.number))
    tags = say_count(change.count, "{count:,} tag", "{count:,} tags")  # type: ignore[attr-defined]
    return joined([joined(filter(None, [label, about])), tags], ": ")
