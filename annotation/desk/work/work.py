"""The work of annotators and reviewers, for lists of people."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from core.accounts.work import Work
from core.engine.queries.conditions import is_one_of
from core.engine.queries.counts import Less, Plus, Single, sum_of
from core.engine.queries.instances import PreparedValues
from core.engine.queries.parameters import Numbers
from core.models import Event, User
from core.models.batches import open_batches, visible

from ...models import (
    PARTS_OF_A_QUARTER,
    QUARTER_SECONDS,
    Annotation,
    AnnotationAction,
    AnnotationState,
    Assignment,
    CountedRows,
    RowCounts,
    Tag,
    WorkKind,
    WorkSums,
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
    of all. Two queries, whose time does not depend on the amount of work: kept sums, minus the rows hidden from the
    reader.
    """
    who = reader.pk if reader else NOBODY
    less = Counter[tuple[int | None, str]]()
    for annotator, reviewer, state, count, *times in _hidden_from(User(pk=who)):
        less[annotator, state] += count
        less[reviewer, "reviewed"] += count
        for name, number in zip(TIMES, times, strict=True):
            less[annotator, name] += number
    done = {}
    for pk, drafts, *rest in _sums.all(people=Numbers(person.pk for person in people), reader=who):
        sums = {name: (number or 0) - less[pk, name] for name, number in zip(SUMS, rest, strict=False)}
        last = max((at for at in rest[len(SUMS) :] if at), default=None)
        done[pk] = Done(drafts=drafts, **sums, last_saved_at=last)
    return done


STATES = ("returned", "submitted", "accepted", "excluded")
TIMES = ("seconds", "seconds_submitted", "timed")
SUMS = (*STATES, "reviewed", *TIMES)
# No primary key: nothing is hidden from it.
NOBODY = 0


def _sums_of(reader: int, people: Numbers) -> QuerySet[User, Any]:
    # A draft with nothing saved yet is just the claim that opened it.
    own = Annotation.objects.filter(each_known_to(User(pk=reader)), annotator=OuterRef("pk")).order_by()
    own = own.exclude(state=AnnotationState.DRAFT, version=0)
    drafts = own.filter(state=AnnotationState.DRAFT).values("annotator").values(count=Count("pk"))
    counts = ~Q(work_sums__batch__in=open_batches())
    # By state, as an index has them.
    latest = {
        f"last_{state}": Subquery(own.filter(state=state).order_by("-saved_at").values("saved_at")[:1])
        for state in AnnotationState
    }
    return (
        User.objects.filter(is_one_of("pk", people))
        .order_by()
        .values_list("pk")
        .annotate(
            drafts=Coalesce(Subquery(drafts), 0),
            **{f"sum_{name}": Sum(f"work_sums__{name}", filter=counts) for name in SUMS},
            **latest,
        )
    )


_sums = PreparedValues(_sums_of, reader=int, people=Numbers)
_WAS_SUBMITTED = Q(submitted_at__isnull=False)


def _hidden_from(reader: User) -> QuerySet[Annotation, Any]:
    """The number and times of everybody's annotations of the tags to which this person is blind, by annotator,
    reviewer and state.
    """
    hidden = Annotation.objects.filter(hidden_from(reader)).order_by()
    return hidden.values_list("annotator", "reviewed_by", "state").annotate(
        count=Count("pk"),
        all_seconds=Sum("seconds"),
        seconds_submitted=Sum("seconds", filter=_WAS_SUBMITTED, default=0),
        timed=Count("pk", filter=_WAS_SUBMITTED & Q(seconds__gt=0)),
    )


def count_written(states: Collection[str], reader: User) -> Less:
    """The number of annotations in one of these states (not drafts) as far as `reader` may know of them: kept sums
    and annotations without a writer, minus the few hidden ones.
    """
    of_people = WorkSums.objects.filter(kind=WorkKind.WRITTEN).exclude(batch__in=open_batches())
    in_them = Annotation.everything.filter(state__in=states).order_by()
    nobodys = visible(in_them.filter(annotator=None))
    hidden = Annotation.objects.filter(hidden_from(reader), state__in=states).order_by()
    return Less(Plus([sum_of(of_people, *states), nobodys]), [hidden])


def count_rows(what: CountedRows, **parts: Any) -> Single:
    """The number of these rows, regardless of who may know about them; of all parts or of this filter's."""
    return sum_of(RowCounts.objects.filter(what=what, **parts).exclude(batch__in=open_batches()), "count")


def first_part_of(time: datetime) -> int:
    """The first part of `CountedRows.SUBMITTED` in the 15 minutes that begin at this time."""
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
