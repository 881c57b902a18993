"""Looks through articles of a wiki, stored articles, a dump or a document, and stores the candidates."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from core.keeping.sending import may_send
from core.killable import GivenUp
from core.languages import joined, say, say_count
from core.models import User
from core.refusals import Refusal
from core.writing.progress import along

from ..assisting.untagged.candidates import MOST
from ..assisting.untagged.candidates import Candidate as Found
from ..harvesting.dumps.dump import DumpError
from ..harvesting.revisions import NotStored
from ..mediawiki import Batch, MissingPage, PageRevision, WikiError, refuse_unasked
from ..mediawiki import Wiki as WikiClient
from ..models import Article, Wiki
from .comparing import compared_dump, compared_page, compared_text
from .storing import store_candidates, store_page_candidates, store_text_candidates

LOOKING = say("Comparing pages")
MOST_PROBLEMS = 100
NOT_ASKED = say("Nothing may go out from this machine now, so the wiki was not asked. Nothing was stored.")


@dataclass(slots=True)
class Look:
    """One pass, and its result so far.

    Attributes:
        by: the person who asked; None at the command line.
        check_only: whether nothing is stored.
        least, most: the least score of a candidate, and the maximum number of a page.
        on_found: is called with the title and the candidates of each page.
        pages, found, new: pages compared, candidates found, and how many of these were not stored yet.
        problems: pages that could not be used, with the reason.
    """

    by: User | None = None
    check_only: bool = False
    least: float = 0.0
    most: int = MOST
    on_found: Callable[[str, Sequence[Found]], object] = lambda title, found: None
    pages: int = 0
    found: int = 0
    new: int = 0
    problems: list[str] = field(default_factory=list)
    more_problems: int = 0

    def lines(self) -> Iterator[str]:
        """The result as lines of text."""
        pages = say_count(self.pages, "{count:,} page compared", "{count:,} pages compared")
        found = say_count(self.found, "{count:,} candidate found", "{count:,} candidates found")
        yield say("{pages}, {found}.", pages=pages, found=found)
        if self.found and not self.check_only and self.new:
            yield say("{new:,} new, to decide on the page Find.", new=self.new)
        elif self.found and not self.check_only:
            yield say("None of them is new.")
        yield from self.problems
        if self.more_problems:
            yield say_count(
                self.more_problems,
                "{count:,} more page could not be used.",
                "{count:,} more pages could not be used.",
            )

    def note(self, title: str, reason: str) -> None:
        """Note a page that could not be used."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(joined([title, reason], ": "))
        else:
            self.more_problems += 1

    def take(self, title: str, found: Sequence[Found], store: Callable[[Sequence[Found]], int]) -> None:
        """Count the candidates of a page, and store them unless this is a check."""
        chosen = [each for each in found if each.score >= self.least][: max(self.most, 0)]
        self.pages, self.found = self.pages + 1, self.found + len(chosen)
        if not chosen:
            return
        if not self.check_only:
            try:
                self.new += store(chosen)
            except NotStored as problem:
                self.note(title, str(problem))
                return
        self.on_found(title, chosen)


def look_at_titles(look: Look, *, wiki: Wiki, titles: Sequence[str], contact: str = "") -> None:
    """Look through these articles of a wiki, as they are now. Raises Refusal if it may not or cannot be asked."""
    if not wiki.is_allowed:
        raise Refusal(say("Choose a wiki that is allowed. An admin can allow wikis on the Wikis page."), status=400)
    contact = contact or settings.WIKI_CONTACT
    refuse_unasked(wiki.api_url, contact=contact)
    if not may_send():
        raise Refusal(NOT_ASKED)
    client = WikiClient(wiki.api_url, contact=contact)
    try:
        asked = _pages_of(client.pages_by_title(titles))
        for page in along(LOOKING, asked, of=len(titles), every=1):
            if isinstance(page, MissingPage):
                look.note(page.title, page.reason)
            elif (found := _compared(look, compared_page, page.title, page.wikitext)) is not None:
                look.take(page.title, found, _storing(look, wiki, page))
    except WikiError as error:
        raise Refusal(
            say("The wiki did not answer as expected. {error} {kept}", error=str(error), kept=_kept(look))
        ) from error


