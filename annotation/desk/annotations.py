"""What becomes of an annotation: save a draft, submit, take back; accept, return, exclude, reconsider.

`content` is the form as `content.py` has it; the rows are the truth, and a save writes only those that changed.
"""

from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.models import Event, User
from core.outside import required_text
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
    merge_contents,
    moved_questions,
)
from ..content.rows import ANNOTATION_COLUMNS, content_of, write_content
from ..models import Annotation, AnnotationAction, AnnotationState, Assignment, DraftSave
from .assignment import Standing, renew_lease
from .comments import follow_questions

# Accepted saves kept of each draft, to look back at; refused ones may be the only copy, and are kept longer.
KEPT_SAVES = 20
KEPT_REFUSED = 50
WRITTEN = [*ANNOTATION_COLUMNS.values(), "confidence", "origin_confirmed", "version", "saved_at"]


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What became of a save. `version` and `content` are those that the server now holds."""

    is_saved: bool
    version: int
    content: Content
    standing: Standing


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """What became of a submission: done, or the problems to mend, or (not saved) the newer copy in its way."""

    is_submitted: bool
    save: SaveResult
    problems: list[Problem] = field(default_factory=list)


def save_draft(
    *, annotation: Annotation, annotator: User, content: object, base_version: int, operation: UUID, tab: str = ""
) -> SaveResult:
    """Save the form as it stands, on top of the version that it started from.

    A save from a stale copy changes nothing: its text is kept as a refused `DraftSave`, and the result holds what the
    server has. The same `operation` with the same text again gets the first answer. What was written is saved
    whoever has the tag now. Raises Refusal when the text cannot be stored, or when the annotation is not open to its
    writer any more.
    """
    cleaned = clean_content(content)
    with transaction.atomic():
        annotation.check_own(annotator)
        return _save(annotation, annotator, cleaned, base_version, operation, tab[:64])


def _save(
    annotation: Annotation, annotator: User, content: Content, base_version: int, operation: UUID, tab: str
) -> SaveResult:
    # Whoever saves the same draft in this instant waits here for us.
    lock(Annotation.objects.filter(pk=annotation.pk))
    annotation.refresh_from_db()
    earlier = DraftSave.objects.filter(operation=operation).first()
    if earlier and earlier.annotation_id != annotation.pk:
        raise Refusal("Not saved: this save was meant for another tag. Reload the page and try again.", status=400)
    if earlier and not differing_fields(earlier.content, content):
        return _first_answer(earlier, annotation, annotator)
    if earlier:  # an old copy of the page, from the browser's history: other text is another save
        operation = uuid4()
    _refuse_closed(annotation)
    stored = content_of(annotation)
    is_stale = base_version != annotation.version
    differing = differing_fields(stored, content)
    if is_stale and differing:
        DraftSave.objects.create(
            annotation=annotation, operation=operation, tab=tab, base_version=base_version, content=content
        )
        _prune(annotation, refused=True, kept=KEPT_REFUSED)
        return SaveResult(False, annotation.version, stored, Standing.HELD)
    if differing:
        write_content(annotation, content, differing)
        follow_questions(annotation, moved_questions(stored, content))
        annotation.version += 1
        annotation.saved_at = timezone.now()
        annotation.save(update_fields=WRITTEN)
        DraftSave.objects.create(
            annotation=annotation,
            operation=operation,
            tab=tab,
            base_version=base_version,
            version=annotation.version,
            content=content,
        )
        if annotation.version % 10 == 0:  # it costs a query
            _prune(annotation, refused=False, kept=KEPT_SAVES)
    standing = renew_lease(annotation=annotation, annotator=annotator)
    return SaveResult(True, annotation.version, content, standing)


def _first_answer(earlier: DraftSave, annotation: Annotation, annotator: User) -> SaveResult:
    if earlier.version is None:
        return SaveResult(False, annotation.version, content_of(annotation), Standing.HELD)
    standing = renew_lease(annotation=annotation, annotator=annotator)
    return SaveResult(True, earlier.version, earlier.content, standing)


def merge_stale(*, annotation: Annotation, content: Content, base_version: int, theirs: Content) -> Merge:
    """What a stale save of `content` can be merged to with `theirs`, which the server now holds.

    Where the version that it started from is no longer kept, every field that differs clashes.
    """
    saves = DraftSave.objects.filter(annotation=annotation, version=base_version)
    base = empty_content() if base_version == 0 else saves.values_list("content", flat=True).first()
    return merge_contents(base=base and empty_content() | base, mine=content, theirs=theirs)


def _prune(annotation: Annotation, *, refused: bool, kept: int) -> None:
    saves = DraftSave.objects.filter(annotation=annotation, version__isnull=refused)
    newest = list(saves.order_by("-pk").values_list("pk", flat=True)[:kept])
    if len(newest) == kept:
        saves.filter(pk__lt=newest[-1]).delete()


def submit_annotation(
    *, annotation: Annotation, annotator: User, content: object, base_version: int, operation: UUID, tab: str = ""
) -> SubmitResult:
    """Save the form and, when nothing is amiss, hand it in for review.

    Whatever comes of it, the text is saved first. The same `operation` again gets the first answer. Raises Refusal as
    `save_draft` does, and when the tag went to others while the page was closed and needs no annotation more.
    """
    cleaned = clean_content(content)
    if _is_repeated(annotation, annotator, operation):
        stored = content_of(annotation)
        return SubmitResult(True, SaveResult(True, annotation.version, stored, Standing.CLOSED))
    saved = save_draft(
        annotation=annotation,
        annotator=annotator,
        content=cleaned,
        base_version=base_version,
        operation=operation,
        tab=tab,
    )
    if not saved.is_saved:
        return SubmitResult(False, saved)
    problems = find_problems(saved.content)
    if problems:
        return SubmitResult(False, saved, problems)
    with transaction.atomic():
        _hand_in(annotation, annotator, saved, operation)
    return SubmitResult(True, saved)


def _is_repeated(annotation: Annotation, annotator: User, operation: UUID) -> bool:
    annotation.check_own(annotator)
    return Annotation.objects.filter(pk=annotation.pk, submit_operation=operation).exists()


def _hand_in(annotation: Annotation, annotator: User, saved: SaveResult, operation: UUID) -> None:
    before, now = annotation.state, timezone.now()
    handed_in = Annotation.objects.filter(
        pk=annotation.pk, version=saved.version, state__in=AnnotationState.writable()
    ).update(state=AnnotationState.SUBMITTED, submitted_at=now, submit_operation=operation)
    if not handed_in:
        raise Refusal("Not submitted: this annotation was changed elsewhere in this instant. Reload the page.")
    standing = renew_lease(annotation=annotation, annotator=annotator)
    assignment = Assignment.objects.unfinished().filter(tag=annotation.tag_id, annotator=annotator, asked_at=None)
    if not assignment.update(done_at=now, lease_expires_at=None):
        raise Refusal(LOST_MESSAGES.get(standing, LOST_MESSAGES[Standing.LOST]))
    annotation.refresh_from_db()
    complete = finished(saved.content)
    write_content(annotation, complete, differing_fields(saved.content, complete))
    annotation.machine_made = machine_made(annotation, complete)
    annotation.save(update_fields=[*WRITTEN, "machine_made"])
    Event.record(
        AnnotationAction.SUBMITTED,
        annotation,
        actor=annotator,
        before={"state": before},
        after={"state": annotation.state, "version": annotation.version},
    )


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
        "Not submitted: you have seen another annotation of this tag while reviewing, so yours would not be blind "
        "to it. Your draft is saved and stays under “My work”."
    ),
    Standing.CLOSED: "Not submitted: this annotation has been submitted already, in another tab or window.",
}


@transaction.atomic
def reopen_annotation(*, annotation: Annotation, annotator: User) -> None:
    """Take back one's own annotation while nobody has looked at it; the assignment stays with its writer.

    Raises Refusal when a reviewer was quicker.
    """
    annotation.check_own(annotator)
    submitted = [AnnotationState.SUBMITTED]
    _move(annotation, annotator, AnnotationAction.TOOK_BACK, submitted, AnnotationState.DRAFT, submitted_at=None)
    _reopen_assignment(annotation)


@transaction.atomic
def accept_annotation(*, annotation: Annotation, reviewer: User, seen_version: int | None = None) -> None:
    """Accept what was submitted. `seen_version` is the version that the reviewer's page showed.

    Raises Refusal when the reviewer wrote it, when it is not waiting any more or was changed since it was shown, or
    when another annotation of the tag is accepted already.
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
    """Return it to its writer with a message, which stands on top of the reopened form.

    Raises Refusal as `accept_annotation` does, without a message, and for an imported annotation, which has no
    writer here.
    """
    if annotation.annotator_id is None:
        raise Refusal("An imported annotation has no writer here to return it to. Accept or exclude it.")
    message = required_text(message, "Say what the annotator should change. Nothing was changed.")
    _review(annotation, reviewer, AnnotationAction.RETURNED, AnnotationState.RETURNED, seen_version, message)
    _reopen_assignment(annotation)


