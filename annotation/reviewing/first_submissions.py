"""The independent work of annotators of one tag: their first submissions, before any decision."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from core.engine.writing.pieces import in_chunks
from core.models import User

from ..content.fields import Content, empty_content
from ..content.rows import OWN_COLUMNS, RowsOf
from ..desk.visibility import is_blind_to, known_to, note_seen
from ..models import Annotation, AnnotationState, Assignment, FirstSubmission

AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class FirstSubmitted:
    """An annotation as first submitted by its annotator (given by primary key)."""

    annotation: int
    tag: int
    annotator: int
    submitted_at: datetime
    content: Content


def annotated_twice(reader: User | None) -> QuerySet[Assignment]:
    """The second assignments of tags with two complete annotations, newest first, and to which `reader` is not blind:
    before that, agreement would reveal what one of them wrote.
    """
    others_write = Exists(Assignment.objects.unfinished().filter(tag=OuterRef("tag")))
    found = Assignment.objects.filter(~others_write, number=2, tag__check_tag=None)
    if reader is not None:
        found = found.exclude(is_blind_to("tag", reader))
    return found.order_by("-tag_id")


def first_submissions(tags: Iterable[int], *, reader: User | None) -> Iterator[list[FirstSubmitted]]:
    """The first submissions of each of these tags that has two or more, by the annotators' primary keys; `reader` has
    seen them from then on, and is given none of these tags to annotate."""
    for some in in_chunks(tags, AT_ONCE):
        found = _of_tags(some)
        if reader is not None:
            note_seen([each.annotation for each in found], reader=reader)
        by_tag: dict[int, list[FirstSubmitted]] = defaultdict(list)
        for each in found:
            by_tag[each.tag].append(each)
        yield from (sorted(of, key=lambda each: each.annotator) for of in by_tag.values() if len(of) > 1)


def _of_tags(tags: list[int]) -> list[FirstSubmitted]:
    rows = Annotation.objects.filter(tag__in=tags, state__in=AnnotationState.submitted())
    rows = rows.filter(annotator__isnull=False).order_by("tag", "pk")
    annotations = {row["pk"]: row for row in rows.values("pk", "tag", "annotator", "submitted_at", *OWN_COLUMNS)}
    first = {
        each.annotation_id: each
        for each in FirstSubmission.objects.filter(annotation__in=rows.order_by().values("pk"))
    }
    rows_of = RowsOf([pk for pk in annotations if pk not in first])
    found = []
    for pk, row in annotations.items():
        kept = first.get(pk)
        content = empty_content() | kept.content if kept else rows_of.content(pk, row)
        submitted_at = kept.submitted_at if kept else row["submitted_at"]
        found.append(FirstSubmitted(pk, row["tag"], row["annotator"], submitted_at, content))
    return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """Reviewers' decisions on one person's annotations. `returned` counts those returned at least once, which can be
    accepted or excluded by now; all are among the `decided`.
    """

    annotator: User
    decided: int
    accepted: int
    returned: int
    excluded: int


def outcomes(reader: User | None) -> list[Outcome]:
    """One for each annotator with decided annotations, as far as `reader` may know, by name."""
    was_returned = Q(first_submission__returned_at__isnull=False)
    # Accepting without review is no decision of a reviewer.
    accepted, excluded = Q(state=AnnotationState.ACCEPTED, needs_review=True), Q(state=AnnotationState.EXCLUDED)
    known = Annotation.objects.filter(known_to(reader), annotator__isnull=False).order_by()
    counted = known.values_list("annotator").annotate(
        decided=Count("pk", filter=accepted | excluded | was_returned),
        accepted=Count("pk", filter=accepted),
        returned=Count("pk", filter=was_returned),
        excluded=Count("pk", filter=excluded),
    )
    counts = {person: of for person, *of in counted if of[0]}
    people = sorted(User.objects.filter(pk__in=counts), key=str)
    return [Outcome(person, *counts[person.pk]) for person in people]