def look_at_stored(look: Look, *, titles: Sequence[str] = ()) -> None:
    """Look through the stored articles with these titles, or through all, each at its newest stored revision."""
    rows = Article.objects.exclude(wikitext="")
    if titles:
        rows = rows.filter(title__in=titles)
        for title in sorted(set(titles) - set(rows.values_list("title", flat=True))):
            look.note(title, "It is not among the stored articles.")
    newest = _newest(rows.order_by("wiki", "page_id", "-revised_at", "-pk").values_list("pk", "wiki", "page_id"))
    for pk in along(LOOKING, newest, of=len(newest), every=1):
        article = Article.objects.get(pk=pk)
        compare = compared_text if article.page_id is None else compared_page
        found = _compared(look, compare, article.title, article.wikitext)
        if found is not None:
            look.take(article.title, found, _storing_stored(look, article))


def look_at_dump(
    look: Look, *, wiki: Wiki | None, path: Path | str, closely: bool = False, processes: int | None = None
) -> None:
    """Look through a dump of this wiki, which only a check can do without. `closely` also compares any two sentences.

    Raises Refusal if the dump cannot be read to its end; what was found before is stored.
    """
    if wiki is None and not look.check_only:
        raise Refusal(say("Say which wiki the dump comes from, so that its articles are recognised."), status=400)
    try:
        for page, found in along(LOOKING, compared_dump(path, closely=closely, processes=processes)):
            if isinstance(page, MissingPage):
                look.note(page.title, page.reason)
            else:
                look.take(page.title, found, _storing(look, wiki, page))
    except (DumpError, OSError) as error:
        raise Refusal(joined([str(error), _kept(look)])) from error


def look_at_document(look: Look, *, title: str, text: str) -> None:
    """Look through a document in plain text. Raises Refusal if it has no text, or another text than a stored one."""
    if not text.strip():
        raise Refusal(say("The document “{title}” is empty. Nothing of it was stored.", title=title), status=400)
    if "\0" in text:
        raise Refusal(
            say("The document “{title}” is no plain text. Nothing of it was stored.", title=title), status=400
        )
    found = _compared(look, compared_text, title, text)
    if found is not None:
        look.take(
            title, found, lambda chosen: store_text_candidates(title=title, text=text, found=chosen, by=look.by)
        )


def _pages_of(batches: Iterable[Batch]) -> Iterator[PageRevision | MissingPage]:
    for batch in batches:
        yield from batch.pages
        yield from batch.missing


def _compared(look: Look, compare: Callable[[str, str], list[Found]], title: str, text: str) -> list[Found] | None:
    """The candidates of a page; None if it was given up, which is noted."""
    try:
        return compare(title, text)
    except GivenUp as error:
        look.note(title, error.reason)
        return None


def _storing(look: Look, wiki: Wiki | None, page: PageRevision) -> Callable[[Sequence[Found]], int]:
    def store(found: Sequence[Found]) -> int:
        return store_page_candidates(wiki=wiki, page=page, found=found, by=look.by) if wiki else 0

    return store


def _storing_stored(look: Look, article: Article) -> Callable[[Sequence[Found]], int]:
    return lambda found: store_candidates(article=article, found=found, by=look.by)


def _kept(look: Look) -> str:
    compared = say_count(
        look.pages, "{count:,} page before that was compared", "{count:,} pages before that were compared"
    )
    if look.check_only:
        return joined([compared, "."], "")
    stored = say_count(look.new, "{count:,} new candidate stored", "{count:,} new candidates stored")
    return say("{compared}, and {stored}.", compared=compared, stored=stored)


def _newest(rows: Iterable[tuple[int, int | None, int | None]]) -> list[int]:
    """The first key of each page; documents, which have no page number, each count."""
    seen: set[tuple[int | None, int]] = set()
    keys = []
    for pk, wiki, page in rows:
        if page is None or (wiki, page) not in seen:
            keys.append(pk)
        if page is not None:
            seen.add((wiki, page))
    return keys
