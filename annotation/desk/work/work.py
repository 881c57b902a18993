"""The work of annotators and reviewers, for lists of people."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, Q, QuerySet, Sum

from core.accounts.work import Work
from core.engine.counted import counted
from core.engine.queries.conditions import is_one_of
from core.engine.queries.counts import Less, Single, sum_of
from core.engine.queries.instances import PreparedValues
from core.engine.queries.parameters import Numbers
from core.engine.queries.rows import PreparedRows
from core.models import Event, User
from core.models.batches import open_batches, visible

from ...models import (
    PARTS_OF_A_QUARTER,
    QUARTER_SECONDS,
    Annotation,
    AnnotationAction,
    AnnotationState,
    Assignment,
    SubmissionCounts,
    Tag,
)
from ..assignments.assignment import free_assignments
from ..visibility import each_known_to, hidden_from, known_to


@dataclass(frozen=True, slots=True)
class Done:
    """One person's work: annotations by state, active seconds, reviews, and the time of the last save.
    `seconds_submitted` covers everything ever submitted; `timed` is the number of these with any time counted.
    """

    drafts: int = 0
    returned: int = 0
    submitted: int = 0
    accepted: int = 0
    excluded: int = 0
    reviewed: int = 0
    seconds: int = 0
    seconds_submitted: int = 0
    timed: int = 0
    last_saved_at: datetime | None = None

    @property
    def minutes_each(self) -> float | None:
        """The mean over submissions with any time counted."""
        return round(self.seconds_submitted / self.timed / 60, 1) if self.timed else None


def done_by(people: Collection[User], *, reader: User | None) -> dict[int, Done]:
    """The work of each of these people, as far as `reader` may know of it, by primary key; None, a command, may know
    of all. What took long is shown again for some seconds.
    """
    who, keys = reader.pk if reader else NOBODY, tuple(person.pk for person in people)
    return counted(("work", who, keys), lambda: _done_by(keys, who), of_all=True)


def _done_by(people: Collection[int], who: int) -> dict[int, Done]:
    named = Numbers(people)
    found: dict[int, dict[str, Any]] = {pk: dict.fromkeys(("drafts", *SUMS), 0) for pk in people}
    for person, state, saved, at, *numbers in _written.all(people=named, reader=who):
        mine = found[person]
        mine["drafts" if state == AnnotationState.DRAFT else state] += saved
        for name, number in zip(TIMES, numbers, strict=True):
            mine[name] += number
        mine["last_saved_at"] = max(filter(None, [at, mine.get("last_saved_at")]), default=None)
    for person, reviewed in _reviewed.all(people=named, reader=who):
        found[person]["reviewed"] += reviewed
    return {pk: Done(**numbers) for pk, numbers in found.items()}


STATES = ("returned", "submitted", "accepted", "excluded")
TIMES = ("seconds", "seconds_submitted", "timed")
SUMS = (*STATES, "reviewed", *TIMES)
# No primary key: nothing is hidden from it.
NOBODY = 0
_WAS_SUBMITTED = Q(submitted_at__isnull=False)
# A draft with nothing saved yet is just the claim that opened it.
_WAS_SAVED = ~Q(state=AnnotationState.DRAFT, version=0)


_written = PreparedValues(
    lambda people, reader: (
        Annotation.objects.filter(each_known_to(User(pk=reader)), is_one_of("annotator", people))
        .order_by()
        .values_list("annotator", "state")
        .annotate(
            saved=Count("pk", filter=_WAS_SAVED),
            last_saved_at=Max("saved_at", filter=_WAS_SAVED),
            all_seconds=Sum("seconds"),
            seconds_submitted=Sum("seconds", filter=_WAS_SUBMITTED, default=0),
            timed=Count("pk", filter=_WAS_SUBMITTED & Q(seconds__gt=0)),
        )
    ),
    people=Numbers,
    reader=int,
)


def _reviews(people: Numbers, reader: int) -> list[QuerySet[Annotation, Any]]:
    """The number of reviews by reviewer: all, which an index counts, and as negative numbers the few that are hidden
    from the reader or in an open batch.
    """
    there, hidden = Annotation.everything.all(), Annotation.objects.filter(hidden_from(User(pk=reader)))
    # Asked first, so that no row is read while no batch is open.
    unfinished = there.filter(Exists(open_batches()), batch__in=open_batches())
    return [
        rows.filter(is_one_of("reviewed_by", people))
        .order_by()
        .values_list("reviewed_by")
        .annotate(count=sign * Count("pk"))
        for sign, rows in ((1, there), (-1, hidden), (-1, unfinished))
    ]


_reviewed = PreparedRows(_reviews, people=Numbers, reader=int)


def count_written(states: Collection[str], reader: User) -> Less:
    """The number of annotations in one of these states (not drafts) as far as `reader` may know of them: all of them,
    which an index counts, minus the few hidden ones.
    """
    hidden = Annotation.objects.filter(hidden_from(reader), state__in=states).order_by()
    return Less(visible(Annotation.everything.filter(state__in=states).order_by()), [hidden])


def count_submitted(**parts: object) -> Single:
    """The number of annotations last submitted in these parts (see `SubmissionCounts`), whoever may know of them."""
    return sum_of(SubmissionCounts.objects.filter(**parts).exclude(batch__in=open_batches()), "count")


def first_part_of(time: datetime) -> int:
    """The first part of `SubmissionCounts` in the 15 minutes that begin at this time."""
    return int(time.timestamp()) // QUARTER_SECONDS * PARTS_OF_A_QUARTER


def work_of(people: Collection[User], reader: User) -> dict[int, Work]:
    """The same for the list of people."""
    return {
        pk: Work(
            submitted=done.returned + done.submitted + done.accepted + done.excluded,
            accepted=done.accepted,
            reviewed=done.reviewed,
            last_saved_at=done.last_saved_at,
        )
        for pk, done in done_by(people, reader=reader).items()
    }


def hand_back(person: User, actor: User) -> int:
    """Return the person's unfinished tags to the queue, each with an entry in the log; returns the number of tags
    that `actor` may know of.
    """
    held = Assignment.objects.unfinished().filter(annotator=person)
    told = held.filter(known_to(actor)).count()
    for tag in list(held.order_by("pk").values_list("tag", flat=True)):
        free_assignments(annotator=person, tag=Tag(pk=tag), actor=actor)
        before = {"annotator": person.pk}
        Event.record(AnnotationAction.UNASSIGNED, Tag(pk=tag), actor=actor, before=before)
    return told
