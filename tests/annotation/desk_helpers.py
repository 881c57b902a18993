"""Helpers of the tests of the desk: a form that may be submitted, and short ways to save and submit it."""

from uuid import uuid4

from django.urls import reverse

from annotation.content.fields import Content, empty_content
from annotation.desk.assignments.assignment import claim_next_tag
from annotation.desk.drafts.drafts import SaveResult, save_draft
from annotation.desk.drafts.submission import SubmitResult, submit_annotation
from annotation.models import Annotation, Assignment
from core.models import User


def complete_content(**changes) -> Content:
    """A valid annotation that lacks nothing; `changes` by field name."""
    content = empty_content() | {
        "wikitag_label_valid": "Valid",
        "wikitag_label_samepassage": "Different",
        "paragraphA_article": "Harbour Bridge",
        "paragraphA_information": "It opened in 1903 to great applause.",
        "paragraphA_information_standalone": "The Harbour Bridge opened in 1903 to great applause.",
        "paragraphB_article": "Harbour Bridge",
        "paragraphB_information": "The first cars crossed it in 1899.",
        "paragraphB_information_standalone": "The first cars crossed the Harbour Bridge in 1899.",
        "relevantInfo_comment_A": "the bridge opened in 1903",
        "relevantInfo_comment_A_Span": "opened in 1903",
        "relevantInfo_comment_B": "cars crossed it in 1899",
        "relevantInfo_comment_B_Span": "in 1899",
        "Contradict type I": ["DATE"],
        "Contradict type II": ["TT"],
        "Contradict type III": ["SAME"],
        "Contradict type IV": ["IMP"],
        "question1": "Was the Harbour Bridge in use in 1900?",
        "question1_answer1": "No",
        "question1_answer2": "Yes",
        "confidence": "5",
    }
    assert content.keys() >= changes.keys()
    return content | changes


def invalid_content(**changes) -> Content:
    return (
        empty_content()
        | {"wikitag_label_valid": "Invalid", "valid_comment": "Both sentences give the same year."}
        | changes
    )


def claim(annotator: User) -> Annotation:
    """The next tag of an annotator for whom there is one."""
    annotation = claim_next_tag(annotator=annotator)
    assert annotation is not None
    return annotation


def save(annotation: Annotation, content: Content, *, base: int | None = None, **more) -> SaveResult:
    annotation.refresh_from_db()
    return save_draft(
        annotation=annotation,
        annotator=_writer(annotation),
        content=content,
        base_version=annotation.version if base is None else base,
        **({"operation": uuid4()} | more),
    )


def submit(
    annotation: Annotation, content: Content | None = None, *, base: int | None = None, **more
) -> SubmitResult:
    annotation.refresh_from_db()
    return submit_annotation(
        annotation=annotation,
        annotator=_writer(annotation),
        content=complete_content() if content is None else content,
        base_version=annotation.version if base is None else base,
        **({"operation": uuid4()} | more),
    )


def _writer(annotation: Annotation) -> User:
    assert annotation.annotator is not None
    return annotation.annotator


def let_lapse(annotation: Annotation) -> None:
    """The page was closed, and the lease's time has passed."""
    assignments = Assignment.objects.unfinished().filter(tag=annotation.tag, annotator=annotation.annotator)
    for assignment in assignments.exclude(lease_expires_at=None):
        assignment.lease_expires_at = assignment.claimed_at
        assignment.save()


def address(name: str, draft: Annotation) -> str:
    """Of a page or a part of the desk, such as "save"."""
    return reverse(f"desk_{name}", args=[draft.pk])
