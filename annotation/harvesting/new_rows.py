"""Inserts many new articles and tags by a few statements. `revisions.add_tag` does the same for one tag."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.engine.writing.inserts import Insert, insert, new_keys
from core.models import Event, Project

from ..models import AnnotationAction, Article, Assignment, Harvest, Tag
from .revisions import assignments_needed

Columns = Mapping[str, Any]


def insert_articles(articles: Sequence[Columns]) -> list[int]:
    """Insert articles with these columns; returns their keys. Raises the database's errors."""
    keys = new_keys(Article, len(articles)) if articles else []
    insert(Insert.of(Article, id=key, **columns) for key, columns in zip(keys, articles, strict=True))
    return list(keys)


def insert_tags(harvest: Harvest, tags: Sequence[tuple[int, str, Columns]]) -> None:
    """Insert tags with their assignments and their entries in the log. Raises the database's errors.

    Args:
        harvest: the one that found them.
        tags: of each the key and title of its article, and its columns.
    """
    if not tags:
        return
    project, rows = Project.get(), list[Insert]()
    for key, (article, title, columns) in zip(new_keys(Tag, len(tags)), tags, strict=True):
        rows += _rows_of_tag(key, article, columns, harvest, assignments_needed(project, title, columns))
    insert(rows)


def _rows_of_tag(key: int, article: int, columns: Columns, harvest: Harvest, needed: int) -> Iterator[Insert]:
    found_in = {"article_id": article, "last_seen_in_id": article, "harvest_id": harvest.pk}
    yield Insert.of(Tag, id=key, **found_in, **columns)
    for number in range(1, needed + 1):
        yield Insert.of(Assignment, tag_id=key, number=number)
    yield Insert.of(
        Event,
        action=AnnotationAction.FOUND.value,
        subject_kind=Tag._meta.model_name,
        subject_id=key,
        after={"article": article, "raw": columns["raw"]},
    )
