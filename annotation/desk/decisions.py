"""Decisions about a submitted annotation: taken back, accepted, returned, excluded, reconsidered, undone."""

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from core.languages import say
from core.models import Event, User
from core.outside import required_text
from core.refusals import Forbidden, Refusal
from core.webhooks.outbox import announce
from core.writing.locking import lock

from ..models import Annotation, AnnotationAction, AnnotationState, Assignment
from ..models.hooks import ANNOTATION_RETURNED
from .assignments.assignment import hand_back, has_seen, still_annotates
from .first_submission import keep_first_submission, note_return
from .mail_outbox import mail_return
from .review_sample import is_too_late_to_take_back


@transaction.atomic
def reopen_annotation(*, annotation: Annotation, annotator: User, following: Annotation | None = None) -> None:
    """Let annotators take back a submission while nothing is decided; they keep the assignment. The tag that they got
    next (`following`) goes back to the queue if they have not begun it and no admin gave it to them.

    Raises Refusal if a reviewer got there first, if only a sample is reviewed and the submission is older than an
    hour, if another annotation of the tag was chosen, if this person has
    seen another one (after a decision that was then reconsidered, for example), or if their account was closed.
    """
    annotation.check_own(annotator)
    if not still_annotates(annotator):
        raise Refusal(
            say(
                "This account was closed, or no longer has the role of annotator, so nothing can be taken back with "
                "it. Nothing was changed."
            )
        )
    # Another of the tag could otherwise be accepted, or all be merged, between this look and the change.
    lock(Annotation.objects.filter(tag=annotation.tag_id))
    if annotation.chosen_instead():
        raise Refusal(
            say(
                "A reviewer chose another annotation of this tag, or merged them, so this one can no longer be taken "
                "back. Nothing was changed."
            )
        )
    if has_seen(annotation.tag, annotator):
        raise Refusal(
            say(
                "You have seen another annotation of this tag, so you can no longer take yours back to change it. A "
                "reviewer can return it to you. Nothing was changed."
            )
        )
    if is_too_late_to_take_back(annotation):
        raise Refusal(
            say(
                "A submission can be taken back for an hour, and this one is older. A reviewer can return it to you. "
                "Nothing was changed."
            )
        )
    keep_first_submission(annotation)
    submitted = [AnnotationState.SUBMITTED]
    _move(
        annotation,
        annotator,
        AnnotationAction.TOOK_BACK,
        submitted,
        AnnotationState.DRAFT,
        submitted_at=None,
        needs_review=True,
    )
    _reopen_assignment(annotation)
    if following is not None and following.is_new and following.annotator_id == annotator.pk:
        own = Assignment.objects.unfinished().filter(tag=following.tag_id, annotator=annotator)
        if own.filter(assigned_by=None, lease_expires_at__isnull=False).exists():
            hand_back(annotation=following, annotator=annotator)


@transaction.atomic
def accept_annotation(*, annotation: Annotation, reviewer: User | None, seen_version: int | None = None) -> None:
    """Accept the submitted annotation. `seen_version` is the version that the reviewer's page showed; without a
    reviewer, it is accepted without review, as the draw left it out.

    Raises Refusal if the reviewer wrote it, if it is no longer waiting or has changed since it was shown, if another
    annotation of the tag has been accepted, or if it is a merge of annotations that have changed since.
    """
    _refuse_outdated(annotation)
    try:
        with transaction.atomic():
            if reviewer is None:
                _accept_without_review(annotation)
            else:
                _review(annotation, reviewer, AnnotationAction.ACCEPTED, AnnotationState.ACCEPTED, seen_version)
    except IntegrityError as error:
        raise Refusal(
            say(
                "Not accepted: another annotation of this tag is accepted already, and only one can be. Exclude this "
                "one, or reconsider the other first."
            )
        ) from error


@transaction.atomic
def return_annotation(
    *, annotation: Annotation, reviewer: User, message: str, seen_version: int | None = None
) -> None:
    """Return it to its writer with a message, which is shown at the top of the reopened form.

    Raises Refusal as `accept_annotation` does, and also if there is no message, if the annotation was imported and so
    has no writer here, or if its writer no longer annotates and so could never change it.
    """
    if annotation.is_merge:
        raise Refusal(
            say("A merge has no annotator to return it to. Return one of the annotations that it was made from.")
        )
    if annotation.annotator_id is None:
        raise Refusal(say("An imported annotation has no annotator to return it to. Accept or exclude it."))
    message = required_text(message, say("Say what the annotator should change. Nothing was changed."))
    writer = User.objects.get(pk=annotation.annotator_id)
    if not still_annotates(writer):
        raise Refusal(
            say(
                "{writer} could not change it: the account was closed, or no longer has the role of annotator. "
                "Accept or exclude the annotation, or ask an admin to change that first. Nothing was changed.",
                writer=writer,
            )
        )
    # Another of the tag could otherwise be accepted, or all be merged, between this look and the change.
    lock(Annotation.objects.filter(tag=annotation.tag_id))
    if annotation.chosen_instead():
        raise Refusal(
            say(
                "Another annotation of this tag, or a merge, is accepted. Reconsider that one first; nothing was "
                "changed."
            )
        )
    keep_first_submission(annotation)
    _review(annotation, reviewer, AnnotationAction.RETURNED, AnnotationState.RETURNED, seen_version, message)
    note_return(annotation)
    _reopen_assignment(annotation)
    mail_return(annotation)
    # Neither the tag nor the requested change: the reader may be annotating the same one.
    announce(ANNOTATION_RETURNED, lambda: {"annotator": str(annotation.annotator.username)})  # type: ignore[union-attr]


