"""A reviewer's pages: the queue, one annotation, the other annotations of its tag."""

from collections import Counter
from typing import Any

from django.db.models import Q, QuerySet, Value
from django.shortcuts import get_object_or_404
from django.urls import reverse

from core.engine.queries.conditions import is_found, is_one_of
from core.engine.queries.counts import Counted, Single, count_now
from core.engine.queries.instances import PreparedInstances
from core.engine.queries.parameters import Numbers
from core.engine.queries.rows import rows_now
from core.languages import say
from core.lists.pages import NEAR_A_CHIP, Window, on_a_chip
from core.models import User
from core.refusals import Refusal

from ..desk.visibility import annotations_for, note_opened
from ..models import Annotation, AnnotationState, Article, ReviewState
from ..models.annotations import AnnotationQuerySet

SHOWN = [state for state in ReviewState if state != ReviewState.NOT_YET]


def waiting_for(reviewer: User) -> AnnotationQuerySet:
    """The annotations this person may decide on now, longest waiting first."""
    submitted = annotations_for(reviewer).filter(state=AnnotationState.SUBMITTED, needs_review=True)
    submitted = submitted.exclude(annotator=reviewer)
    # With the state named, an index has them in this order.
    return submitted.in_review_state(ReviewState.WAITING, reviewer).order_by("submitted_at", "pk")


def listed_for(reviewer: User) -> AnnotationQuerySet:
    """The annotations in the lists of this person: not those of others that are about to be accepted without review.
    Their own show no difference, as that would tell whether they are reviewed.
    """
    left_out = Q(state=AnnotationState.SUBMITTED, needs_review=False) & ~Q(annotator=reviewer)
    return annotations_for(reviewer).exclude(left_out)


def annotations_near(review_state: ReviewState) -> Window:
    """A superset of the annotations in this state, found by an index. Waiting ones are in the order of their
    submission, the others newest first.
    """
    state, waits = _stretch_of(review_state)
    order = ("submitted_at", "pk") if waits else ("-submitted_at", "-pk")
    return Window(Annotation.objects.filter(state=state), order)


def _stretch_of(review_state: ReviewState) -> tuple[AnnotationState, bool]:
    """The range of the index with the annotations in this state: its stored state, and whether it begins there."""
    waits = review_state in (ReviewState.WAITING, ReviewState.INCOMPLETE)
    is_submitted = waits or review_state in (ReviewState.NOT_CHOSEN, ReviewState.MERGED)
    return AnnotationState.SUBMITTED if is_submitted else AnnotationState(review_state.value), waits


def chip_counts(*, reader: User, without_own: bool) -> dict[str, str]:
    """The number of annotations in each state, with or without this person's own, as precisely as a chip shows it."""
    # Named beforehand: of several subqueries PostgreSQL would make a look at every annotation.
    near = rows_now(_first_of_each())
    annotations = listed_for(reader).filter(pk__in={pk for _, pk in near})
    if without_own:
        annotations = annotations.exclude(annotator=reader)
    counts = dict(annotations.count_review_states(reader))
    there = Counter(STRETCHES[stretch] for stretch, _ in near)
    return {state: on_a_chip(counts.get(state, 0), there[_stretch_of(state)]) for state in SHOWN}


LISTED = (
    "submitted_at",
    "state",
    "needs_review",
    "reviewed_at",
    "review_message",
    "tag__family",
    "tag__date",
    "tag__article__title",
)
PEOPLE = ("annotator", "merged_by", "reviewed_by")
NAMES = [f"{person}__{name}" for person in PEOPLE for name in User.NAMES]
_listed = PreparedInstances(
    lambda annotations: (
        Annotation.objects.filter(is_one_of("pk", annotations))
        .with_choices()
        .select_related("tag__article", *PEOPLE)
        .only(*LISTED, *NAMES)
    ),
    annotations=Numbers,
)


def listed_annotations(annotations: Numbers) -> list[Annotation]:
    """These annotations, unordered, with the values that the list shows."""
    return _listed.all(annotations=annotations)


# Two states may share one: its rows are read once.
STRETCHES = list(dict.fromkeys(_stretch_of(state) for state in SHOWN))


