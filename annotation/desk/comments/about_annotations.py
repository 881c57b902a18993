"""Annotations as topics of comments. `annotations_open_to` alone decides who may read a comment; nobody else gets a
notice.
"""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from core.languages import say
from core.models import Role, User

from ...content.choices import as_text
from ...content.fields import FIELDS, Content, questions_of
from ...content.rows import content_of
from ...models import Annotation, Assignment, Comment
from ...models.annotations import AnnotationQuerySet
from ..visibility import is_blind_to, note_seen
from .topics import Topic

ORDER = {name: position for position, name in enumerate(["", *FIELDS])}


def annotations_open_to(person: User) -> AnnotationQuerySet:
    """The annotations whose comments this person may read and write: their own and, for reviewers and admins, all
    others; but none of a tag that they annotate or could still get, until all of its annotations are submitted or
    decided.
    """
    if not person.has_role(Role.REVIEWER, Role.ADMIN):
        return Annotation.objects.filter(annotator=person)
    others = ~Q(is_blind_to("tag", person))
    if person.has_role(Role.ANNOTATOR):
        of_another = Q(annotator=None) | ~Q(annotator=OuterRef("annotator"))
        others &= Q(~Exists(Assignment.objects.unfinished().filter(of_another, tag=OuterRef("tag"))))
    return Annotation.objects.filter(Q(annotator=person) | others)


def field_label(name: str) -> str:
    """The topic of a comment, in words."""
    return FIELDS[name].label if name in FIELDS else say("The annotation as a whole")


def fields_to_discuss(content: Content) -> list[tuple[str, str]]:
    """Names and labels of the fields that can be discussed: of the questions, only those that exist."""
    shown = max(1, len(questions_of(content)))
    hidden = {f"question{number}" for number in range(shown + 1, 11)} | {"origin_confirmed"}
    return [(name, one.label) for name, one in FIELDS.items() if name.split("_answer")[0] not in hidden]


class AboutAnnotation(Topic):
    """An annotation as a topic of comments."""

    kind = "annotation"
    name = say("annotation")
    whole = say("the annotation as a whole")
    closed_to_them = say("is not someone who can see this annotation")

    def __init__(self, annotation: Annotation) -> None:
        self.annotation = annotation

    @cached_property
    def _content(self) -> Content:
        return content_of(self.annotation)

    @property
    def key(self) -> str:
        return str(self.annotation.pk)

    @property
    def title(self) -> str:
        return self.annotation.tag.article.title

    def is_open_to(self, person: User) -> bool:
        return annotations_open_to(person).filter(pk=self.annotation.pk).exists()

    def people(self) -> QuerySet[User]:
        """The annotation's writer, and all reviewers of annotations and admins. This does not depend on who else
        annotates the tag.
        """
        by_role = Q(groups__name__in=[Role.REVIEWER, Role.ADMIN]) | Q(is_superuser=True)
        people = User.objects.filter(by_role | Q(pk=self.annotation.annotator_id), is_active=True)
        return people.distinct().order_by("username")

    def fields(self) -> list[tuple[str, str]]:
        return fields_to_discuss(self._content)

    def label(self, field: str) -> str:
        return field_label(field)

    def has(self, field: str) -> bool:
        return field in FIELDS

    def text(self, field: str) -> str:
        return as_text(field, self._content[field]) if field in FIELDS else ""

    def position(self, field: str) -> int:
        return ORDER.get(field, len(ORDER))

    def comments(self, person: User) -> QuerySet[Comment]:
        return Comment.objects.filter(annotation=self.annotation)

    def create(self, author: User, values: Mapping[str, Any]) -> Comment:
        return Comment.objects.create(annotation=self.annotation, author=author, **values)

    def write_address(self) -> str:
        return reverse("conversation_write", args=[self.annotation.pk])

    def conversation_address(self, reader: User) -> str:
        return reverse("conversation", args=[self.annotation.pk]) + "#comments-all"

    def address(self, comment: Comment, reader: User) -> str:
        annotation = self.annotation
        if annotation.annotator_id == reader.pk and annotation.is_writable and reader.has_role(Role.ANNOTATOR):
            desk = reverse("desk_annotation", args=[annotation.pk])
            return f"{desk}?{urlencode({'comments': comment.field})}"
        return f"{reverse('conversation', args=[annotation.pk])}#comment-{comment.reply_to_id or comment.pk}"

    def stands_at(self) -> dict[str, object]:
        return {"annotation": self.annotation.pk}

    def note_read(self, comments: Collection[Comment], *, reader: User) -> None:
        # Its fields are named there, and comments quote them.
        note_seen([self.annotation.pk], reader=reader)

    @property
    def writer(self) -> User | None:
        return self.annotation.annotator

    @property
    def may_ask(self) -> bool:
        """Return True only while no other question is open."""
        return not self.annotation.comments.open_asks().exists()

    def may_answer(self, person: User) -> bool:
        return person.has_role(Role.REVIEWER, Role.ADMIN) and self.annotation.annotator_id != person.pk

    @classmethod
    def comments_open_to(cls, person: User, comment: str) -> Q | None:
        # Asked of each comment: SQLite would begin with a list of all annotations that are open to a person.
        column = "annotation" if comment == "pk" else f"{comment}__annotation"
        return Q(Exists(annotations_open_to(person).filter(pk=OuterRef(column))))

    @classmethod
    def of(cls, comments: Collection[Comment]) -> dict[int, Topic]:
        return {each.pk: cls(each.annotation) for each in comments}

    @classmethod
    def note_seen(cls, comments: Collection[Comment], *, reader: User) -> None:
        note_seen([each.annotation.pk for each in comments], reader=reader)
