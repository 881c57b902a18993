"""What the queue holds for an annotator, in its order. Reads only: `assignment.py` takes what is found here."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from core.models import User

from ..models import Annotation, AnnotationState, Assignment, Tag

# Candidates fetched at once: more than the people likely to ask at the same moment.
CANDIDATES = 64
# Beyond this many, "more than" is all that people are told of how long the queue is.
MOST_COUNTED = 500


def left_for(annotator: User) -> int:
    """How many tags are there for this person to do: their own open ones and those with a free assignment. Counted
    up to `MOST_COUNTED`, so that a long queue costs no more than a short one; more is one more than that."""
    free = set(untouched(annotator).values_list("tag", flat=True)[: MOST_COUNTED + 1])
    for few in (own_drafts(annotator), lapsed(annotator)):
        free |= set(few.values_list("tag", flat=True)[: MOST_COUNTED + 1])
    return min(own_assignments(annotator).count() + len(free), MOST_COUNTED + 1)


def left_in_words(left: int) -> str:
    """What `left_for` says, for a page."""
    return f"more than {MOST_COUNTED}" if left > MOST_COUNTED else str(left)


def own_assignments(annotator: User) -> models.QuerySet[Assignment]:
    """This person's unfinished assignments, live claims first; lapsed ones only while their tag is offered, and none
    that is waiting for an answer."""
    assignments = Assignment.objects.unfinished().filter(annotator=annotator, asked_at=None).select_related("tag")
    lapsed = Q(lease_expires_at__lte=timezone.now()) & ~Q(tag__in=Tag.objects.offered())
    return assignments.exclude(lapsed).order_by(F("lease_expires_at").desc(nulls_last=True), "claimed_at", "pk")


def next_free(annotator: User) -> list[Assignment]:
    """Assignments that this person may take next, in the order of the queue: own drafts, then by priority and age.
    Each of the three queries finds its first row by an index, however long the queue is."""
    if drafts := list(own_drafts(annotator).select_related("tag")[:CANDIDATES]):
        return drafts
    found = [*untouched(annotator).select_related("tag")[:CANDIDATES]]
    found += lapsed(annotator).select_related("tag")[:CANDIDATES]
    return sorted(found, key=lambda each: (-each.priority, each.tag_id, each.number))[:CANDIDATES]


def untouched(annotator: User) -> models.QuerySet[Assignment]:
    queue = Assignment.objects.filter(annotator=None, done_at=None).order_by("-priority", "tag_id", "number")
    return _open_to(queue, annotator)


def lapsed(annotator: User) -> models.QuerySet[Assignment]:
    lapsed = Assignment.objects.filter(done_at=None, lease_expires_at__lte=timezone.now())
    return _open_to(lapsed, annotator).order_by("-priority", "tag_id", "number")


def own_drafts(annotator: User) -> models.QuerySet[Assignment]:
    drafts = Annotation.objects.filter(annotator=annotator, state__in=AnnotationState.writable())
    found = _open_to(Assignment.objects.free(), annotator).filter(tag__in=drafts.order_by().values("tag"))
    return found.order_by("-priority", "tag_id", "number")


def _open_to(assignments: models.QuerySet[Assignment], annotator: User) -> models.QuerySet[Assignment]:
    # The tag itself, not its article: that brings the whole wikitext, for each candidate.
    offered = assignments.filter(tag__gone_at=None, tag__flagged_at=None)
    return offered.filter(IsOpenTo("tag_id", person=annotator))


class IsOpenTo(models.Func):
    """Whether a tag may be offered to this person: they have neither skipped nor annotated it, have no assignment of
    it, and have neither read nor decided on another annotation of it. As SQL of one piece: Django would put five
    subqueries together anew at each claim."""

    output_field = models.BooleanField()
    sql = """(
        NOT EXISTS (SELECT 1 FROM annotation_skip WHERE tag_id = {tag} AND annotator_id = %s)
        AND NOT EXISTS (SELECT 1 FROM annotation_assignment own WHERE own.tag_id = {tag} AND own.annotator_id = %s)
        AND NOT EXISTS (
            SELECT 1 FROM annotation_annotation written WHERE written.tag_id = {tag} AND (
                written.reviewed_by_id = %s
                OR (written.annotator_id = %s AND written.state NOT IN ('draft', 'returned'))
                OR EXISTS (
                    SELECT 1 FROM annotation_seenannotation seen
                    WHERE seen.annotation_id = written.id AND seen.person_id = %s
                )
            )
        )
    )"""

    def __init__(self, tag: str, *, person: User):
        super().__init__(tag)
        self.person = person

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        return self.sql.format(tag=column), [*parameters, *[self.person.pk] * 5]
