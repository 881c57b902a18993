"""Saves the annotator's form while it is written.

`content` is the form as `content/fields.py` has it. While an annotation is written, its draft is its latest save;
its rows are written when it is submitted.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.engine.queries.inserts import insert_new
from core.engine.queries.updates import PreparedUpdate
from core.languages import say
from core.models import User
from core.refusals import Refusal
from core.writing.locking import lock

from ...content.fields import (
    FIELDS,
    Content,
    Merge,
    clean_content,
    differing_fields,
    empty_content,
    in_order_of_choosing,
    merge_contents,
    moved_questions,
)
from ...content.rows import content_of
from ...models import Annotation, DraftSave
from ..assignments.assignment import Standing, lease_end, renew_lease
from ..comments.comments import follow_questions

# How many accepted saves of each draft are kept, to look back at; refused ones may be the only copy, and are kept
# longer.
KEPT_SAVES = 20
KEPT_REFUSED = 50


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The result of a save, with the server's current `version` and `content`."""

    is_saved: bool
    version: int
    content: Content
    standing: Standing


@dataclass(frozen=True, slots=True)
class Sent:
    """A form as received, with the version that it is based on. `unseen` are fields that its page filled from drafts
    by rule and that have not been in sight there, `seen` those that have been.
    """

    content: Content
    base_version: int
    operation: UUID
    tab: str
    unseen: Collection[str] = ()
    seen: Collection[str] = ()


class Overtaken(Exception):
    """Raised if the annotation has changed since it was read: nothing was written."""


def save_draft(
    *,
    annotation: Annotation,
    annotator: User,
    content: object,
    base_version: int,
    operation: UUID,
    tab: str = "",
    unseen: Collection[str] = (),
    seen: Collection[str] = (),
) -> SaveResult:
    """Save the form, based on the version it started from.

    A save from a stale copy changes nothing: its text is kept as a refused `DraftSave`, and the result holds the
    server's content. Sending the same `operation` and text again gets the first answer. The text is saved regardless
    of who holds the tag now. Raises Refusal if the text cannot be stored, or if the annotation is no longer open to
    its writer.
    """
    annotation.check_own(annotator)
    sent = Sent(clean_content(content), base_version, operation, tab[:64], unseen, seen)
    return save_sent(annotation, annotator, sent)


def save_sent(annotation: Annotation, annotator: User, sent: Sent) -> SaveResult:
    """`save_draft` for a form that is already read."""
    try:
        return _save_on_top(annotation, annotator, sent)
    except Overtaken:
        with transaction.atomic():
            _lock(annotation)
            return _save_or_refuse(annotation, annotator, sent)


def _save_on_top(annotation: Annotation, annotator: User, sent: Sent) -> SaveResult:
    """The ordinary case, in three statements: all comparisons are made before the first of them, without a lock.

    Raises Overtaken if the annotation is not as it was read, or the operation is not new.
    """
    if not annotation.is_writable or annotation.version != sent.base_version:
        raise Overtaken
    before = content_of(annotation)
    content = in_order_of_choosing(before, sent.content)
    if not differing_fields(before, content):
        return SaveResult(True, annotation.version, content, renew_lease(annotation=annotation, annotator=annotator))
    moved, now, until = moved_questions(before, content), timezone.now(), lease_end(annotation.lease_seconds)
    save = row_of_save(annotation, sent, content, version=sent.base_version + 1)
    save.unseen = unseen_in(annotation, sent) or None
    try:
        with transaction.atomic():
            insert_new(save)
            _keep(annotation, save, now)
            follow_questions(annotation, moved)
            standing = renew_lease(annotation=annotation, annotator=annotator, until=until)
    except IntegrityError as error:
        raise Overtaken from error
    set_values(annotation, version=save.version, saved_at=now, draft=save)
    if annotation.version % 10 == 0:  # it costs a statement
        DraftSave.objects.filter(annotation=annotation, version__lte=annotation.version - KEPT_SAVES).delete()
    return SaveResult(True, annotation.version, content, standing)


def row_of_save(annotation: Annotation, sent: Sent, content: Content, *, version: int | None) -> DraftSave:
    """The row that stores this input as this version, or as refused; not written yet."""
    return DraftSave(
        annotation=annotation,
        operation=sent.operation,
        tab=sent.tab,
        base_version=sent.base_version,
        version=version,
        content=content,
    )


def unseen_in(annotation: Annotation, sent: Sent) -> list[str]:
    """The fields of this form, in its order, that were filled from drafts by rule and that nobody has looked at
    since: those that its page names, and those of the stored draft that have kept their value and have not been seen.
    """
    earlier = (annotation.draft.unseen or []) if annotation.draft else []
    before = content_of(annotation) if earlier else {}
    kept = {name for name in earlier if before[name] == sent.content[name]} - set(sent.seen)
    return [name for name in FIELDS if (name in kept or name in sent.unseen) and sent.content[name]]


