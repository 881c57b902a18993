"""Stores a page read from a wiki as rows: one article per revision, one tag per occurrence across all revisions.

Every function here runs inside its caller's transaction, which has locked the wiki's row, so that no two harvests
store the same page at once.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import Max, Q
from django.utils import timezone

from core.languages import say
from core.models import Event, Project
from core.writing.locking import lock

from ..mediawiki import PageRevision
from ..models import Annotation, AnnotationAction, AnnotationState, Article, Assignment, Harvest, Tag, Wiki
from ..wikitext.families import FAMILIES
from ..wikitext.tags import FoundTag, find_tags
from .matching import match_tags
from .task_records import TaskRecord

# The location of a tag. If only this changes, the text has not.
LOCATION = {"start", "end", "occurrence", "section"}
# The columns by which the tag of a record is known in its article.
IDENTITY = ("raw", "paragraph", "occurrence")


@dataclass(slots=True)
class Stored:
    """The changes made by storing, for the harvest's counters."""

    articles_new: int = 0
    tags_found: int = 0
    tags_new: int = 0
    tags_gone: int = 0

    def __iadd__(self, other: "Stored") -> "Stored":
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self


class NotStored(Exception):
    """Raised if the page contradicts existing data; the message says how. Nothing was changed."""


def store_page(
    *, wiki: Wiki, page: PageRevision, found: Sequence[FoundTag], harvest: Harvest, is_live: bool
) -> Stored:
    """Make the rows match the page: its tags in order, its lost tags marked as gone.

    A page without tags is stored only if it had some before. `is_live` is false for a file, which may be older than
    the wiki's last answer. Raises `NotStored` if the page contradicts existing data.
    """
    # A tag that the program found is not in the article's source, so it can neither be seen again nor leave it.
    of_page = Tag.objects.filter(article__wiki=wiki, article__page_id=page.page_id, candidate=None, check_tag=None)
    known = list(of_page.order_by("start", "pk"))
    present = [tag for tag in known if tag.gone_at is None]
    gone = [tag for tag in known if tag.gone_at is not None]
    if not is_live:
        _refuse_older(wiki, page)
    stored = Stored(tags_found=len(found))
    if page.redirected_from:
        stored.tags_gone += mark_left(
            wiki=wiki,
            title=page.redirected_from,
            message=f"The article now redirects to “{page.title}”.",
            except_page=page.page_id,
        )
    if not found and not present:
        return stored
    article, is_new = article_of(wiki, page)
    stored.articles_new += is_new
    rows = fields_of(found)
    earlier = match_tags(present, gone, [Tag(**fields) for fields in rows])
    pairs = list(zip(earlier, rows, strict=True))
    begun = _begun([old for old, fields in pairs if old and (old.article_id != article.pk or changed(old, fields))])
    for old, fields in pairs:
        if old is None:
            add_tag(article=article, harvest=harvest, **fields)
            stored.tags_new += 1
        else:
            _see_again(old, fields, article, begun)
    seen = {old.pk for old in earlier if old}
    stored.tags_gone += _mark_gone(
        (tag for tag in present if tag.pk not in seen), "The tag is no longer in the article."
    )
    return stored


def mark_left(*, wiki: Wiki, title: str, message: str, except_page: int | None = None) -> int:
    """Mark all tags of the article last seen under this title as gone: it has been deleted or become a redirect.

    Tags of the page `except_page` stay. Returns the number of marked tags.
    """
    tags = Tag.objects.present().filter(article__wiki=wiki, last_seen_in__title=title)
    return _mark_gone(tags.exclude(article__page_id=except_page) if except_page else tags, message)


def store_record(*, record: TaskRecord, harvest: Harvest) -> Stored:
    """Make sure that the tag of a tasks JSON record exists. Raises `NotStored` if the record contradicts existing
    data.
    """
    columns = record_columns(record)
    article, is_new = Article.objects.get_or_create(title=record.title, url=record.url, revision_id=None)
    lock(Article.objects.filter(pk=article.pk))
    same = {name: columns[name] for name in IDENTITY}
    if Tag.objects.filter(article=article, **same).exists():
        return Stored(articles_new=is_new, tags_found=1)
    add_tag(article=article, harvest=harvest, **columns)
    return Stored(articles_new=is_new, tags_found=1, tags_new=1)


def record_columns(record: TaskRecord) -> dict[str, Any]:
    """The columns of a record's tag. Raises `NotStored` if its template is not known."""
    family = FAMILIES.get(record.template)
    if family is None:
        raise NotStored(say("“{template}” is not among the known contradiction templates.", template=record.template))
    return {
        "raw": record.tag,
        "family": family,
        "date": record.date,
        "reason": record.reason,
        "other_articles": list(_other_articles(record.source)),
        "paragraph": record.paragraph,
        "paragraph_clean": record.paragraph_clean,
        "occurrence": record.occurrence,
    }


@lru_cache(maxsize=1_000)  # most tags of a file have the same few texts
def _other_articles(source: str) -> tuple[str, ...]:
    found = find_tags(source)
    return found[0].other_articles if found else ()


def add_tag(*, article: Article, harvest: Harvest | None, **fields) -> Tag:
    """Create a tag, with the number of assignments in the project's settings."""
    needed = assignments_needed(Project.get(), article.title, fields)
    tag = Tag.objects.create(article=article, last_seen_in=article, harvest=harvest, **fields)
    Assignment.objects.bulk_create(Assignment.of(tag, number) for number in range(1, needed + 1))
    Event.record(AnnotationAction.FOUND, tag, after={"article": article.pk, "raw": tag.raw})
    return tag


