"""Each annotator's progress, for admins."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from core.models import Role, User
from core.queries.conditions import is_one_of
from core.queries.instances import PreparedValues
from core.queries.parameters import Numbers

from ..desk.conversations import waiting_by_annotator
from ..desk.time import NO_TIME, Times, times_by_annotator, times_of
from ..desk.visibility import known_to
from ..models import Annotation, AnnotationState, Assignment
from .states import held_assignments

# Drafts, returned, submitted, accepted, excluded, last saved.
NOTHING = (0, 0, 0, 0, 0, None)


@dataclass(slots=True)
class AnnotatorProgress:
    annotator: User
    held: int
    waiting: int
    drafts: int
    returned: int
    submitted: int
    accepted: int
    excluded: int
    last_saved_at: datetime | None
    active_minutes: int = 0
    minutes_each: float | None = None  # active minutes per submitted annotation


def annotators(reader: User | None) -> QuerySet[User]:
    """Everybody who is an annotator or has annotated, as far as `reader` may know of it."""
    members = Q(pk__in=User.objects.filter(groups__name=Role.ANNOTATOR, is_active=True).values("pk"))
    known = Annotation.objects.filter(known_to(reader), annotator=OuterRef("pk"))
    return User.objects.filter(members | Exists(known))


def annotators_progress(reader: User | None) -> list[AnnotatorProgress]:
    """One row for each annotator, busiest first, as far as `reader` may know of their work; None may know of all."""
    times, everybody = times_by_annotator(reader), list(annotators(reader))
    rows = _rows(
        everybody,
        _counted(reader, Q(annotator__isnull=False)),
        _held(reader, Q()),
        waiting_by_annotator(reader),
        times,
    )
    return sorted(rows, key=lambda row: (-(row.submitted + row.accepted + row.excluded), row.annotator.username))


def progress_of(people: Iterable[User], *, reader: User) -> list[AnnotatorProgress]:
    """One row for each of these annotators, in their order, as far as `reader` may know of their work."""
    people = list(people)
    of_these = {"people": Numbers(person.pk for person in people), "reader": reader.pk}
    counted, held = _counted_of.all(**of_these), _held_by.all(**of_these)
    return _rows(people, counted, held, waiting_by_annotator(reader), times_of(people, reader=reader))


def _counted(reader: User | None, theirs: Q) -> QuerySet[Annotation, Any]:
    """By annotator: what they have in each state, and when they last saved."""
    known = Annotation.objects.filter(known_to(reader), theirs)
    return (
        known.values_list("annotator")
        .annotate(
            drafts=Count("pk", filter=Q(state=AnnotationState.DRAFT, version__gt=0)),
            returned=Count("pk", filter=Q(state=AnnotationState.RETURNED)),
            submitted=Count("pk", filter=Q(state=AnnotationState.SUBMITTED)),
            accepted=Count("pk", filter=Q(state=AnnotationState.ACCEPTED)),
            excluded=Count("pk", filter=Q(state=AnnotationState.EXCLUDED)),
            last_saved_at=Max("saved_at", filter=Q(version__gt=0)),
        )
        .order_by()
    )


def _held(reader: User | None, theirs: Q) -> QuerySet[Assignment, Any]:
    """By annotator: how many tags they have now."""
    known = held_assignments().filter(known_to(reader), theirs)
    return known.values_list("annotator").annotate(count=Count("pk")).order_by()


def _of(make: Callable[[User | None, Q], QuerySet]) -> PreparedValues:
    return PreparedValues(
        lambda reader, people: make(User(pk=reader), Q(is_one_of("annotator", people))), reader=int, people=Numbers
    )


_counted_of, _held_by = _of(_counted), _of(_held)


def _rows(
    people: list[User],
    counted: Iterable[tuple],
    held: Iterable[tuple[int, int]],
    waiting: Mapping[int, int],
    times: Mapping[int, Times],
) -> list[AnnotatorProgress]:
    counts, holds = {annotator: numbers for annotator, *numbers in counted}, dict(held)
    rows = []
    for person in people:
        row = AnnotatorProgress(
            person, holds.get(person.pk, 0), waiting.get(person.pk, 0), *counts.get(person.pk, NOTHING)
        )
        own = times.get(person.pk, NO_TIME)
        row.active_minutes, row.minutes_each = round(own.seconds / 60), own.minutes_each
        rows.append(row)
    return rows
