"""Decides who may know of which annotation, and records who has seen it.

Annotators of a tag are blind to it until their own annotation is decided: they learn nothing of what others do
with it, whatever other roles they have. Every door asks here; docs/reviewing.md says what that means.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from django.db.models import BooleanField, Exists, Func, OuterRef, Q, QuerySet, Value

from core.engine.queries.conditions import PreparedSet, there_is_one
from core.engine.writing.pieces import in_chunks
from core.languages import say
from core.models import Event, Role, User
from core.refusals import Forbidden
from core.writing.reads import record_read

from ..models import (
    Annotation,
    AnnotationState,
    Assignment,
    Comment,
    EvidenceKind,
    EvidenceRequest,
    SeenAnnotation,
    Tag,
)
from ..models.actions import AnnotationAction
from ..models.annotations import AnnotationQuerySet

NOTED_AT_ONCE = 200
# Why an import leaves a tag alone to which the person is blind.
ANNOTATES_IT = say("you annotate this tag yourself, so its annotations are hidden from you until yours is decided")
# Entries of the log that tell what an annotation says, or what a reviewer made of it.
TELLS_OF_AN_ANNOTATION = {
    AnnotationAction.ACCEPTED,
    AnnotationAction.ACCEPTED_WITHOUT_REVIEW,
    AnnotationAction.MERGED,
    AnnotationAction.RETURNED,
    AnnotationAction.EXCLUDED,
    AnnotationAction.RECONSIDERED,
    AnnotationAction.SUGGESTED_EDIT,
    AnnotationAction.WITHDREW_EDIT,
    AnnotationAction.TOOK_EDIT,
    AnnotationAction.DECLINED_EDIT,
}


class HasKey(Protocol):
    @property
    def pk(self) -> int: ...


A = TypeVar("A", bound=HasKey)


def blind_tags(person: User) -> QuerySet[Annotation, Any]:
    """The tags to which this person is blind, for `tag__in`: those they hold or could take up again, and those of
    which their annotation is not decided, as they could still take it back and change it. Once another annotation of
    the tag is accepted, a submitted one counts as not chosen, which is a decision.
    """
    # A person who gets a tag has an annotation of it from then on.
    still_open = there_is_one(Assignment.objects.unfinished().filter(tag=OuterRef("tag")))
    one_is_chosen = there_is_one(Annotation.objects.accepted().filter(tag=OuterRef("tag")))
    undecided = Q(state=AnnotationState.RETURNED) | (Q(state=AnnotationState.SUBMITTED) & ~Q(one_is_chosen))
    undecided |= Q(state=AnnotationState.DRAFT) & Q(still_open)
    return Annotation.objects.filter(undecided, annotator=person).order_by().values("tag")


# Every list asks for them, some several times.
_blind_tags = PreparedSet(lambda person: blind_tags(User(pk=person)), person=int)


def is_blind_to(tag: str, person: User) -> Func:
    """The condition that the tag in this column is one of this person's `blind_tags`. These are all found first: for
    sums over many rows, and for queries that begin with them.
    """
    return _blind_tags.has(tag, person=person.pk)


def is_blind_to_each(tag: str, person: User) -> Func:
    """The same, checked row by row: a page costs no more for people who have annotated thousands of tags."""
    return _blind_tags.has_each(tag, person=person.pk)


def known_to(person: User | None, path: str = "") -> Q:
    """A filter of annotations, assignments or skips, or of rows that lead to them by `path`: those that this person
    may know of. None, a command, may know of all.
    """
    if person is None:
        return Q()
    return Q(**{f"{path}annotator": person}) | ~Q(is_blind_to(f"{path}tag", person))


def hidden_from(person: User) -> Q:
    """The opposite: those that this person may not know of."""
    return Q(is_blind_to("tag", person)) & ~Q(annotator=person)


def each_known_to(person: User) -> Q:
    """The same, checked row by row: see `is_blind_to_each`."""
    return Q(annotator=person) | ~Q(is_blind_to_each("tag", person))


def annotations_for(reviewer: User) -> AnnotationQuerySet:
    """Submitted annotations that this person may know of."""
    return Annotation.objects.exclude(state=AnnotationState.DRAFT).filter(each_known_to(reviewer))


def hidden_events(person: User) -> Q:
    """The log entries about tags to which this person is blind, except for their own work."""
    # The kind stands first: of other rows, the database then asks nothing more.
    others = Annotation.objects.filter(is_blind_to_each("tag", person)).exclude(annotator=person).order_by()
    said = Comment.objects.filter(annotation__in=others).order_by()
    about = Q(subject_kind="annotation") & Q(there_is_one(others.filter(pk=OuterRef("subject_id"))))
    about |= Q(subject_kind="comment") & Q(there_is_one(said.filter(pk=OuterRef("subject_id"))))
    # The entry for a removed flag contains its reason, no matter who removed it.
    own = Q(actor=person) & ~Q(action=AnnotationAction.TOOK_OFF_FLAG)
    if person.has_role(Role.ANNOTATOR):
        about |= Q(subject_kind="checktag")
    return about | (Q(subject_kind="tag") & Q(is_blind_to_each("subject_id", person)) & ~own)


def as_shown(annotations: Iterator[A], *, reader: User | None) -> Iterator[A]:
    """The same annotations, recording before each one that this person is shown it. None is a command."""
    for some in in_chunks(annotations, NOTED_AT_ONCE):
        if reader is not None:
            note_seen([each.pk for each in some], reader=reader)
        yield from some


def note_events_read(events: Iterable[Event], reader: User) -> None:
    """Reading the outcome of a review in the log counts as having seen the annotation."""
    told = (each for each in events if each.subject_kind == "annotation" and each.action in TELLS_OF_AN_ANNOTATION)
    note_seen([each.subject_id for each in told], reader=reader)


def with_blindness(tags: QuerySet[Tag], person: User | None) -> QuerySet[Tag]:
    """The tags with `is_blind`: whether this person is blind to them. None, a command, is never blind."""
    nobody = Value(False, output_field=BooleanField())
    return tags.annotate(is_blind=nobody if person is None else is_blind_to_each("pk", person))


def refuse_blind(tag: Tag, person: User) -> None:
    """Raises Forbidden if the outcome of an action would reveal another person's work on the tag."""
    if blind_tags(person).filter(tag=tag).exists():
        raise Forbidden(
            say(
                "You annotate this tag yourself, so other people's work on it is hidden until your annotation is "
                "decided. Another admin can do this. Nothing was changed."
            )
        )


