"""What people did as annotators, for the list of people."""

from collections.abc import Collection

from django.db.models import Count, Max, Q, QuerySet

from core.accounts.work import Work
from core.models import Event, User
from core.queries.conditions import is_one_of
from core.queries.instances import PreparedValues
from core.queries.parameters import Numbers

from ..models import Annotation, AnnotationAction, AnnotationState, Assignment, Tag
from .assignment import free_assignments
from .visibility import known_to


def work_of(people: Collection[User], reader: User) -> dict[int, Work]:
    """The work of each of these people as far as `reader` may know of it, by primary key; people who did nothing are
    left out."""
    of_these = {"people": Numbers(person.pk for person in people), "reader": reader.pk}
    done = {annotator: counts for annotator, *counts in _done_by.all(**of_these)}
    reviewed = dict(_reviewed_by.all(**of_these))
    return {
        pk: Work(submitted, accepted, reviewed.get(pk, 0), saved)
        for pk in done.keys() | reviewed.keys()
        for submitted, accepted, saved in [done.get(pk, (0, 0, None))]
    }


def _known(reader: int) -> QuerySet[Annotation]:
    return Annotation.objects.filter(known_to(User(pk=reader))).order_by()


_done_by = PreparedValues(
    lambda reader, people: (
        _known(reader)
        .filter(is_one_of("annotator", people))
        .values_list("annotator")
        .annotate(
            submitted=Count("pk", filter=~Q(state=AnnotationState.DRAFT)),
            accepted=Count("pk", filter=Q(state=AnnotationState.ACCEPTED)),
            saved=Max("saved_at"),
        )
    ),
    reader=int,
    people=Numbers,
)
_reviewed_by = PreparedValues(
    lambda reader, people: (
        _known(reader).filter(is_one_of("reviewed_by", people)).values_list("reviewed_by").annotate(count=Count("pk"))
    ),
    reader=int,
    people=Numbers,
)


def hand_back(person: User, actor: User) -> int:
    """Return the person's unfinished tags to the queue, each with an entry in the log; returns how many of them
    `actor` may know of."""
    held = Assignment.objects.unfinished().filter(annotator=person)
    told = held.filter(known_to(actor)).count()
    for tag in list(held.order_by("pk").values_list("tag", flat=True)):
        free_assignments(annotator=person, tag=Tag(pk=tag), actor=actor)
        before = {"annotator": person.pk}
        Event.record(AnnotationAction.UNASSIGNED, Tag(pk=tag), actor=actor, before=before)
    return told
