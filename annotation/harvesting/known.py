"""The stored rows of many pages or records, each kind read by one query."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import F, Max

from core.writing.locking import lock

from ..mediawiki import PageRevision
from ..models import Article, Tag, Wiki
from ..wikitext.tags import FoundTag
from .revisions import IDENTITY, changed, fields_of
from .task_records import TaskRecord


class KnownPages:
    """The stored articles and tags of some pages of a dump."""

    def __init__(self, wiki: Wiki, pages: Sequence[PageRevision]) -> None:
        self._times = Counter(page.page_id for page in pages)
        self._revision_times = Counter(page.revision_id for page in pages)
        of_pages = Article.objects.filter(wiki=wiki, page_id__in=self._times)
        newest = of_pages.order_by().values("page_id").annotate(at=Max("revised_at"))
        self._newest: dict[int | None, datetime | None] = dict(newest.values_list("page_id", "at"))
        revisions = Article.objects.filter(wiki=wiki, revision_id__in=self._revision_times)
        self._articles = {
            number: (pk, page) for number, pk, page in revisions.values_list("revision_id", "pk", "page_id")
        }
        self._tags: dict[int, list[Tag]] = defaultdict(list)
        tags = Tag.objects.filter(
            article__wiki=wiki, article__page_id__in=self._times, candidate=None, check_tag=None
        )
        for tag in tags.annotate(of_page=F("article__page_id")).order_by("start", "pk"):
            self._tags[tag.of_page].append(tag)

    def is_new(self, page: PageRevision) -> bool:
        """Return whether nothing of the page is stored, and the page is not twice among these."""
        once = self._times[page.page_id] == 1 and self._revision_times[page.revision_id] == 1
        return once and page.page_id not in self._newest and page.revision_id not in self._articles

    def is_same(self, page: PageRevision, found: Sequence[FoundTag]) -> bool:
        """Return whether just these tags of the page are stored, as read from this revision, the newest known."""
        article, of_page = self._articles.get(page.revision_id, (None, None))
        if of_page != page.page_id or self._times[page.page_id] > 1 or self._newest[page.page_id] != page.revised_at:
            return False
        tags, rows = self._tags[page.page_id], fields_of(found)
        return len(tags) == len(rows) and all(
            tag.gone_at is None and tag.article_id == tag.last_seen_in_id == article and not changed(tag, fields)
            for tag, fields in zip(tags, rows, strict=True)
        )


class KnownRecords:
    """The stored articles and tags of some records. These articles stay locked until the transaction ends."""

    def __init__(self, records: Iterable[TaskRecord]) -> None:
        by_title = {record.title: record for record in records}
        articles = Article.objects.filter(revision_id=None, title__in=by_title)
        lock(articles)
        self.articles = {(title, url): pk for title, url, pk in articles.values_list("title", "url", "pk")}
        tags = Tag.objects.filter(article__in=list(self.articles.values()), check_tag=None).order_by()
        self.tags: set[tuple] = set(tags.values_list("article_id", *IDENTITY)) if self.articles else set()
