"""A person's annotations and comments, for the person's own file, and comments without a person's names."""

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import Q

from core.leaving.pseudonyms import names_of
from core.models import User

from ...content.rows import content_of
from ...models import Annotation, Comment


def annotations_of(person: User) -> Iterable[dict[str, Any]]:
    """The person's annotations with their content, drafts included."""
    for annotation in Annotation.objects.filter(annotator=person).order_by("pk").iterator(chunk_size=100):
        times = {name: getattr(annotation, name) for name in ("created_at", "saved_at", "submitted_at", "seconds")}
        content = content_of(annotation)
        yield {"tag": annotation.tag_id, "state": annotation.state, **times, "content": content}


def comments_of(person: User) -> Iterable[dict[str, Any]]:
    for comment in Comment.objects.filter(author=person).order_by("pk"):
        yield {name: getattr(comment, name) for name in ("at", "field", "quote", "text")}


def replace_in_comments(person: User, replace: Callable[[str], str]) -> None:
    """Replace the person's names in the texts of comments."""
    in_text = Q()
    for name in names_of(person):
        in_text |= Q(text__icontains=name)
    for comment in Comment.objects.filter(in_text):
        if (text := replace(comment.text)) != comment.text:
            Comment.objects.filter(pk=comment.pk).update(text=text)