def _first_of_each() -> list[QuerySet[Annotation, Any]]:
    """The first annotations in each range, with its number: one more than a chip needs, to detect that there are
    others.
    """
    states = {_stretch_of(state): state for state in SHOWN}
    firsts = [_in_order(states[stretch]) for stretch in STRETCHES]
    return [rows.values_list(Value(at), "pk")[: NEAR_A_CHIP + 1] for at, rows in enumerate(firsts)]


def _in_order(state: ReviewState) -> QuerySet[Annotation]:
    window = annotations_near(state)
    return window.rows.order_by(*window.order)


def waiting_counts(reviewer: User) -> dict[str, Counted]:
    """The counts for a chip of annotations waiting for this person: those near, and the waiting ones among these."""
    near = _in_order(ReviewState.WAITING).values("pk")
    return {"near": near[: NEAR_A_CHIP + 1], "waiting": _waiting_near(reviewer).order_by()}


def _waiting_near(reviewer: User) -> AnnotationQuerySet:
    near = _in_order(ReviewState.WAITING).values("pk")
    return waiting_for(reviewer).filter(is_found("pk", near[:NEAR_A_CHIP]))


def waiting_since(reviewer: User) -> Single:
    """The submission time of the annotation that has waited longest."""
    return Single(_waiting_near(reviewer).values("submitted_at")[:1])


def may_have_next(reviewer: User) -> bool:
    """Return whether an annotation waits for this person, or may wait behind many that do not."""
    counts = count_now(waiting_counts(reviewer))
    return on_a_chip(counts["waiting"], counts["near"]) != "0"


def find_annotation(*, reviewer: User, pk: int) -> Annotation:
    """The annotation with all its parts, which this person has seen from then on. Raises Http404 if they may not see
    it, and Refusal while others are still writing about the same tag."""
    annotation = get_object_or_404(annotations_for(reviewer).with_review_state(reviewer).with_parts(), pk=pk)
    if annotation.review_state == ReviewState.INCOMPLETE and annotation.annotator != reviewer:
        raise Refusal(
            say(
                "The other annotations of this tag are not submitted yet. All are shown together once they are, "
                "or once an "
                "admin lowers the number that the tag needs."
            )
        )
    note_opened([annotation], reader=reviewer)
    return annotation


def next_annotation(*, reviewer: User, after: Annotation | None = None) -> Annotation | None:
    """The annotation that has waited longest, or longest after this one; None if nothing is waiting for this
    person."""
    waiting = waiting_for(reviewer)
    if after is not None and after.submitted_at:
        waiting = waiting.exclude(pk=after.pk)
        later = waiting.filter(
            Q(submitted_at__gt=after.submitted_at) | Q(submitted_at=after.submitted_at, pk__gt=after.pk)
        )
        return later.first() or waiting.first()
    return waiting.first()


def address_of(annotation: Annotation | None, *, reviewer: User) -> str:
    """The page where this person decides on it: side by side with the others of its tag if they wait together, or the
    list if there is none.
    """
    if annotation is None:
        return reverse("reviews")
    together = waiting_for(reviewer).filter(tag=annotation.tag_id, merged_by=None).exclude(pk=annotation.pk)
    is_alone = annotation.is_merge or not together.exists()
    return reverse("reviews_annotation" if is_alone else "reviews_merge", args=[annotation.pk])


def others_of(annotation: Annotation, *, reviewer: User) -> list[Annotation]:
    """The other annotations of the same tag that were submitted, in order of creation."""
    others = annotations_for(reviewer).filter(tag=annotation.tag_id).exclude(pk=annotation.pk)
    found = list(others.with_review_state(reviewer).with_parts().order_by("pk"))
    note_opened(found, reader=reviewer)
    return found


def may_suggest(annotation: Annotation, *, reviewer: User) -> bool:
    """Return whether this person may suggest edits to it now; `annotation` must have its `review_state` loaded."""
    is_waiting = annotation.state == AnnotationState.SUBMITTED and annotation.annotator_id is not None
    return is_waiting and annotation.annotator_id != reviewer.pk


def source_address(article: Article) -> str:
    """The address of the annotated revision; "" if the record has no web address."""
    if not article.url.startswith(("https://", "http://")):
        return ""
    if article.revision_id is None:
        return article.url
    return f"{article.url}{'&' if '?' in article.url else '?'}oldid={article.revision_id}"
