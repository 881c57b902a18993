"""What can be done to an annotation: save a draft, submit, take back; accept, return, exclude, reconsider.

`content` is the form as `content/fields.py` has it. While an annotation is written, its draft is its latest save;
its rows are written when it is handed in.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.models import Event, User
from core.outside import required_text
from core.queries.inserts import insert_new
from core.queries.updates import PreparedUpdate
from core.refusals import Forbidden, Refusal
from core.writing.locking import lock

from ..assisting.model_suggestions import machine_made
from ..content.checks import Problem, find_problems, finished
from ..content.fields import (
    Content,
    Merge,
    clean_content,
    differing_fields,
    empty_content,
    in_order_of_choosing,
    merge_contents,
    moved_questions,
)
from ..content.rows import columns_of, content_of, write_rows
from ..models import Annotation, AnnotationAction, AnnotationState, Assignment, DraftSave
from .assignment import Standing, has_seen, lease_end, renew_lease
from .comments import follow_questions
from .first_submission import keep_first_submission, note_return
from .holding import CLOSE

# How many accepted saves of each draft are kept, to look back at; refused ones may be the only copy, and are kept
# longer.
KEPT_SAVES = 20
KEPT_REFUSED = 50


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The result of a save. `version` and `content` are those that the server now has."""

    is_saved: bool
    version: int
    content: Content
    standing: Standing


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """The result of a submission: done, or the problems to fix, or (not saved) the newer copy in its way."""

    is_submitted: bool
    save: SaveResult
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Sent:
    """A form as it arrived, with the version that it started from."""

    content: Content
    base_version: int
    operation: UUID
    tab: str


class _Overtaken(Exception):
    """The annotation is not, or no longer, as it was read: nothing was written."""


def save_draft(
    *, annotation: Annotation, annotator: User, content: object, base_version: int, operation: UUID, tab: str = ""
) -> SaveResult:
    """Save the form as it stands, on top of the version it started from.

    A save from a stale copy changes nothing: its text is kept as a refused `DraftSave`, and the result holds what the
    server has. Sending the same `operation` and text again gets the first answer. The text is saved whoever holds the
    tag now. Raises Refusal if the text cannot be stored, or if the annotation is no longer open to its writer.
    """
    annotation.check_own(annotator)
    return _save(annotation, annotator, _Sent(clean_content(content), base_version, operation, tab[:64]))


def _save(annotation: Annotation, annotator: User, sent: _Sent) -> SaveResult:
    try:
        return _save_on_top(annotation, annotator, sent)
    except _Overtaken:
        with transaction.atomic():
            _lock(annotation)
            return _save_or_refuse(annotation, annotator, sent)


def _save_on_top(annotation: Annotation, annotator: User, sent: _Sent) -> SaveResult:
    """The ordinary case, in three statements: what is compared is compared before the first of them, without a lock.

    Raises _Overtaken if the annotation is not as it was read, or the operation is not new.
    """
    if not annotation.is_writable or annotation.version != sent.base_version:
        raise _Overtaken
    before = content_of(annotation)
    content = in_order_of_choosing(before, sent.content)
    if not differing_fields(before, content):
        return SaveResult(True, annotation.version, content, renew_lease(annotation=annotation, annotator=annotator))
    moved, now, until = moved_questions(before, content), timezone.now(), lease_end(annotation.lease_seconds)
    save = _accepted(annotation, sent, content, sent.base_version + 1)
    try:
        with transaction.atomic():
            insert_new(save)
            _keep(annotation, save, now)
            follow_questions(annotation, moved)
            standing = renew_lease(annotation=annotation, annotator=annotator, until=until)
    except IntegrityError as error:
        raise _Overtaken from error
    _set(annotation, version=save.version, saved_at=now, draft=save)
    if annotation.version % 10 == 0:  # it costs a statement
        DraftSave.objects.filter(annotation=annotation, version__lte=annotation.version - KEPT_SAVES).delete()
    return SaveResult(True, annotation.version, content, standing)


def _accepted(annotation: Annotation, sent: _Sent, content: Content, version: int) -> DraftSave:
    return DraftSave(
        annotation=annotation,
        operation=sent.operation,
        tab=sent.tab,
        base_version=sent.base_version,
        version=version,
        content=content,
    )


def _write(annotation: Annotation, **values: Any) -> None:
    """Raises _Overtaken if the annotation was saved, handed in or taken back since it was read."""
    columns = ("pk", "annotator_id", "version", "state", "submit_operation")
    as_read = {column: getattr(annotation, column) for column in columns}
    if not Annotation.objects.filter(**as_read).update(**values):
        raise _Overtaken


