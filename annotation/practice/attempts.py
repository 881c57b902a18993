"""A person's attempts at practice tags: begin, save, take a passage, compare a step, finish."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.languages import say
from core.models import Event, User
from core.refusals import Refusal
from core.writing.locking import lock

from ..content.checks import Problem, find_problems, finished
from ..content.fields import STEPS, Content, clean_content, differing_fields, empty_content, in_order_of_choosing
from ..desk.drafts.sources import Part, refuse_position, selected_in, with_part
from ..desk.visibility import note_seen
from ..models import Annotation, AnnotationAction, EvidenceKind, PracticeAttempt, PracticeTag
from ..reading.selection import Selected
from .comparing import is_blank, score


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of a save, with the server's current `version` and `content`."""

    is_saved: bool
    version: int
    content: Content
    problems: tuple[Problem, ...] = ()


def offered_to(person: User) -> QuerySet[PracticeTag]:
    """The practice tags that this person may practise on. Tags that they annotate or have annotated themselves are
    excluded, as the reference would show them another person's annotation.
    """
    own = Annotation.objects.filter(annotator=person).order_by().values("tag")
    return PracticeTag.objects.filter(Q(annotation=None) | ~Q(annotation__tag__in=own), is_offered=True)


@transaction.atomic
def begin_attempt(*, practice_tag: PracticeTag, person: User) -> PracticeAttempt:
    """The person's open attempt, or a new one: the first, or the next after the finished ones.

    People who begin will see the reference, so they never get the tag that it belongs to. Raises Refusal if
    the tag is not offered to them.
    """
    lock(User.objects.filter(pk=person.pk))
    if not offered_to(person).filter(pk=practice_tag.pk).exists():
        raise Refusal(say("This tag is no longer offered for practice. Choose another one; nothing was changed."))
    earlier = PracticeAttempt.objects.filter(practice_tag=practice_tag, person=person).order_by("number").last()
    if earlier and earlier.finished_at is None:
        return earlier
    content = empty_content() | {"wikitag_label_samepassage": "Different"} | _named(practice_tag)
    attempt = PracticeAttempt.objects.create(
        practice_tag=practice_tag, person=person, number=earlier.number + 1 if earlier else 1, content=content
    )
    if practice_tag.annotation_id:
        note_seen([practice_tag.annotation_id], reader=person)
    Event.record(AnnotationAction.BEGAN_PRACTICE, attempt, actor=person, after={"practice_tag": practice_tag.title})
    return attempt


def _named(practice_tag: PracticeTag) -> Content:
    others = practice_tag.tag.get("other_articles") or [practice_tag.title]
    return {"paragraphA_article": practice_tag.title, "paragraphB_article": str(others[0])}


@transaction.atomic
def save_attempt(*, attempt: PracticeAttempt, person: User, content: object, base_version: int) -> Saved:
    """Save the form, based on the version it started from. A stale copy is not saved, and the result has the current
    content; sending the same text again is one save.

    Raises Refusal if the text cannot be stored, if the attempt is another person's, or if it is finished.
    """
    return _save(attempt, person, clean_content(content), base_version)


def _save(attempt: PracticeAttempt, person: User, content: Content, base_version: int) -> Saved:
    _hold(attempt, person)
    stored = empty_content() | attempt.content
    if not differing_fields(stored, content):
        return Saved(True, attempt.version, stored)
    if base_version != attempt.version:
        return Saved(False, attempt.version, stored)
    attempt.content = in_order_of_choosing(stored, content)
    attempt.version, attempt.saved_at = attempt.version + 1, timezone.now()
    attempt.save(update_fields=["content", "version", "saved_at"])
    return Saved(True, attempt.version, attempt.content)


def _hold(attempt: PracticeAttempt, person: User) -> None:
    """Lock the attempt and reload it."""
    if not lock(PracticeAttempt.objects.filter(pk=attempt.pk, person=person)):
        raise Refusal(say("This practice run is another person's. Nothing was changed."), status=403)
    attempt.refresh_from_db(fields=["content", "sources", "version", "first", "finished_at"])
    if attempt.finished_at is not None:
        raise Refusal(
            say("You have finished this attempt, so it can no longer change. You can practise on the tag again.")
        )


