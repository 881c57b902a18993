"""Suggested edits for the text of a field: suggested or withdrawn by a reviewer; taken or declined by the
annotation's writer.
"""

import re
from collections import defaultdict

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.languages import in_sentence, say
from core.models import Event, User
from core.outside import refuse_unstorable
from core.refusals import Forbidden, Refusal
from core.writing.locking import lock

from ..content.fields import FIELDS, Content, clean_content, empty_content, questions_of
from ..content.rows import content_of
from ..models import Annotation, AnnotationAction, AnnotationState, EditState, SuggestedEdit

DECIDED_AS = {EditState.TAKEN: AnnotationAction.TOOK_EDIT, EditState.DECLINED: AnnotationAction.DECLINED_EDIT}


def text_fields(content: Content) -> list[str]:
    """Names of the fields for which a text can be suggested: text fields, and existing questions only."""
    there = len(questions_of(content))
    absent = {f"question{n}{part}" for n in range(there + 1, 11) for part in ("", "_answer1", "_answer2")}
    return [name for name, field in FIELDS.items() if not field.choices and name not in absent]


def edits_of(annotation: Annotation) -> dict[str, list[SuggestedEdit]]:
    """All suggested edits by field, oldest first."""
    by_field: dict[str, list[SuggestedEdit]] = defaultdict(list)
    for edit in SuggestedEdit.objects.filter(annotation=annotation).select_related("suggested_by"):
        by_field[edit.field].append(edit)
    return dict(by_field)


def is_open(edit: SuggestedEdit) -> bool:
    return edit.state == EditState.OPEN


def open_edits(annotation: Annotation) -> QuerySet[SuggestedEdit]:
    return SuggestedEdit.objects.filter(annotation=annotation, state=EditState.OPEN)


@transaction.atomic
def suggest_edit(
    *, annotation: Annotation, reviewer: User, field: str, text: str, reason: str = "", seen_version: int
) -> SuggestedEdit:
    """Suggest a new text for a field while the annotation is under review. Suggesting again for the same field
    replaces the reviewer's open suggestion.

    Raises Refusal if the reviewer wrote the annotation, if it is not waiting or was changed since it was shown, for a
    field without text, or if nothing would change.
    """
    _lock(annotation)
    if annotation.annotator_id is None:
        raise Refusal(
            say("An imported annotation has no annotator who could take a suggestion. Nothing was changed.")
        )
    if annotation.annotator_id == reviewer.pk:
        raise Forbidden(
            say("You wrote this annotation, so only others can suggest edits to it. Nothing was changed.")
        )
    if annotation.state != AnnotationState.SUBMITTED:
        raise Refusal(
            say("This annotation is now “{state}”. Nothing was suggested.", state=annotation.get_state_display())
        )
    if annotation.version != seen_version:
        raise Refusal(
            say("The annotator changed this annotation since you opened it. Read it again; nothing was changed.")
        )
    content = content_of(annotation)
    if field not in text_fields(content):
        raise Refusal(say("There is no such field with text. Nothing was suggested."), status=400)
    text = clean_content(empty_content() | {field: text})[field].strip()
    if text == content[field].strip():
        raise Refusal(say("The field already has this text. Nothing was suggested."), status=400)
    refuse_unstorable(reason)
    values = {"before": content[field], "text": text, "reason": reason.strip(), "suggested_at": timezone.now()}
    edit = SuggestedEdit.objects.update_or_create(
        annotation=annotation, field=field, suggested_by=reviewer, state=EditState.OPEN, defaults=values
    )[0]
    after = {"field": FIELDS[field].label, "text": text}
    Event.record(AnnotationAction.SUGGESTED_EDIT, annotation, actor=reviewer, after=after, message=edit.reason)
    return edit


@transaction.atomic
def withdraw_edit(*, edit: SuggestedEdit, reviewer: User) -> None:
    """Withdraw the reviewer's own suggestion. Raises Refusal if the annotation is no longer under review."""
    if edit.suggested_by_id != reviewer.pk:
        raise Forbidden(say("Another reviewer suggested this. Nothing was changed."))
    _lock(edit.annotation)
    waits = edit.annotation.state == AnnotationState.SUBMITTED
    if not waits or not open_edits(edit.annotation).filter(pk=edit.pk).delete()[0]:
        raise Refusal(say("The annotator already has this suggestion. Nothing was changed."))
    before = {"field": FIELDS[edit.field].label, "text": edit.text}
    Event.record(AnnotationAction.WITHDREW_EDIT, edit.annotation, actor=reviewer, before=before)


@transaction.atomic
def decide_edit(*, edit: SuggestedEdit, annotator: User, state: EditState) -> None:
    """Record that the writer took or declined a suggestion. To take it, the draft is saved first as usual: it counts
    only if the field then reads as suggested. Repeating the call changes nothing.

    Raises Refusal if this person may not write the annotation, or the saved field differs from the suggestion.
    """
    annotation = edit.annotation
    annotation.check_own(annotator)
    _lock(annotation)
    edit.refresh_from_db()
    if edit.state == state:
        return
    if edit.state != EditState.OPEN:
        raise Refusal(
            say(
                "This suggestion is already {state}. Nothing was changed.",
                state=in_sentence(edit.get_state_display()),
            )
        )
    annotation.check_writable()
    if state == EditState.TAKEN and not _reads_so(content_of(annotation), edit):
        raise Refusal(
            say("The saved draft does not have the suggested text. Save it first; the suggestion stays open.")
        )
    edit.state, edit.decided_at = state, timezone.now()
    edit.save(update_fields=["state", "decided_at"])
    Event.record(
        DECIDED_AS[state],
        annotation,
        actor=annotator,
        after={"field": FIELDS[edit.field].label, "text": edit.text, "suggested_by": str(edit.suggested_by)},
    )


def _reads_so(content: Content, edit: SuggestedEdit) -> bool:
    """Return whether the field reads as suggested; a question may have moved since."""
    kind = re.sub(r"^question\d+", "question#", edit.field)
    alike = [name for name in FIELDS if re.sub(r"^question\d+", "question#", name) == kind]
    return any(content[name].strip() == edit.text for name in alike)


def _lock(annotation: Annotation) -> None:
    # Another save or decision at the same moment waits here for us.
    lock(Annotation.objects.filter(pk=annotation.pk))
    annotation.refresh_from_db()
