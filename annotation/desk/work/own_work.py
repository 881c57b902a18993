"""A person's own annotations by state: those that need work, and the number of the others."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db import models
from django.db.models import Case, CharField, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Replace
from django.utils import timezone

from core.engine.queries.conditions import is_found
from core.engine.queries.counts import Either, count_now
from core.languages import say
from core.lists.pages import ROWS_ON_A_PAGE, Window, count_up_to
from core.models import User
from core.models.batches import visible
from core.words import up_to

from ...models import Annotation, AnnotationState, Assignment, ReviewState, Skip
from ...models.annotations import AnnotationQuerySet


class WorkState(models.TextChoices):
    """The state of a person's own annotation, as far as they may know it."""

    RETURNED = "returned", say("Returned to you")
    WAITING = "waiting", say("Waiting for an answer")
    DRAFT = "draft", say("Drafts")
    SUBMITTED = "submitted", say("Waiting for review")
    ACCEPTED = "accepted", say("Accepted")
    MERGED = "merged", say("Merged with another")
    NOT_CHOSEN = "not_chosen", say("Not chosen")
    EXCLUDED = "excluded", say("Excluded")

    @property
    def stored(self) -> list[AnnotationState]:
        """The stored states of such annotations."""
        if self == WorkState.WAITING:
            return AnnotationState.writable()
        is_submitted = self in (WorkState.MERGED, WorkState.NOT_CHOSEN)
        return [AnnotationState.SUBMITTED if is_submitted else AnnotationState(self.value)]


# The states that need the annotator come first.
TO_DO = (WorkState.RETURNED, WorkState.WAITING, WorkState.DRAFT)
# A stored state is all that these are, and the database keeps how many there are.
KEPT = (WorkState.ACCEPTED, WorkState.EXCLUDED)
# Of each other stored state, at most this many are looked at to count them. People hold fewer.
LOOKED_THROUGH = (AnnotationState.RETURNED, AnnotationState.DRAFT, AnnotationState.SUBMITTED)
MOST_COUNTED = 300
ORDER = ("-saved_at", "-pk")


@dataclass(frozen=True, slots=True)
class Count:
    """A number of annotations; a minimum if not all were looked at."""

    number: int
    is_least: bool = False

    def __bool__(self) -> bool:
        """Return whether there is one, or may be."""
        return bool(self.number) or self.is_least

    def __str__(self) -> str:
        """ "7", "40+"; "" if none was found yet."""
        return f"{self.number:,}{'+' if self.is_least else ''}" if self.number else ""


@dataclass(frozen=True, slots=True)
class Group:
    """The annotations that a person has in one state, the newest of them as rows."""

    state: WorkState
    count: Count
    rows: list[Annotation]

    @property
    def has_more(self) -> bool:
        return self.count.is_least or self.count.number > len(self.rows)


@dataclass(frozen=True, slots=True)
class OwnWork:
    """The number of a person's annotations in each state, and the newest of those that were looked at."""

    counts: dict[WorkState, Count]
    newest: dict[str, list[int]]

    def groups(self, person: User, states: Iterable[WorkState], most: int = ROWS_ON_A_PAGE) -> list[Group]:
        """The newest `most` in each of these states that has any."""
        shown = {state: self.newest[state][:most] for state in states if self.newest.get(state)}
        by_key = {row.pk: row for row in own_rows(chain(*shown.values()), person=person)} if shown else {}
        return [
            Group(state, self.counts[state], [by_key[pk] for pk in pks if pk in by_key])
            for state, pks in shown.items()
        ]