@transaction.atomic
def exclude_annotation(
    *, annotation: Annotation, reviewer: User, reason: str, seen_version: int | None = None
) -> None:
    """Set it aside for good, with the reason. Raises Refusal as `accept_annotation` does, and if there is no
    reason."""
    reason = required_text(reason, say("Say why it is excluded. Nothing was changed."))
    _review(annotation, reviewer, AnnotationAction.EXCLUDED, AnnotationState.EXCLUDED, seen_version, reason)


@transaction.atomic
def reconsider_annotation(*, annotation: Annotation, reviewer: User, reason: str) -> None:
    """Return an accepted or excluded annotation to those waiting for review.

    Releases are not affected. Raises Refusal if there is no reason, or if the reviewer wrote the annotation.
    """
    reason = required_text(reason, say("Say why you are reconsidering it. Nothing was changed."))
    decided = [AnnotationState.ACCEPTED, AnnotationState.EXCLUDED]
    _refuse_own(annotation, reviewer)
    _move(
        annotation,
        reviewer,
        AnnotationAction.RECONSIDERED,
        decided,
        AnnotationState.SUBMITTED,
        reason,
        needs_review=True,
        reviewed_by=None,
        reviewed_at=None,
        review_message="",
    )


@transaction.atomic
def undo_acceptance(*, annotation: Annotation, reviewer: User) -> None:
    """Return an annotation to those waiting for review, for the reviewer who accepted it. Raises Refusal if it is no
    longer accepted, or if another person accepted it.
    """
    lock(Annotation.objects.filter(pk=annotation.pk))
    if not Annotation.objects.filter(pk=annotation.pk, state=AnnotationState.ACCEPTED, reviewed_by=reviewer).exists():
        raise Refusal(say("This can no longer be undone: it is not accepted by you. Nothing was changed."))
    reconsider_annotation(annotation=annotation, reviewer=reviewer, reason="Undone by the reviewer who accepted it.")


def _accept_without_review(annotation: Annotation) -> None:
    if annotation.needs_review:
        raise Refusal(say("A reviewer has to decide on this annotation. Nothing was changed."))
    action, submitted = AnnotationAction.ACCEPTED_WITHOUT_REVIEW, [AnnotationState.SUBMITTED]
    now = timezone.now()
    _move(annotation, None, action, submitted, AnnotationState.ACCEPTED, only_left_out=True, reviewed_at=now)


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
                say("The annotator changed this annotation since you opened it. Read it again; nothing was changed.")
            )
    _move(
        annotation,
        reviewer,
        action,
        [AnnotationState.SUBMITTED],
        state,
        message,
        needs_review=True,
        reviewed_by=reviewer,
        reviewed_at=timezone.now(),
        review_message=message,
    )


def _move(
    annotation: Annotation,
    actor: User | None,
    action: AnnotationAction,
    from_states: list[AnnotationState],
    to_state: AnnotationState,
    message: str = "",
    *,
    only_left_out: bool = False,
    **changes,
) -> None:
    before = annotation.state
    there = Annotation.objects.filter(pk=annotation.pk, state__in=from_states)
    if only_left_out:
        there = there.filter(needs_review=False)
    moved = there.update(state=to_state, **changes)
    if not moved:
        annotation.refresh_from_db()
        raise Refusal(
            say(
                "Nothing was changed: this annotation is now “{state}”. Reload the page to see its state.",
                state=annotation.get_state_display(),
            )
        )
    annotation.refresh_from_db()
    Event.record(
        action, annotation, actor=actor, before={"state": before}, after={"state": to_state}, message=message
    )


def _reopen_assignment(annotation: Annotation) -> None:
    """Reopen the writer's assignment, without a lease: a submission that was returned waits for its writer."""
    Assignment.objects.filter(tag=annotation.tag_id, annotator=annotation.annotator_id, done_at__isnull=False).update(
        done_at=None, lease_expires_at=None
    )


def has_written(annotation: Annotation, person: User) -> bool:
    """Return whether the person wrote the annotation, or one that it was merged from."""
    if annotation.is_merge:
        return annotation.contributions.filter(original__annotator=person).exists()
    return annotation.annotator_id == person.pk


def _refuse_own(annotation: Annotation, reviewer: User) -> None:
    if has_written(annotation, reviewer):
        raise Forbidden(say("You wrote this annotation, so another person has to review it. Nothing was changed."))


def _refuse_outdated(annotation: Annotation) -> None:
    if not annotation.is_merge:
        return
    lock(Annotation.objects.filter(tag=annotation.tag_id))
    unchanged = Q(version=F("original__version"), original__state=AnnotationState.SUBMITTED)
    if annotation.contributions.filter(original__isnull=False).exclude(unchanged).exists():
        raise Refusal(
            say(
                "One of the annotations in this merge has since changed or been decided on. Merge them again, or "
                "accept one of them. Nothing was changed."
            )
        )
