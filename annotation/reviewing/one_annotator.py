"""One annotator's submissions and what reviewers decided, for the page about the quality of a person's work."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from core.models import User

from ..desk.drafts.time import times_by_step
from ..desk.visibility import known_to
from ..models import Annotation, AnnotationState

# The submissions of other people that a person's minutes are compared with: those begun last.
OTHERS_COMPARED = 1_000


@dataclass(frozen=True)  # without slots: reports ask the same of each several times, and it keeps the answers
class Submission:
    """An annotation that was submitted: the time of its first submission, its state now, whether a reviewer ever
    returned it, whether it was accepted without review, and the active seconds of each step.
    """

    first_at: datetime
    state: str
    was_returned: bool
    seconds: dict[int, int]
    without_review: bool = False

    @cached_property
    def is_decided(self) -> bool:
        return self.was_returned or self.is_accepted or self.is_excluded

    @cached_property
    def is_accepted(self) -> bool:
        """Return whether a reviewer accepted it."""
        return self.state == AnnotationState.ACCEPTED and not self.without_review

    @cached_property
    def is_excluded(self) -> bool:
        return self.state == AnnotationState.EXCLUDED

    @cached_property
    def is_accepted_at_first(self) -> bool:
        return self.is_accepted and not self.was_returned


def submissions_of(person: User, *, reader: User | None) -> list[Submission]:
    """This person's submissions as far as `reader` may know of them, in the order of their first ones; check tags are
    not counted.
    """
    rows = (
        Annotation.objects.without_checks()
        .filter(known_to(reader), annotator=person)
        .exclude(submitted_at=None, state="draft")
    )
    first = ("first_submission__submitted_at", "first_submission__returned_at")
    own = ("pk", "state", "submitted_at", "needs_review")
    times = times_by_step(rows)
    found = [
        Submission(kept_at or submitted_at, state, returned_at is not None, times.get(pk, {}), not needs_review)
        for pk, state, submitted_at, needs_review, kept_at, returned_at in rows.values_list(*own, *first)
        if kept_at or submitted_at
    ]
    return sorted(found, key=lambda each: each.first_at)


def times_of_others(person: User, *, reader: User | None) -> list[dict[int, int]]:
    """The active seconds by step of other people's submissions, those begun last, where time was counted."""
    known = Annotation.objects.without_checks().filter(known_to(reader))
    rows = known.filter(submitted_at__isnull=False, annotator__isnull=False)
    last = list(rows.exclude(annotator=person).order_by("-pk").values_list("pk", flat=True)[:OTHERS_COMPARED])
    return list(times_by_step(Annotation.objects.filter(pk__in=last)).values())