def own_work(person: User) -> OwnWork:
    """The person's own work. Takes the same time for any amount: an index names the newest in each stored state."""
    near = {state: _newest(state, person) for state in LOOKED_THROUGH}
    there = {state: len(pks) for state, pks in near.items()}
    looked_at = Annotation.objects.filter(pk__in=list(chain(*near.values()))).order_by(*ORDER)
    newest: dict[str, list[int]] = defaultdict(list)
    for pk, state in with_work_state(looked_at, person.pk).values_list("pk", "work_state"):
        newest[state].append(pk)
    kept = count_now({state: _there(state, person) for state in KEPT})
    counts = {state: Count(number) for state, number in kept.items()}
    for state in WorkState:
        if state not in counts:
            counts[state] = Count(len(newest[state]), any(there[each] > MOST_COUNTED for each in state.stored))
    return OwnWork(counts, newest)


def window_of(state: WorkState, person: int) -> Window:
    """A superset of this person's annotations in this state, last touched first, served by an index."""
    own = Annotation.objects.filter(annotator=person, state__in=state.stored)
    if state == WorkState.WAITING:
        asked = Assignment.objects.unfinished().waiting().filter(annotator=person)
        return Window(own.filter(is_found("tag", asked.order_by().values("tag"))), ORDER, is_whole=True)
    return Window(own, ORDER, is_whole=state in KEPT)


def with_work_state(own: AnnotationQuerySet, person: int) -> QuerySet[Any]:
    """This person's own annotations with their `WorkState` as `work_state`; "" for a tag that was opened and left
    untouched, and for one claimed ahead.
    """
    assignments = _assignments(person)
    is_waiting = Q(state__in=AnnotationState.writable()) & Q(Exists(assignments.waiting()))
    is_untouched = Q(state=AnnotationState.DRAFT, version=0) & ~Q(Exists(assignments))
    reviewed = Replace("review_state", Value(ReviewState.WAITING.value), Value(WorkState.SUBMITTED.value))
    return own.with_review_state(User(pk=person)).annotate(
        work_state=Case(
            When(is_waiting, then=Value(WorkState.WAITING.value)),
            When(is_untouched, then=Value("")),
            When(~Q(state=AnnotationState.SUBMITTED), then=F("state")),
            default=reviewed,
            output_field=CharField(),
        )
    )


def _assignments(person: int) -> Any:
    unfinished = Assignment.objects.unfinished().filter(is_ahead=False)
    return unfinished.filter(tag=OuterRef("tag"), annotator=person)


def in_work_state(state: WorkState, person: User) -> QuerySet[Annotation]:
    """This person's annotations in this state, unordered."""
    own = Annotation.objects.filter(annotator=person).order_by()
    return with_work_state(own, person.pk).filter(work_state=state)


def count_begun(person: User) -> str:
    """The number of drafts that they have begun, in words; "" for none."""
    begun = in_work_state(WorkState.DRAFT, person).filter(version__gt=0)
    count = count_up_to(MOST_COUNTED, begun)
    return up_to(count, MOST_COUNTED) if count else ""


def _newest(state: AnnotationState, person: User) -> QuerySet[Annotation, int]:
    own = Annotation.objects.filter(annotator=person, state=state).order_by(*ORDER)
    return own.values_list("pk", flat=True)[: MOST_COUNTED + 1]


def _there(state: WorkState, person: User) -> Either:
    return visible(Annotation.everything.filter(annotator=person, state=state.value).order_by())


LISTED = ("saved_at", "review_message", "tag__section", "tag__flagged_at", "tag__article__title")


def own_rows(rows: Iterable[int], *, person: User) -> list[Annotation]:
    """These annotations of this person, unordered, with the values that the list shows."""
    free = Assignment.objects.free(at=timezone.now()).filter(tag=OuterRef("tag"))
    return list(
        Annotation.objects.filter(pk__in=list(rows))
        .annotate(
            has_assignment=Exists(_assignments(person.pk)),
            has_free_assignment=Exists(free),
            was_skipped=Exists(Skip.objects.filter(tag=OuterRef("tag"), annotator=person)),
        )
        .with_choices()
        .order_by()
        .select_related("tag__article")
        .only(*LISTED)
    )
