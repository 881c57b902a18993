"""Each annotator's progress, for admins."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from core.models import Role, User

from ..desk.visibility import each_known_to, known_to
from ..desk.work.work import Done, done_by
from ..models import Annotation, Assignment
from ..models.assignments import is_live

DONE = [field.name for field in fields(Done)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorProgress(Done):
    """A person's annotations, and the number of tags that they have now or that wait for an answer."""

    annotator: User
    held: int
    waiting: int

    @property
    def active_minutes(self) -> int:
        return round(self.seconds / 60)


def annotators(reader: User | None) -> QuerySet[User]:
    """Everybody who is an annotator or has annotated, as far as `reader` may know of it."""
    members = Q(pk__in=User.objects.filter(groups__name=Role.ANNOTATOR, is_active=True).values("pk"))
    known = Annotation.objects.filter(known_to(reader), annotator=OuterRef("pk"))
    return User.objects.filter(members | Exists(known))


def annotators_progress(reader: User | None) -> list[AnnotatorProgress]:
    """One row for each annotator, busiest first, as far as `reader` may know of their work; None may know of all."""
    rows = progress_of(annotators(reader), reader=reader)
    return sorted(rows, key=lambda row: (-(row.submitted + row.accepted + row.excluded), row.annotator.username))


def progress_of(people: Iterable[User], *, reader: User | None) -> list[AnnotatorProgress]:
    """One row for each of these annotators, in their order, as far as `reader` may know of their work."""
    people = list(people)
    done = done_by(people, reader=reader)
    hands = {annotator: counts for annotator, *counts in _at_hand(people, reader)}
    return [_row(person, done[person.pk], *hands.get(person.pk, (0, 0))) for person in people]


def _at_hand(people: Iterable[User], reader: User | None) -> QuerySet[Assignment, Any]:
    """By annotator: the number of tags they have now, and of those waiting for an answer."""
    known = Assignment.objects.unfinished().filter(annotator__in=people)
    if reader is not None:
        known = known.filter(each_known_to(reader))
    return (
        known.order_by()
        .values_list("annotator")
        .annotate(
            held=Count("pk", filter=is_live(timezone.now()) & Q(asked_at=None)),
            waiting=Count("pk", filter=Q(asked_at__isnull=False)),
        )
    )


def _row(person: User, done: Done, held: int, waiting: int) -> AnnotatorProgress:
    return AnnotatorProgress(
        **{name: getattr(done, name) for name in DONE}, annotator=person, held=held, waiting=waiting
    )