@transaction.atomic
def exclude_annotation(
    *, annotation: Annotation, reviewer: User, reason: str, seen_version: int | None = None
) -> None:
    """Set it aside for good, with the reason. Raises Refusal as `accept_annotation` does, and without a reason."""
    reason = required_text(reason, "Say why it is excluded. Nothing was changed.")
    _review(annotation, reviewer, AnnotationAction.EXCLUDED, AnnotationState.EXCLUDED, seen_version, reason)


@transaction.atomic
def reconsider_annotation(*, annotation: Annotation, reviewer: User, reason: str) -> None:
    """Put an accepted or excluded annotation back among those that are waiting for review.

    What has been released stays as it was released. Raises Refusal without a reason, or for one's own.
    """
    reason = required_text(reason, "Say why it is looked at again. Nothing was changed.")
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
        # Locks the row, so that the version cannot change between this look and the move.
        lock(Annotation.objects.filter(pk=annotation.pk))
        if Annotation.objects.filter(pk=annotation.pk).exclude(version=seen_version).exists():
            raise Refusal(
                "The annotator changed this annotation since you opened it. Read it again; nothing was done."
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
            f"Nothing was changed: this annotation is “{annotation.get_state_display()}” by now. Reload the page to "
            "see where it stands."
        )
    annotation.refresh_from_db()
    Event.record(
        action, annotation, actor=actor, before={"state": before}, after={"state": to_state}, message=message
    )


def _reopen_assignment(annotation: Annotation) -> None:
    """The writer's assignment is open again, without a lease: what was once submitted waits for its writer."""
    Assignment.objects.filter(tag=annotation.tag_id, annotator=annotation.annotator_id, done_at__isnull=False).update(
        done_at=None, lease_expires_at=None
    )


def _refuse_own(annotation: Annotation, reviewer: User) -> None:
    if annotation.annotator_id == reviewer.pk:
        raise Forbidden("You wrote this annotation, so another person has to review it. Nothing was changed.")


def _refuse_closed(annotation: Annotation) -> None:
    if not annotation.is_writable:
        raise Refusal(
            f"Not saved: this annotation is “{annotation.get_state_display()}” by now, so it cannot be changed here. "
            "What you typed is still in the form."
        )
