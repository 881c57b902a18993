"""What people did as annotators, for the list of people."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Max, Q

from core.accounts.work import Work
from core.models import User

from ..models import Annotation, AnnotationState
from .assignment import free_assignments
from .visibility import known_to


def work_of(people: Collection[User], reader: User) -> dict[int, Work]:
    """The work of each of these people as far as `reader` may know of it, by primary key; people who did nothing are
    left out."""
    known = Annotation.objects.filter(known_to(reader))
    handed_in = known.filter(annotator__in=people).values("annotator").order_by()
    counted: Any = handed_in.annotate(
        submitted=Count("pk", filter=~Q(state=AnnotationState.DRAFT)),
        accepted=Count("pk", filter=Q(state=AnnotationState.ACCEPTED)),
        saved=Max("saved_at"),
    )
    done: dict[int, dict[str, Any]] = {row["annotator"]: row for row in counted}
    decided = known.filter(reviewed_by__in=people).values_list("reviewed_by").order_by()
    reviewed = dict(decided.annotate(count=Count("pk")))
    return {
        pk: Work(
            submitted=done.get(pk, {}).get("submitted", 0),
            accepted=done.get(pk, {}).get("accepted", 0),
            reviewed=reviewed.get(pk, 0),
            last_saved_at=done.get(pk, {}).get("saved"),
        )
        for pk in done.keys() | reviewed.keys()
    }


def hand_back(person: User, actor: User) -> int:
    """Return the person's unfinished tags to the queue; returns how many."""
    return free_assignments(annotator=person, actor=actor)