def _keep(annotation: Annotation, save: DraftSave, now: datetime) -> None:
    """Make a save the annotation's draft. Raises _Overtaken as `_write` does."""
    operation = annotation.submit_operation
    as_read = {column: getattr(annotation, column) for column in ("pk", "annotator_id", "version", "state")}
    written = {"now": now, "new_version": save.version, "draft": save.pk}
    if operation is None:
        kept = _KEEP_NEW.run(**as_read, **written)
    else:
        kept = _KEEP_RETURNED.run(**as_read, **written, operation=operation)
    if not kept:
        raise _Overtaken


def _keeping(*, now: datetime, new_version: int, draft: int, operation: UUID | None = None, **as_read: Any):
    found = Annotation.objects.filter(**as_read, submit_operation=operation)
    return found, {"version": new_version, "saved_at": now, "draft_id": draft}


_AS_READ: dict[str, type] = {"pk": int, "annotator_id": int, "version": int, "state": str}
_WRITTEN: dict[str, type] = {"now": datetime, "new_version": int, "draft": int}
_KEEP_NEW = PreparedUpdate(_keeping, **_AS_READ, **_WRITTEN)
# Of what was handed in before.
_KEEP_RETURNED = PreparedUpdate(_keeping, **_AS_READ, **_WRITTEN, operation=UUID)


def _set(annotation: Annotation, **values: Any) -> None:
    for name, value in values.items():
        setattr(annotation, name, value)


def _lock(annotation: Annotation) -> None:
    # Whoever saves or decides in this instant waits here for us.
    if not lock(Annotation.objects.filter(pk=annotation.pk)):
        raise Refusal(
            "Not saved: this draft was given up in another tab. What you typed is still in the form.", status=404
        )
    annotation.refresh_from_db()


def _save_or_refuse(annotation: Annotation, annotator: User, sent: _Sent) -> SaveResult:
    """What becomes of a save that did not simply fit. The annotation is locked."""
    earlier = DraftSave.objects.filter(operation=sent.operation).first()
    if earlier and earlier.annotation_id != annotation.pk:
        raise Refusal("Not saved: this save was meant for another tag. Reload the page and try again.", status=400)
    if earlier and not differing_fields(earlier.content, sent.content):
        return _first_answer(earlier, annotation, annotator)
    if earlier:  # an old copy of the page, from the browser's history: other text is another save
        sent = replace(sent, operation=uuid4())
    _refuse_closed(annotation)
    stored = content_of(annotation)
    if sent.base_version == annotation.version or not differing_fields(stored, sent.content):
        return _save_on_top(annotation, annotator, replace(sent, base_version=annotation.version))
    DraftSave.objects.create(
        annotation=annotation,
        operation=sent.operation,
        tab=sent.tab,
        base_version=sent.base_version,
        content=sent.content,
    )
    _prune_refused(annotation)
    return SaveResult(False, annotation.version, stored, Standing.HELD)


def _first_answer(earlier: DraftSave, annotation: Annotation, annotator: User) -> SaveResult:
    if earlier.version is None:
        return SaveResult(False, annotation.version, content_of(annotation), Standing.HELD)
    standing = renew_lease(annotation=annotation, annotator=annotator)
    return SaveResult(True, earlier.version, earlier.content, standing)