def _keep(annotation: Annotation, save: DraftSave, now: datetime) -> None:
    """Make a save the annotation's draft. Raises Overtaken if the annotation was saved, submitted or taken back since
    it was read.
    """
    operation = annotation.submit_operation
    as_read = {column: getattr(annotation, column) for column in ("pk", "annotator_id", "version", "state")}
    written = {"now": now, "new_version": save.version, "draft": save.pk}
    if operation is None:
        kept = _KEEP_NEW.run(**as_read, **written)
    else:
        kept = _KEEP_RETURNED.run(**as_read, **written, operation=operation)
    if not kept:
        raise Overtaken


def _keeping(*, now: datetime, new_version: int, draft: int, operation: UUID | None = None, **as_read: object):
    found = Annotation.objects.filter(**as_read, submit_operation=operation)
    return found, {"version": new_version, "saved_at": now, "draft_id": draft}


_AS_READ: dict[str, type] = {"pk": int, "annotator_id": int, "version": int, "state": str}
_WRITTEN: dict[str, type] = {"now": datetime, "new_version": int, "draft": int}
_KEEP_NEW = PreparedUpdate(_keeping, **_AS_READ, **_WRITTEN)
# States of earlier submissions.
_KEEP_RETURNED = PreparedUpdate(_keeping, **_AS_READ, **_WRITTEN, operation=UUID)


def set_values(annotation: Annotation, **values: object) -> None:
    """Set the written values on the object."""
    for name, value in values.items():
        setattr(annotation, name, value)


def _lock(annotation: Annotation) -> None:
    # Anyone who saves or decides at this moment waits here for us.
    if not lock(Annotation.objects.filter(pk=annotation.pk)):
        raise Refusal(
            say("Not saved: this draft was given up in another tab. Your text is still in the form."), status=404
        )
    annotation.refresh_from_db()


def _save_or_refuse(annotation: Annotation, annotator: User, sent: Sent) -> SaveResult:
    """Handle a save that did not simply fit. The annotation is locked."""
    earlier = DraftSave.objects.filter(operation=sent.operation).first()
    if earlier and earlier.annotation_id != annotation.pk:
        raise Refusal(
            say("Not saved: this save was meant for another tag. Reload the page and try again."), status=400
        )
    if earlier:  # it may be older than a field of the form
        earlier.content = empty_content() | earlier.content
    if earlier and not differing_fields(earlier.content, sent.content):
        return _first_answer(earlier, annotation, annotator)
    if earlier:  # an old copy of the page, from the browser's history: other text is another save
        sent = replace(sent, operation=uuid4())
    _refuse_closed(annotation)
    stored = content_of(annotation)
    if sent.base_version == annotation.version or not differing_fields(stored, sent.content):
        return _save_on_top(annotation, annotator, replace(sent, base_version=annotation.version))
    row_of_save(annotation, sent, sent.content, version=None).save()
    _prune_refused(annotation)
    return SaveResult(False, annotation.version, stored, Standing.HELD)


def _first_answer(earlier: DraftSave, annotation: Annotation, annotator: User) -> SaveResult:
    if earlier.version is None:
        return SaveResult(False, annotation.version, content_of(annotation), Standing.HELD)
    standing = renew_lease(annotation=annotation, annotator=annotator)
    return SaveResult(True, earlier.version, earlier.content, standing)


def merge_stale(*, annotation: Annotation, content: Content, base_version: int, theirs: Content) -> Merge:
    """A stale save of `content` merged with `theirs`, the server's content.

    If the version it started from is no longer kept, every field that differs clashes.
    """
    saves = DraftSave.objects.filter(annotation=annotation, version=base_version)
    base = empty_content() if base_version == 0 else saves.values_list("content", flat=True).first()
    return merge_contents(base=base and empty_content() | base, mine=content, theirs=theirs)


def _prune_refused(annotation: Annotation) -> None:
    refused = DraftSave.objects.filter(annotation=annotation, version=None)
    newest = list(refused.order_by("-pk").values_list("pk", flat=True)[:KEPT_REFUSED])
    if len(newest) == KEPT_REFUSED:
        refused.filter(pk__lt=newest[-1]).delete()


def _refuse_closed(annotation: Annotation) -> None:
    if not annotation.is_writable:
        raise Refusal(
            say(
                "Not saved: this annotation is now “{state}”, so it cannot be changed here. Your text is still "
                "in the form.",
                state=annotation.get_state_display(),
            )
        )
