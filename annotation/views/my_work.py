"""What a person has annotated or is annotating, by state."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from core.models import Role
from core.web.access import SignedInRequest, role_required

from ..desk.my_work import work_of
from ..models import Annotation, AnnotationState, ReviewState

# The states of "my work", those that need attention first.
SHOWN_STATES = [
    (AnnotationState.RETURNED, "Returned to you"),
    ("waiting", "Waiting for an answer"),
    (AnnotationState.DRAFT, "Drafts"),
    (AnnotationState.SUBMITTED, "Waiting for review"),
    (AnnotationState.ACCEPTED, "Accepted"),
    (ReviewState.MERGED, "Merged with another"),
    (ReviewState.NOT_CHOSEN, "Not chosen"),
    (AnnotationState.EXCLUDED, "Excluded"),
]


def _group_of(row: Annotation) -> str:
    if row.is_waiting:  # type: ignore[attr-defined]  # from work_of
        return "waiting"
    return row.review_state if row.review_state in (ReviewState.NOT_CHOSEN, ReviewState.MERGED) else row.state


@role_required(Role.ANNOTATOR)
@require_GET
def my_work(request: SignedInRequest) -> HttpResponse:
    rows = list(work_of(request.user))
    groups = [(state, name, [row for row in rows if _group_of(row) == state]) for state, name in SHOWN_STATES]
    return render(request, "annotation/my_work.html", {"groups": groups, "total": len(rows)})
