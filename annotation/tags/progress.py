"""Each annotator's progress, for admins."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from core.models import Role, User

from ..desk.conversations import waiting_by_annotator
from ..desk.time import seconds_by_annotator, seconds_of_handed_in
from ..models import Annotation, AnnotationState
from .listing import held_assignments

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


def annotators_progress() -> list[AnnotatorProgress]:
    """One row for everybody who is an annotator or has annotated, busiest first."""
    counts = {
        row["annotator"]: row
        for row in Annotation.objects.exclude(annotator=None)
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
    waiting = waiting_by_annotator()
    held = dict(held_assignments().values_list("annotator").annotate(count=Count("pk")).order_by())
    people = User.objects.filter(Q(groups__name=Role.ANNOTATOR, is_active=True) | Q(pk__in=counts)).distinct()
    seconds, handed_in = seconds_by_annotator(), seconds_of_handed_in()
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
    return sorted(rows, key=lambda row: (-(row.submitted + row.accepted + row.excluded), row.annotator.username))
