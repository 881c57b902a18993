"""Submitting an annotation: its text is saved and, if there are no problems, it goes to review."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.engine.queries.inserts import insert_new
from core.engine.queries.updates import update_as_read
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ...assisting.model_suggestions import machine_made
from ...content.checks import Problem, find_problems, finished
from ...content.fields import FIELDS, clean_content, differing_fields, in_order_of_choosing, moved_questions
from ...content.rows import columns_of, content_of, write_rows
from ...models import Annotation, AnnotationAction, AnnotationState, GuidelineVersion
from ..assignments.assignment import Standing, renew_lease
from ..assignments.holding import CLOSE
from ..comments.comments import follow_questions
from ..review_sample import needs_review, share_of
from .drafts import Overtaken, SaveResult, Sent, row_of_save, save_sent, set_values, unseen_in


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """The result of a submission: done, or the problems to fix, or (not saved) the newer copy that prevents it."""

    is_submitted: bool
    save: SaveResult
    problems: list[Problem] = field(default_factory=list)


def submit_annotation(
    *,
    annotation: Annotation,
    annotator: User,
    content: object,
    base_version: int,
    operation: UUID,
    tab: str = "",
    guideline: int | None = None,
    unseen: Collection[str] = (),
    seen: Collection[str] = (),
) -> SubmitResult:
    """Save the form and, if there are no problems, submit it for review. `guideline` is the version that the page
    showed; it is kept with the annotation. A field that was filled from a draft by rule and that nobody has looked at
    is a problem (`unseen`, `seen`: see `Sent`).

    The text is saved in any case. The same `operation` again gets the first answer. Raises Refusal as `save_draft`
    does, and when the tag went to others while the page was closed and needs no more annotations.
    """
    annotation.check_own(annotator)
    sent = Sent(clean_content(content), base_version, operation, tab[:64], unseen, seen)
    problems = find_problems(sent.content) + _not_looked_at(annotation, sent)
    if not problems:
        try:
            return _submit(annotation, annotator, sent, guideline)
        except Overtaken:
            annotation.refresh_from_db()
    if annotation.submit_operation == operation:
        return SubmitResult(True, SaveResult(True, annotation.version, content_of(annotation), Standing.CLOSED))
    saved = save_sent(annotation, annotator, sent)
    if not saved.is_saved or problems:
        return SubmitResult(False, saved, problems if saved.is_saved else [])
    try:
        return _submit(annotation, annotator, replace(sent, base_version=saved.version), guideline)
    except Overtaken as error:
        raise Refusal(LOST_MESSAGES[saved.standing]) from error


def _not_looked_at(annotation: Annotation, sent: Sent) -> list[Problem]:
    """A problem for each field that was filled from a draft by rule and that nobody has looked at. Only valid tags
    need these fields.
    """
    if sent.content["wikitag_label_valid"] != "Valid":
        return []
    names = unseen_in(annotation, sent)
    return [Problem(name, _unseen_in_words(name), is_unseen=True) for name in names]


def _unseen_in_words(name: str) -> str:
    return say(
        "“{label}” was filled in by the program and has not been looked at. Read it, then submit again.",
        label=FIELDS[name].label,
    )


def _submit(annotation: Annotation, annotator: User, sent: Sent, guideline: int | None) -> SubmitResult:
    """Save the changes, write the rows and close the assignment, all in one transaction.

    Raises Overtaken, having written nothing, where the annotation is not as it was read, where the operation is not
    new, and where the annotator has no assignment of the tag.
    """
    is_as_read = annotation.is_writable and annotation.version == sent.base_version
    if not is_as_read or annotation.submit_operation == sent.operation:
        raise Overtaken
    before, state, now = content_of(annotation), annotation.state, timezone.now()
    content = in_order_of_choosing(before, sent.content)
    complete, moved = finished(content), moved_questions(before, content)
    is_new = bool(differing_fields(before, content))
    version = annotation.version + is_new
    save = row_of_save(annotation, sent, content, version=version)
    values = columns_of(complete) | {
        "state": AnnotationState.SUBMITTED,
        "submitted_at": now,
        "submit_operation": sent.operation,
        "machine_made": machine_made(annotation, complete),
        "version": version,
        "saved_at": now if is_new else annotation.saved_at,
        "draft_id": None,
        "guideline_id": _published(guideline),
        "needs_review": needs_review(annotation, percent=_percent(annotation)),
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
        raise Overtaken from error
    set_values(annotation, **values)
    return SubmitResult(True, SaveResult(True, version, content, Standing.HELD))


def _percent(annotation: Annotation) -> int:
    loaded = annotation.review_percent
    return share_of(annotation.annotator) if loaded is None else loaded


def _published(guideline: int | None) -> int | None:
    """The version, if there is such a one; None, "not known", for any other number."""
    if guideline is None or not GuidelineVersion.objects.filter(number=guideline).exists():
        return None
    return guideline


def _write(annotation: Annotation, **values: Any) -> None:
    """Write the submission. Raises Overtaken if the annotation was saved, submitted or taken back since it was
    read.
    """
    if not update_as_read(annotation, "annotator_id", "version", "state", "submit_operation", **values):
        raise Overtaken


def _close_assignment(annotation: Annotation, annotator: User, now: datetime) -> None:
    own = {"tag": annotation.tag_id, "person": annotator.pk}
    if CLOSE.run(**own, now=now):
        return
    renew_lease(annotation=annotation, annotator=annotator)
    if not CLOSE.run(**own, now=now):
        raise Overtaken


LOST_MESSAGES = {
    Standing.LOST: (
        say(
            "Not submitted: while this page was closed the tag went back to the queue, and other annotators have "
            "taken it. Your draft is saved and stays under “My work”; you can submit it if the tag becomes free "
            "again."
        )
    ),
    Standing.WAITING: (
        say(
            "Not submitted: you asked about this tag, and it is waiting for the answer. Your draft is saved; "
            "“Continue without the answer” makes it yours again."
        )
    ),
    Standing.FLAGGED: (
        say(
            "Not submitted: the tag is flagged and waiting for an admin. Your draft is saved and stays under “My "
            "work”."
        )
    ),
    Standing.SKIPPED: (
        say(
            "Not submitted: you skipped this tag, or an admin took it back. Your draft is saved; under “My work” "
            "you can resume it."
        )
    ),
    Standing.SEEN: (
        say(
            "Not submitted: you have seen another annotation of this tag, so yours would not be independent of it. "
            "Your draft "
            "is saved and stays under “My work”."
        )
    ),
    Standing.CLOSED: say("Not submitted: this annotation has already been submitted, in another tab or window."),
    Standing.HELD: say("Not submitted: this annotation was changed elsewhere at the same moment. Reload the page."),
}
