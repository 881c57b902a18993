"""Who may see which annotation, and who has seen it: nobody who is still writing about a tag sees others' work on
it."""

from django.db.models import Q

from core.models import User

from ..models import Annotation, AnnotationState, Assignment, SeenAnnotation
from ..models.work import AnnotationQuerySet


def annotations_for(reviewer: User) -> AnnotationQuerySet:
    """Submitted annotations; but for tags that this person annotates or annotated, only their own. What others wrote
    stays hidden until theirs is decided, as they could still take it back and change it."""
    handed_in = Annotation.objects.exclude(state=AnnotationState.DRAFT)
    return handed_in.filter(Q(annotator=reviewer) | ~blind_for(reviewer))


def blind_for(reviewer: User) -> Q:
    """The annotations of tags that this person annotates or annotated, as long as theirs is not decided."""
    own = Annotation.objects.filter(annotator=reviewer)
    open_assignments = Assignment.objects.unfinished()
    return (
        Q(tag__in=open_assignments.filter(annotator=reviewer).values("tag"))
        | Q(tag__in=own.filter(state__in=[AnnotationState.SUBMITTED, AnnotationState.RETURNED]).values("tag"))
        | Q(tag__in=own.filter(state=AnnotationState.DRAFT, tag__in=open_assignments.values("tag")).values("tag"))
    )


def note_seen(annotation: Annotation, *, reviewer: User) -> None:
    """Record that this person has read the annotation, unless they wrote it themselves."""
    if annotation.annotator_id != reviewer.pk:
        SeenAnnotation.objects.get_or_create(annotation=annotation, person=reviewer)
