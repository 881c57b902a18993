"""The pages of a practice run: the desk's own templates, filled from an attempt."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from ..content.checks import Problem
from ..content.fields import STEPS, Content, empty_content
from ..desk.drafts.forms import desk_context
from ..evidence.pane import Part, Shown
from ..guideline.versions import beside, latest_version
from ..models import PracticeAttempt, PracticeTag
from .attempts import kinds_of, offered_to, pages_of
from .comparing import ComparedStep, compare_step, needed_steps

# The desk's form has to name an operation. Here the same text sent again is one save in any case.
NO_OPERATION = UUID(int=0x4000_8000_0000_0000_0000)


def shown_tab(practice_tag: PracticeTag, kind: str) -> Shown | None:
    """One tab of the reading pane; None if there is none of this kind."""
    pages = [page for page in pages_of(practice_tag) if page["kind"] == kind]
    if not pages:
        return None
    # With what the templates read of the evidence that each is a copy of.
    copies: list[Any] = [
        SimpleNamespace(**page, is_copy=True, details={"tag_found": True, "notes": []}) for page in pages
    ]
    return Shown(kind, pages[0]["label"], [Part(each.title, each) for each in copies])


def pane_of(attempt: PracticeAttempt) -> dict[str, Any]:
    """The context of the reading pane's templates."""
    practice_tag = attempt.practice_tag
    labels = {page["kind"]: page["label"] for page in practice_tag.pages}
    kinds = kinds_of(practice_tag)
    return {
        "tag": practice_tag.as_tag(),
        "pane_tabs": [(kind, labels[kind]) for kind in kinds],
        "article": shown_tab(practice_tag, kinds[0]),
        "asks_for_evidence": False,
        "pane_address": "practice_page",
        "pane_of": attempt.pk,
    }


def practice_desk(
    attempt: PracticeAttempt, content: Content, problems: Sequence[Problem] = (), *, questions: int = 1
) -> dict[str, Any]:
    """The context of the form's templates, with the compared steps beside their reference."""
    compared = {int(step): compared_step(attempt, int(step), content) for step in attempt.first}
    context = desk_context(content, problems, questions=questions)
    context["open_steps"] |= compared.keys()
    return context | {
        "annotation": attempt,
        "attempt": attempt,
        "sources": attempt.sources,
        "edits": {},
        "seconds": attempt.seconds,
        "operation": NO_OPERATION,
        "is_new_here": True,
        "guideline": beside(latest_version()),
        "untouched": {},
        "compared": compared,
        "save_address": "practice_save",
        "compare_address": "practice_compare",
    }


def compared_step(attempt: PracticeAttempt, step: int, content: Content) -> ComparedStep:
    practice_tag = attempt.practice_tag
    reference = empty_content() | practice_tag.reference
    return compare_step(step, content, reference, practice_tag.why.get(str(step), ""))


def result_of(attempt: PracticeAttempt) -> dict[str, Any]:
    """All steps of a finished attempt beside the reference."""
    content = empty_content() | attempt.content
    steps = needed_steps(empty_content() | attempt.practice_tag.reference)
    return {
        "attempt": attempt,
        "steps": [compared_step(attempt, step, content) for step in steps],
        "left_out": [STEPS[step] for step in STEPS if step not in steps],
    }


@dataclass(frozen=True, slots=True)
class Offer:
    """A practice tag in a person's list."""

    tag: PracticeTag
    attempts: list[PracticeAttempt]

    @property
    def open(self) -> PracticeAttempt | None:
        return next((attempt for attempt in self.attempts if attempt.finished_at is None), None)

    @property
    def finished(self) -> list[PracticeAttempt]:
        return [attempt for attempt in self.attempts if attempt.finished_at is not None]


def offers_for(person: Any) -> list[Offer]:
    """The practice tags for this person, in order, with their results so far."""
    own: dict[int, list[PracticeAttempt]] = {}
    for attempt in PracticeAttempt.objects.filter(person=person).defer("content", "sources").order_by("number"):
        own.setdefault(attempt.practice_tag_id, []).append(attempt)
    tags = offered_to(person).defer("pages", "reference", "why")
    return [Offer(tag, own.get(tag.pk, [])) for tag in tags]


def next_offer(offers: list[Offer]) -> Offer | None:
    """The first unfinished one; None if all are finished."""
    return next((offer for offer in offers if not offer.finished), None)