def assignments_needed(project: Project, title: str, fields: Mapping[str, Any]) -> int:
    """The number of assignments of a new tag with these columns, in an article with this title."""
    key = "\n".join([title, fields["raw"], fields["paragraph"], str(fields.get("occurrence", 0))])
    return project.annotations_per_tag + falls_into_share(key, project.double_annotation_percent)


def falls_into_share(key: str, percent: int) -> bool:
    """Return whether `key` is among the chosen `percent` percent of all keys: decided by its hash, so always the
    same.
    """
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % 100 < percent


def _refuse_older(wiki: Wiki, page: PageRevision) -> None:
    of_page = Article.objects.filter(wiki=wiki, page_id=page.page_id)
    newest = of_page.aggregate(at=Max("revised_at"))["at"]
    if newest and page.revised_at < newest:
        raise NotStored(
            say(
                "The file holds its revision of {revised_at}, but a newer one, of {newest}, is known. Nothing was "
                "changed.",
                revised_at=f"{page.revised_at:%Y-%m-%d}",
                newest=f"{newest:%Y-%m-%d}",
            )
        )


def article_of(wiki: Wiki, page: PageRevision) -> tuple[Article, bool]:
    """The row of a page at this revision, and whether it is new. Raises `NotStored` if it is one of another page."""
    article, is_new = Article.objects.get_or_create(
        wiki=wiki, revision_id=page.revision_id, defaults=article_columns(page)
    )
    if article.page_id != page.page_id:
        raise NotStored(
            say(
                "Its revision {revision_id} is already known as one of “{title}”. Is the file from another "
                "wiki? Nothing was changed.",
                revision_id=page.revision_id,
                title=article.title,
            )
        )
    return article, is_new


def article_columns(page: PageRevision) -> dict[str, Any]:
    """The columns of a page's article, without those that identify it: wiki and revision."""
    return {
        "title": page.title[:500],
        "url": page.url[:2000],
        "page_id": page.page_id,
        "revised_at": page.revised_at,
        "wikitext": page.wikitext,
    }


def fields_of(found: Sequence[FoundTag]) -> list[dict]:
    """The columns of each tag. `occurrence` counts the tags before it with the same text and paragraph."""
    alike: Counter[tuple[str, str]] = Counter()
    rows = []
    for tag in found:
        rows.append(
            {
                "raw": tag.tag,
                "family": tag.family,
                "date": tag.date[:200],
                "reason": tag.reason,
                "other_articles": list(tag.other_articles),
                "section": tag.section[:1000],
                "placement": tag.placement,
                "paragraph": tag.paragraph,
                "paragraph_clean": tag.paragraph_clean,
                "start": tag.start,
                "end": tag.end,
                "occurrence": alike[tag.tag, tag.paragraph],
            }
        )
        alike[tag.tag, tag.paragraph] += 1
    return rows


def changed(tag: Tag, fields: dict) -> dict:
    """The columns in which a stored tag differs from these, with the new values."""
    return {name: value for name, value in fields.items() if getattr(tag, name) != value}


def _see_again(tag: Tag, fields: dict, article: Article, begun: set[int]) -> None:
    """Record that the tag is in this revision, too. Its text is updated until an annotator has begun to work from
    it.
    """
    if tag.gone_at is not None:
        Tag.objects.filter(pk=tag.pk).update(gone_at=None)
        Event.record(
            AnnotationAction.CAME_BACK,
            tag,
            before={"gone_at": tag.gone_at.isoformat()},
            after={"article": article.pk},
        )
    if tag.last_seen_in_id != article.pk:
        Tag.objects.filter(pk=tag.pk).update(last_seen_in=article)
    new = changed(tag, fields)
    if not new and tag.article_id == article.pk:
        return
    if tag.pk not in begun:
        before = {"article": tag.article_id} | {name: getattr(tag, name) for name in new}
        Tag.objects.filter(pk=tag.pk).update(article=article, **new)
        Event.record(AnnotationAction.FOLLOWED, tag, before=before, after={"article": article.pk} | new)
    elif new.keys() - LOCATION and tag.last_seen_in_id != article.pk:
        Event.record(
            AnnotationAction.KEPT,
            tag,
            after={"article": article.pk} | new,
            message="An annotator works from the text of the earlier revision, so it stays.",
        )


def _begun(tags: Iterable[Tag]) -> set[int]:
    """The tags that annotators are working on: with text written, or with a held assignment.

    The assignments stay locked until the transaction ends, so that nobody claims one while its text changes.
    """
    ids = [tag.pk for tag in tags]
    if not ids:
        return set()
    now = timezone.now()
    untouched = Q(version=0, state=AnnotationState.DRAFT)
    begun = set(Annotation.objects.filter(tag__in=ids).exclude(untouched).values_list("tag_id", flat=True))
    for assignment in Assignment.objects.select_for_update().filter(tag__in=ids).order_by("pk"):
        lapsed = assignment.lease_expires_at is not None and assignment.lease_expires_at <= now
        if assignment.annotator_id and (assignment.done_at or not lapsed):
            begun.add(assignment.tag_id)
    return begun


def _mark_gone(tags: Iterable[Tag], message: str) -> int:
    now, count = timezone.now(), 0
    for tag in tags:
        count += Tag.objects.present().filter(pk=tag.pk).update(gone_at=now)
        Event.record(AnnotationAction.MARKED_GONE, tag, after={"gone_at": now.isoformat()}, message=message)
    return count