@transaction.atomic
def compare_attempt(*, attempt: PracticeAttempt, person: User, step: int) -> None:
    """Show the person how a step, as saved, differs from the reference. The result of the first comparison is kept as
    the score of the step. Raises Refusal if there is nothing in the step to compare.
    """
    if step not in STEPS:
        raise Refusal(say("There are only steps 1 to 6. Nothing was changed."), status=400)
    _hold(attempt, person)
    if is_blank(step, empty_content() | attempt.content):
        raise Refusal(
            say("Step {step} is still empty. Write it first, then compare; nothing was changed.", step=step),
            status=400,
        )
    _score(attempt, [step])


@transaction.atomic
def finish_attempt(*, attempt: PracticeAttempt, person: User, content: object, base_version: int) -> Saved:
    """Save the form and finish the attempt, unless something is missing as it would be in an annotation: then the
    result lists it.
    """
    saved = _save(attempt, person, clean_content(content), base_version)
    if not saved.is_saved:
        return saved
    if problems := find_problems(saved.content):
        return Saved(True, saved.version, saved.content, tuple(problems))
    attempt.content, attempt.finished_at = finished(saved.content), timezone.now()
    _score(attempt, list(STEPS))
    attempt.save(update_fields=["content", "finished_at"])
    after = {"matched": attempt.matched, "of": attempt.of}
    Event.record(AnnotationAction.FINISHED_PRACTICE, attempt, actor=person, after=after)
    return Saved(True, attempt.version, attempt.content)


def _score(attempt: PracticeAttempt, steps: list[int]) -> None:
    reference = empty_content() | attempt.practice_tag.reference
    is_valid = reference["wikitag_label_valid"] != "Invalid"
    new = [step for step in steps if str(step) not in attempt.first and (is_valid or step == 1)]
    if new:
        scores = {str(step): score(step, empty_content() | attempt.content, reference) for step in new}
        attempt.first = attempt.first | scores
        attempt.save(update_fields=["first"])


# --- Passages taken from the pane --------------------------------------------------------------------------------


@transaction.atomic
def take_passage(
    *,
    attempt: PracticeAttempt,
    person: User,
    evidence: int,
    offsets: tuple[int, int] | None,
    words: str,
    position: int,
    is_first: bool,
) -> None:
    """Record that the text between two offsets of a page was selected for passage 1 or 2, as
    `annotation.desk.drafts.sources.select_passage` does. Raises Refusal as that does.
    """
    _hold(attempt, person)
    refuse_position(position)
    html = _page(attempt, evidence)["html"]
    part = Part(evidence, selected_in(html, offsets, words))
    before = [] if is_first else _parts_of(attempt, position)
    _write(attempt, position, with_part(before, part, page=html, position=position))


@transaction.atomic
def set_sources(
    *, attempt: PracticeAttempt, person: User, position: int, parts: Sequence[tuple[int, int, int]]
) -> None:
    """Record the sources of a passage, as `annotation.desk.drafts.sources.set_sources` does."""
    _hold(attempt, person)
    refuse_position(position)
    stretches = [(number, _page(attempt, number)["html"], (start, end)) for number, start, end in parts]
    _write(attempt, position, [Part(number, selected_in(html, at)) for number, html, at in stretches])


def _page(attempt: PracticeAttempt, number: int) -> dict[str, Any]:
    pages = attempt.practice_tag.pages
    if not 1 <= number <= len(pages):
        raise Refusal(say("There is no such page in the reading pane. Reload the desk; nothing is lost."))
    return pages[number - 1]


def _parts_of(attempt: PracticeAttempt, position: int) -> list[Part]:
    own = [each for each in attempt.sources if each["position"] == position]
    return [Part(each["evidence"], Selected(each["text"], each["kind"], each["start"], each["end"])) for each in own]


def _write(attempt: PracticeAttempt, position: int, parts: Sequence[Part]) -> None:
    others = [each for each in attempt.sources if each["position"] != position]
    attempt.sources = others + [_source(part, _page(attempt, part.evidence), position) for part in parts]
    attempt.save(update_fields=["sources"])


def _source(part: Part, page: dict[str, Any], position: int) -> dict[str, Any]:
    return {
        "position": position,
        "evidence": part.evidence,
        "page": page["kind"],
        "title": page["title"],
        "revision": None,
        **asdict(part.selected),
    }


def pages_of(practice_tag: PracticeTag) -> list[dict[str, Any]]:
    """The pages that the reading pane shows, with the numbers by which selections name them."""
    return [{"pk": number, **page} for number, page in enumerate(practice_tag.pages, start=1)]


def kinds_of(practice_tag: PracticeTag) -> list[str]:
    """The tabs of the reading pane, in order."""
    return list(dict.fromkeys(page["kind"] for page in practice_tag.pages)) or [EvidenceKind.ARTICLE]
