"""A person's annotations and comments, for the person's own file."""

from collections.abc import Iterable
from typing import Any

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
