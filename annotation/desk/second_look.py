"""What a reviewer sees: the queue, who may see which annotation, the other annotations of the tag."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q
from django.shortcuts import get_object_or_404

from .. import taxonomy
from ..errors import Refusal
from ..models import Annotation, AnnotationState, Article, Assignment, SecondLook, SeenAnnotation, User
from ..models.work import AnnotationQuerySet
from .content import FIELDS, Content
from .content_rows import content_of
from .marking import Piece, mark_spans, normalised

SHOWN = [look for look in SecondLook if look != SecondLook.NOT_YET]


def annotations_for(reviewer: User) -> AnnotationQuerySet:
    """What was handed in, but of the tags that this person annotates or annotated only what they wrote themselves:
    what others wrote stays hidden until theirs is decided, as they could still take it back and change it."""
    handed_in = Annotation.objects.exclude(state=AnnotationState.DRAFT)
    return handed_in.filter(Q(annotator=reviewer) | ~blind_for(reviewer))


def blind_for(reviewer: User) -> Q:
    """The annotations of tags that this person annotates or annotated, as long as theirs is not decided."""
    own = Annotation.objects.filter(annotator=reviewer)
    open_places = Assignment.objects.unfinished()
    return (
        Q(tag__in=open_places.filter(annotator=reviewer).values("tag"))
        | Q(tag__in=own.filter(state__in=[AnnotationState.SUBMITTED, AnnotationState.RETURNED]).values("tag"))
        | Q(tag__in=own.filter(state=AnnotationState.DRAFT, tag__in=open_places.values("tag")).values("tag"))
    )


def waiting_for(reviewer: User) -> AnnotationQuerySet:
    """What this person may decide on now, longest waiting first."""
    waiting = annotations_for(reviewer).at_second_look(SecondLook.WAITING).exclude(annotator=reviewer)
    return waiting.order_by("submitted_at", "pk")


def find_annotation(*, reviewer: User, pk: int) -> Annotation:
    """The annotation with all its parts. Raises Http404 for one that this person may not see, and Refusal while
    others still write about the same tag."""
    annotation = get_object_or_404(annotations_for(reviewer).with_second_look().with_parts(), pk=pk)
    if annotation.second_look == SecondLook.INCOMPLETE and annotation.annotator != reviewer:
        raise Refusal(
            "The other annotations of this tag are not in yet. All are shown together once they are, or once an "
            "admin lets the tag need fewer."
        )
    return annotation


def note_seen(annotation: Annotation, *, reviewer: User) -> None:
    """This person has read the annotation; whoever wrote it themselves has seen nothing new."""
    if annotation.annotator_id != reviewer.pk:
        SeenAnnotation.objects.get_or_create(annotation=annotation, person=reviewer)


def next_annotation(*, reviewer: User, after: Annotation | None = None) -> Annotation | None:
    """The one that waits longest, or longest after this one; None when nothing waits for this person."""
    waiting = waiting_for(reviewer)
    if after is not None and after.submitted_at:
        waiting = waiting.exclude(pk=after.pk)
        later = waiting.filter(
            Q(submitted_at__gt=after.submitted_at) | Q(submitted_at=after.submitted_at, pk__gt=after.pk)
        )
        return later.first() or waiting.first()
    return waiting.first()


def others_of(annotation: Annotation, *, reviewer: User) -> list[Annotation]:
    """The other annotations of the same tag that were handed in, in the order of their making."""
    others = annotations_for(reviewer).filter(tag=annotation.tag_id).exclude(pk=annotation.pk)
    return list(others.with_second_look().with_parts().order_by("pk"))


def may_suggest(annotation: Annotation, *, reviewer: User) -> bool:
    """Whether this person may suggest edits of it now; `annotation` knows its second look."""
    is_waiting = annotation.state == AnnotationState.SUBMITTED and annotation.annotator_id is not None
    return is_waiting and annotation.annotator_id != reviewer.pk


def source_address(article: Article) -> str:
    """Where the revision that was annotated can be read; empty where the record holds no web address."""
    if not article.url.startswith(("https://", "http://")):
        return ""
    if article.revision_id is None:
        return article.url
    return f"{article.url}{'&' if '?' in article.url else '?'}oldid={article.revision_id}"


@dataclass(frozen=True, slots=True)
class ComparedField:
    """One field of several annotations of a tag."""

    label: str
    values: list[str]
    agree: bool
    # Each value in pieces, the contradicted span marked in a passage.
    marked: list[list[Piece]]


def compare(annotations: list[Annotation]) -> list[ComparedField]:
    """The fields in which at least one of the annotations says something, and whether they all say the same."""
    return list(_compared(annotations))


def _compared(annotations: list[Annotation]) -> Iterator[ComparedField]:
    contents = [content_of(annotation) for annotation in annotations]
    for name, field in FIELDS.items():
        if name == "origin_confirmed":
            continue
        values = [_as_text(name, content[name]) for content in contents]
        if any(values):
            agree = len({normalised(value) for value in values}) == 1
            spans = [_span_of(name, content) for content in contents]
            marked = [mark_spans(value, span) for value, span in zip(values, spans, strict=True)]
            yield ComparedField(field.label, values, agree, marked)


def _span_of(name: str, content: Content) -> dict[int, str]:
    """The contradicted span of the passage that this field holds, if it holds one."""
    letter = name.removeprefix("paragraph")[:1]
    if not name.startswith(f"paragraph{letter}_information") or letter not in ("A", "B"):
        return {}
    return {"AB".index(letter) + 1: content[f"relevantInfo_comment_{letter}_Span"]}


def _as_text(name: str, value: str | list[str]) -> str:
    if isinstance(value, str):
        return value
    dimension = taxonomy.BY_KEY[name]
    return "\n".join(option.display for option in dimension.options if option.code in value)
