"""A wiki that answers from memory, in place of the HTTP client, to try the rules of harvesting alone."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from annotation.mediawiki import Batch, MissingPage, PageRevision
from annotation.models import Harvest
from annotation.wikitext.tags import may_have_tags

BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)


class FakeWiki:
    """Pages by title; `edit` makes a new revision. Lists its pages in batches of `batch`, oldest page first."""

    def __init__(self, batch: int = 50):
        self.pages: dict[str, PageRevision] = {}
        self.redirects: dict[str, str] = {}
        self.hidden: set[str] = set()
        self.spellings: dict[str, list[str]] = {}
        self.batch = batch
        self.revision = 100
        self.error: Exception | None = None
        self.error_after = 0
        self.asked: list[tuple[str, object]] = []

    def edit(self, title: str, wikitext: str) -> PageRevision:
        self.revision += 1
        number = self.pages[title].page_id if title in self.pages else 1000 + len(self.pages)
        self.pages[title] = PageRevision(
            title=title,
            page_id=number,
            namespace=0,
            revision_id=self.revision,
            revised_at=BEGINNING + timedelta(hours=self.revision),
            wikitext=wikitext,
            url=f"https://wiki.example/wiki/{title.replace(' ', '_')}",
        )
        return self.pages[title]

    def delete(self, title: str) -> None:
        del self.pages[title]

    # --- What the client offers -------------------------------------------------------------------------------

    def template_names(self, names: Iterable[str]) -> dict[str, list[str]]:
        self.asked.append(("names", sorted(names)))
        return self.spellings

    def pages_with_templates(self, names: Iterable[str], *, cursor=None) -> Iterator[Batch]:
        self.asked.append(("templates", sorted(names)))
        others = {spelling: "inconsistent" for names in self.spellings.values() for spelling in names}
        tagged = [
            page.title
            for page in self.pages.values()
            if may_have_tags(page.wikitext) or may_have_tags(page.wikitext, others)
        ]
        return self._batches(tagged, cursor)

    def pages_in_category(self, category: str, *, depth=0, cursor=None) -> Iterator[Batch]:
        self.asked.append(("category", category))
        return self._batches([page.title for page in self.pages.values() if category in page.wikitext], cursor)

    def pages_by_title(self, titles: Iterable[str], *, cursor=None) -> Iterator[Batch]:
        wanted = list(titles)
        self.asked.append(("titles", wanted))
        return self._batches(wanted, cursor)

    def _batches(self, titles: list[str], cursor) -> Iterator[Batch]:
        start = cursor["at"] if cursor else 0
        for first in range(start, len(titles), self.batch):
            if self.error and first >= self.error_after:
                raise self.error
            chunk = titles[first : first + self.batch]
            batch = Batch(cursor={"at": first + len(chunk)}, total=len(titles))
            for title in chunk:
                self._add(batch, title)
            yield batch

    def _add(self, batch: Batch, title: str) -> None:
        target = self.redirects.get(title, title)
        if target in self.hidden:
            batch.missing.append(MissingPage(title, "The text of its newest revision is hidden from readers."))
        elif target not in self.pages:
            batch.missing.append(MissingPage(title, "There is no such page.", is_gone=True))
        elif target != title:
            page = self.pages[target]
            values = {name: getattr(page, name) for name in page.__slots__}
            batch.pages.append(PageRevision(**{**values, "redirected_from": title}))
        else:
            batch.pages.append(self.pages[title])


def counters(harvest: Harvest) -> dict[str, int]:
    names = ("articles_seen", "articles_new", "tags_found", "tags_new", "tags_gone")
    return {name: getattr(harvest, name) for name in names}
