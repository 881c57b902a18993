"""Each annotator's progress, for admins."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from core.models import Role, User

from ..desk.conversations import waiting_by_annotator
from ..desk.time import seconds_by_annotator, seconds_of_handed_in
from ..desk.visibility import known_to
from ..models import Annotation, AnnotationState
from .states import held_assignments

NOTHING = {"drafts": 0, "returned": 0, "submitted": 0, "accepted": 0, "excluded": 0, "last_saved_at": None}


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


def annotators_progress(reader: User | None, people: Iterable[User] | None = None) -> list[AnnotatorProgress]:
    """One row for each of these annotators, in their order, or for everybody, busiest first, as far as `reader` may
    know of their work; None may know of all."""
    if people is not None:
        people = list(people)
        return _progress_of(people, reader, Q(annotator__in=people))
    rows = _progress_of(list(annotators(reader)), reader, Q())
    return sorted(rows, key=lambda row: (-(row.submitted + row.accepted + row.excluded), row.annotator.username))


def _progress_of(people: list[User], reader: User | None, theirs: Q) -> list[AnnotatorProgress]:
    counts = {
        row["annotator"]: row
        for row in Annotation.objects.filter(known_to(reader), theirs, annotator__isnull=False)
        .values("annotator")
        .annotate(
            drafts=Count("pk", filter=Q(state=AnnotationState.DRAFT, version__gt=0)),
            returned=Count("pk", filter=Q(state=AnnotationState.RETURNED)),
            submitted=Count("pk", filter=Q(state=AnnotationState.SUBMITTED)),
            accepted=Count("pk", filter=Q(state=AnnotationState.ACCEPTED)),
            excluded=Count("pk", filter=Q(state=AnnotationState.EXCLUDED)),
            last_saved_at=Max("saved_at", filter=Q(version__gt=0)),
        )
        .order_by()
    }
    waiting = waiting_by_annotator(reader)
    known = held_assignments().filter(known_to(reader), theirs)
    held = dict(known.values_list("annotator").annotate(count=Count("pk")).order_by())
    of_these = people if theirs else None
    seconds, handed_in = seconds_by_annotator(reader, of_these), seconds_of_handed_in(reader, of_these)
    rows = []
    for person in people:
        own: dict[str, Any] = dict(counts.get(person.pk, NOTHING))
        own.pop("annotator", None)
        rows.append(
            AnnotatorProgress(annotator=person, held=held.get(person.pk, 0), waiting=waiting.get(person.pk, 0), **own)
        )
        row = rows[-1]
        row.active_minutes = round(seconds.get(person.pk, 0) / 60)
        if person.pk in handed_in:
            row.minutes_each = round(handed_in[person.pk] / 60, 1)
    return rows
