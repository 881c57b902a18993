"""Stores the pages or records of a step, and notes those that cannot be stored as problems.

Most pages of a dump, and most records of a file, are new or known word for word. The new ones are stored together
(`new_rows`), the known ones need no change. Any other page is stored by itself (`revisions`). So are all of them if
the database refuses one, so that the problem has its title. Everything here runs inside its caller's transaction,
which has locked the wiki's row.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import DataError, IntegrityError, transaction

from core.languages import joined

from ..mediawiki import PageRevision
from ..models import Harvest, HarvestProblem, HarvestSource
from ..wikitext.tags import FoundTag
from .known import KnownPages, KnownRecords
from .new_rows import Columns, insert_articles, insert_tags
from .revisions import (
    IDENTITY,
    NotStored,
    Stored,
    article_columns,
    fields_of,
    record_columns,
    store_page,
    store_record,
)
from .sources import wiki_of
from .task_records import TaskRecord

# The result of reading a page: its tags, or why it was given up.
Reading = tuple[PageRevision, list[FoundTag] | str]
Tagged = tuple[PageRevision, list[FoundTag]]
T = TypeVar("T")


def store_readings(harvest: Harvest, readings: Sequence[Reading]) -> Stored:
    """Store what was found in pages, in their order; returns the changes."""
    pages = [page for page, found in readings if not isinstance(found, str)]
    is_dump = harvest.source == HarvestSource.DUMP
    known = KnownPages(wiki_of(harvest), pages) if is_dump and pages else None
    stored, new = Stored(), list[Tagged]()
    for page, found in readings:
        if isinstance(found, str):
            note_problem(harvest, page.title, found)
        elif known and known.is_new(page):
            new.append((page, found))
        elif known and known.is_same(page, found):
            stored.tags_found += len(found)
        else:
            stored += _store_new_pages(harvest, new)
            new = []
            stored += _store_page(harvest, (page, found))
    stored += _store_new_pages(harvest, new)
    return stored


def store_records(harvest: Harvest, records: Sequence[TaskRecord]) -> Stored:
    """Store the tags of these records that are not stored yet; returns the changes."""
    usable: list[tuple[TaskRecord, Columns]] = []
    for record in records:
        try:
            usable.append((record, record_columns(record)))
        except NotStored as problem:
            note_problem(harvest, record.title, str(problem))
    return _together(usable, lambda: _insert_records(harvest, usable), lambda each: _store_record(harvest, each[0]))


def note_problem(harvest: Harvest, title: str, reason: str) -> None:
    """Note why the page or record with this title was not used."""
    problem, is_new = HarvestProblem.objects.get_or_create(
        harvest=harvest, title=title[:500], defaults={"reason": reason}
    )
    if not is_new and reason not in problem.reason:
        problem.reason = joined([problem.reason, reason])
        problem.save(update_fields=["reason"])


def _together(values: Sequence[T], store: Callable[[], Stored], store_one: Callable[[T], Stored]) -> Stored:
    """Store all values by `store`; if the database refuses that, each by `store_one`."""
    if not values:
        return Stored()
    try:
        with transaction.atomic():
            return store()
    except (DataError, IntegrityError):
        stored = Stored()
        for value in values:
            stored += store_one(value)
        return stored


# --- Pages ----------------------------------------------------------------------------------------------------------


def _store_new_pages(harvest: Harvest, pages: Sequence[Tagged]) -> Stored:
    tagged = [each for each in pages if each[1]]  # a new page without tags is not stored
    return _together(tagged, lambda: _insert_pages(harvest, tagged), lambda each: _store_page(harvest, each))


def _insert_pages(harvest: Harvest, pages: Sequence[Tagged]) -> Stored:
    articles = [
        {"wiki_id": harvest.wiki_id, "revision_id": page.revision_id, **article_columns(page)} for page, _ in pages
    ]
    keys = insert_articles(articles)
    tags = [
        (key, article["title"], fields)
        for key, article, (_, found) in zip(keys, articles, pages, strict=True)
        for fields in fields_of(found)
    ]
    insert_tags(harvest, tags)
    return Stored(articles_new=len(keys), tags_found=len(tags), tags_new=len(tags))


def _store_page(harvest: Harvest, tagged: Tagged) -> Stored:
    page, found = tagged
    is_live = harvest.source != HarvestSource.DUMP
    try:
        with transaction.atomic():
            stored = store_page(wiki=wiki_of(harvest), page=page, found=found, harvest=harvest, is_live=is_live)
    except NotStored as problem:
        note_problem(harvest, page.title, str(problem))
        return Stored()
    except (DataError, IntegrityError) as problem:
        note_problem(harvest, page.title, f"The database refused it: {problem}".strip())
        return Stored()
    # After a resumption a listing may name pages again; they are stored again, as they may have changed, but each
    # counts once.
    if page.page_id in (harvest.cursor or {}).get("seen", []):
        stored.tags_found = 0
    return stored


# --- Records --------------------------------------------------------------------------------------------------------


def _insert_records(harvest: Harvest, usable: Sequence[tuple[TaskRecord, Columns]]) -> Stored:
    known = KnownRecords(record for record, _ in usable)
    named = dict.fromkeys((record.title, record.url) for record, _ in usable)
    new = [(title, url) for title, url in named if (title, url) not in known.articles]
    keys = insert_articles([{"title": title, "url": url} for title, url in new])
    articles = known.articles | dict(zip(new, keys, strict=True))
    tags: dict[tuple, tuple[int, str, Columns]] = {}
    for record, columns in usable:
        article = articles[record.title, record.url]
        identity = (article, *(columns[name] for name in IDENTITY))
        if identity not in known.tags:
            tags.setdefault(identity, (article, record.title, columns))
    insert_tags(harvest, list(tags.values()))
    return Stored(articles_new=len(new), tags_found=len(usable), tags_new=len(tags))


def _store_record(harvest: Harvest, record: TaskRecord) -> Stored:
    try:
        with transaction.atomic():
            return store_record(record=record, harvest=harvest)
    except (DataError, IntegrityError) as problem:
        note_problem(harvest, record.title, f"The database refused it: {problem}".strip())
        return Stored()