def pages_open_to(reader: User) -> Q:
    """A filter of evidence: the tag's own and, of additional articles, those that this person requested. The others
    would show what another annotator read.
    """
    asked = EvidenceRequest.objects.filter(evidence=OuterRef("pk"), requested_by=reader)
    return ~Q(kind=EvidenceKind.FURTHER) | Q(Exists(asked))


def note_opened(annotations: Iterable[Annotation], *, reader: User) -> None:
    """Record that this person opens these annotations: as `note_seen` does and, for an admin, in the activity log."""
    others = [each for each in annotations if each.annotator_id != reader.pk]
    note_seen([each.pk for each in others], reader=reader)
    record_read(others, reader=reader)


def note_seen(annotations: Collection[int], *, reader: User) -> None:
    """Record that this person has been shown something of these annotations (given by primary key), except of their
    own. A repeated call costs no write.
    """
    if not annotations:
        return
    seen = SeenAnnotation.objects.filter(annotation=OuterRef("pk"), person=reader)
    others = Annotation.objects.filter(pk__in=annotations).exclude(annotator=reader)
    new = others.filter(~Exists(seen)).order_by().values_list("pk", flat=True)
    rows = [SeenAnnotation(annotation_id=pk, person=reader) for pk in new]
    if rows:
        SeenAnnotation.objects.bulk_create(rows, ignore_conflicts=True)