def merge_stale(*, annotation: Annotation, content: Content, base_version: int, theirs: Content) -> Merge:
    """A stale save of `content` merged with `theirs`, which the server now has.

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


def submit_annotation(
    *, annotation: Annotation, annotator: User, content: object, base_version: int, operation: UUID, tab: str = ""
) -> SubmitResult:
    """Save the form and, if there are no problems, submit it for review.

    Whatever comes of it, the text is saved. The same `operation` again gets the first answer. Raises Refusal as
    `save_draft` does, and when the tag went to others while the page was closed and needs no annotation more.
    """
    annotation.check_own(annotator)
    sent = _Sent(clean_content(content), base_version, operation, tab[:64])
    problems = find_problems(sent.content)
    if not problems:
        try:
            return _hand_in(annotation, annotator, sent)
        except _Overtaken:
            annotation.refresh_from_db()
    if annotation.submit_operation == operation:
        return SubmitResult(True, SaveResult(True, annotation.version, content_of(annotation), Standing.CLOSED))
    saved = _save(annotation, annotator, sent)
    if not saved.is_saved or problems:
        return SubmitResult(False, saved, problems if saved.is_saved else [])
    try:
        return _hand_in(annotation, annotator, replace(sent, base_version=saved.version))
    except _Overtaken as error:
        raise Refusal(LOST_MESSAGES[saved.standing]) from error


def _hand_in(annotation: Annotation, annotator: User, sent: _Sent) -> SubmitResult:
    """Save what differs, write the rows and close the assignment, all in one transaction.

    Raises _Overtaken, having written nothing, where the annotation is not as it was read, where the operation is not
    new, and where the annotator has no assignment of the tag.
    """
    is_as_read = annotation.is_writable and annotation.version == sent.base_version
    if not is_as_read or annotation.submit_operation == sent.operation:
        raise _Overtaken
    before, state, now = content_of(annotation), annotation.state, timezone.now()
    content = in_order_of_choosing(before, sent.content)
    complete, moved = finished(content), moved_questions(before, content)
    is_new = bool(differing_fields(before, content))
    version = annotation.version + is_new
    save = _accepted(annotation, sent, content, version)
    values = columns_of(complete) | {
        "state": AnnotationState.SUBMITTED,
        "submitted_at": now,
        "submit_operation": sent.operation,
        "machine_made": machine_made(annotation, complete),
        "version": version,
        "saved_at": now if is_new else annotation.saved_at,
        "draft": None,
    }
    try:
        with transaction.atomic():
            if is_new:
                insert_new(save)
            _write(annotation, **values)
            follow_questions(annotation, moved)
            _close_assignment(annotation, annotator, now)
            write_rows(annotation, complete)
            Event.record(
                AnnotationAction.SUBMITTED,
                annotation,
                actor=annotator,
                before={"state": state},
                after={"state": AnnotationState.SUBMITTED, "version": version},
            )
    except IntegrityError as error:
        raise _Overtaken from error
    _set(annotation, **values)
    return SubmitResult(True, SaveResult(True, version, content, Standing.HELD))


def _close_assignment(annotation: Annotation, annotator: User, now: datetime) -> None:
    own = {"tag": annotation.tag_id, "person": annotator.pk}
    if CLOSE.run(**own, now=now):
        return
    renew_lease(annotation=annotation, annotator=annotator)
    if not CLOSE.run(**own, now=now):
        raise _Overtaken


LOST_MESSAGES = {
    Standing.LOST: (
        "Not submitted: while this page was closed the tag went back to the queue, and other annotators have "
        "taken it. Your draft is saved and stays under “My work”; you can submit it if the tag becomes free again."
    ),
    Standing.WAITING: (
        "Not submitted: you asked about this tag, and it waits for the answer. Your draft is saved; “Go on without "
        "the answer” makes it yours again."
    ),
    Standing.FLAGGED: (
        "Not submitted: the tag is flagged and waits for an admin. Your draft is saved and stays under “My work”."
    ),
    Standing.SKIPPED: (
        "Not submitted: you skipped this tag, or an admin took it back. Your draft is saved; under “My work” you can "
        "work on it after all."
    ),
    Standing.SEEN: (
        "Not submitted: you have seen another annotation of this tag, so yours would not be blind to it. Your draft "
        "is saved and stays under “My work”."
    ),
    Standing.CLOSED: "Not submitted: this annotation has been submitted already, in another tab or window.",
    Standing.HELD: "Not submitted: this annotation was changed elsewhere at the same moment. Reload the page.",
}


@transaction.atomic
def reopen_annotation(*, annotation: Annotation, annotator: User) -> None:
    """Let annotators take back their annotation while nothing is decided; the assignment stays with them.

    Raises Refusal if a reviewer got there first, if another annotation of the tag was chosen, or if this person has
    seen another one: after a decision that was then reconsidered, for example.
    """
    annotation.check_own(annotator)
    if annotation.is_passed_over():
        raise Refusal(
            "A reviewer chose another annotation of this tag, so this one can no longer be taken back. Nothing was "
            "changed."
        )
    if has_seen(annotation.tag, annotator):
        raise Refusal(
            "You have seen another annotation of this tag, so you can no longer take yours back to change it. A "
            "reviewer can return it to you. Nothing was changed."
        )
    keep_first_submission(annotation)
    submitted = [AnnotationState.SUBMITTED]
    _move(annotation, annotator, AnnotationAction.TOOK_BACK, submitted, AnnotationState.DRAFT, submitted_at=None)
    _reopen_assignment(annotation)


@transaction.atomic
def accept_annotation(*, annotation: Annotation, reviewer: User, seen_version: int | None = None) -> None:
    """Accept what was submitted. `seen_version` is the version that the reviewer's page showed.

    Raises Refusal if the reviewer wrote it, if it is no longer waiting or has changed since it was shown, or if
    another annotation of the tag has been accepted.
    """
    try:
        with transaction.atomic():
            _review(annotation, reviewer, AnnotationAction.ACCEPTED, AnnotationState.ACCEPTED, seen_version)
    except IntegrityError as error:
        raise Refusal(
            "Not accepted: another annotation of this tag is accepted already, and only one can be. Exclude this "
            "one, or reconsider the other first."
        ) from error


@transaction.atomic
def return_annotation(
    *, annotation: Annotation, reviewer: User, message: str, seen_version: int | None = None
) -> None:
    """Return it to its writer with a message, which is shown at the top of the reopened form.

    Raises Refusal as `accept_annotation` does, and also if there is no message or the annotation was imported and so
    has no writer here.
    """
    if annotation.annotator_id is None:
        raise Refusal("An imported annotation has no annotator to return it to. Accept or exclude it.")
    message = required_text(message, "Say what the annotator should change. Nothing was changed.")
    keep_first_submission(annotation)
    _review(annotation, reviewer, AnnotationAction.RETURNED, AnnotationState.RETURNED, seen_version, message)
    note_return(annotation)
    _reopen_assignment(annotation)


@transaction.atomic
def exclude_annotation(
    *, annotation: Annotation, reviewer: User, reason: str, seen_version: int | None = None
) -> None:
    """Set it aside for good, with the reason. Raises Refusal as `accept_annotation` does, and if there is no
    reason."""
    reason = required_text(reason, "Say why it is excluded. Nothing was changed.")
    _review(annotation, reviewer, AnnotationAction.EXCLUDED, AnnotationState.EXCLUDED, seen_version, reason)


@transaction.atomic
def reconsider_annotation(*, annotation: Annotation, reviewer: User, reason: str) -> None:
    """Put an accepted or excluded annotation back among those waiting for review.

    Releases are not affected. Raises Refusal if there is no reason, or if the reviewer wrote the annotation.
    """
    reason = required_text(reason, "Say why you are reconsidering it. Nothing was changed.")
    decided = [AnnotationState.ACCEPTED, AnnotationState.EXCLUDED]
    _refuse_own(annotation, reviewer)
    _move(
        annotation,
        reviewer,
        AnnotationAction.RECONSIDERED,
        decided,
        AnnotationState.SUBMITTED,
        reason,
        reviewed_by=None,
        reviewed_at=None,
        review_message="",
    )


def _review(
    annotation: Annotation,
    reviewer: User,
    action: AnnotationAction,
    state: AnnotationState,
    seen_version: int | None,
    message: str = "",
) -> None:
    _refuse_own(annotation, reviewer)
    if seen_version is not None:
        # Locks the row, so that the version cannot change between this check and the update.
        lock(Annotation.objects.filter(pk=annotation.pk))
        if Annotation.objects.filter(pk=annotation.pk).exclude(version=seen_version).exists():
            raise Refusal(
                "The annotator changed this annotation since you opened it. Read it again; nothing was changed."
            )
    _move(
        annotation,
        reviewer,
        action,
        [AnnotationState.SUBMITTED],
        state,
        message,
        reviewed_by=reviewer,
        reviewed_at=timezone.now(),
        review_message=message,
    )


def _move(
    annotation: Annotation,
    actor: User,
    action: AnnotationAction,
    from_states: list[AnnotationState],
    to_state: AnnotationState,
    message: str = "",
    **changes,
) -> None:
    before = annotation.state
    moved = Annotation.objects.filter(pk=annotation.pk, state__in=from_states).update(state=to_state, **changes)
    if not moved:
        annotation.refresh_from_db()
        raise Refusal(
            f"Nothing was changed: this annotation is now “{annotation.get_state_display()}”. Reload the page to "
            "see where it stands."
        )
    annotation.refresh_from_db()
    Event.record(
        action, annotation, actor=actor, before={"state": before}, after={"state": to_state}, message=message
    )


def _reopen_assignment(annotation: Annotation) -> None:
    """Reopen the writer's assignment, without a lease: what was once submitted waits for its writer."""
    Assignment.objects.filter(tag=annotation.tag_id, annotator=annotation.annotator_id, done_at__isnull=False).update(
        done_at=None, lease_expires_at=None
    )


def _refuse_own(annotation: Annotation, reviewer: User) -> None:
    if annotation.annotator_id == reviewer.pk:
        raise Forbidden("You wrote this annotation, so another person has to review it. Nothing was changed.")


def _refuse_closed(annotation: Annotation) -> None:
    if not annotation.is_writable:
        raise Refusal(
            f"Not saved: this annotation is now “{annotation.get_state_display()}”, so it cannot be changed here. "
            "What you typed is still in the form."
        )
