"""Articles of one wiki by template, category or title, in as few requests as the API allows.

Built on https://www.mediawiki.org/wiki/API:Query: a generator lists the pages and the same request brings their text,
50 pages at a time, the limit for anyone but bots.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from core.engine.writing.pieces import in_chunks
from core.languages import say
from core.outside import storable, web_address

from .endpoint import Endpoint
from .errors import ApiError
from .pages import Batch, Cursor, PageRevision, SiteInfo, read_page
from .replies import Reply, lacks_text
from .revisions import Revisions

PAGES_A_REQUEST = 50
MOST_COUNTED = 10_000  # articles; 20 requests
MOST_CATEGORIES = 1_000
MOST_OF_AN_ADDRESS = 500
TEXTS: dict[str, str | int] = {
    "prop": "revisions|info",
    "rvprop": "ids|timestamp|content",
    "rvslots": "main",
    "inprop": "url",
}
REDIRECTS: dict[str, str | int] = {
    "redirects": 1,
    "prop": "redirects",
    "rdprop": "title",
    "rdnamespace": 10,
    "rdlimit": "max",
}
TEMPLATE_NAMESPACE, CATEGORY_NAMESPACE = 10, 14


class Wiki(Revisions):
    """Asks one wiki. Takes the settings of `Endpoint`; every method raises its `WikiError`s."""

    def __init__(self, api_url: str, **settings: Any):
        self.endpoint = Endpoint(api_url, **settings)

    def site(self) -> SiteInfo:
        told = self.endpoint.query(meta="siteinfo", siprop="general|rightsinfo").get("query", {})
        general, rights = told.get("general"), told.get("rightsinfo")
        if not isinstance(general, dict):
            raise ApiError(say("{host} does not say what wiki it is.", host=self.endpoint.host), code="nositeinfo")
        name, language = (storable(str(general.get(name, ""))) for name in ("sitename", "lang"))
        return SiteInfo(name, language, *_licence_in(rights, general))

    # --- Templates ------------------------------------------------------------------------------------------

    def template_names(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Every spelling of these templates on this wiki: each template's name, with its redirects.

        Redirects are followed; names missing on the wiki are left out.
        """
        found: dict[str, list[str]] = {}
        for chunk in in_chunks((f"Template:{template_name(name)}" for name in names), PAGES_A_REQUEST):
            for reply in self._complete(REDIRECTS, chunk):
                for page in reply.pages.values():
                    if page.get("missing") or page.get("ns") != TEMPLATE_NAMESPACE:
                        continue
                    others = [other["title"] for other in page.get("redirects", [])]
                    asked = [name for name in chunk if reply.leads_to(name) == page["title"]]
                    spellings = map(bare, [page["title"], *others, *asked])
                    found[bare(page["title"])] = unique([*found.get(bare(page["title"]), []), *spellings])
        return found

    def pages_with_templates(self, names: Iterable[str], *, cursor: Cursor | None = None) -> Iterator[Batch]:
        """Articles with one of these templates, under any spelling; each article once."""
        if cursor is None:
            titles = self._template_titles(names)
            cursor = {"todo": titles, "total": self._count_articles(titles)}
        yield from self._walk(cursor, {"generator": "embeddedin", "geinamespace": 0}, "gei")

    def count_with_templates(self, names: Iterable[str]) -> int | None:
        """The number of articles that `pages_with_templates` would return; None if more than `MOST_COUNTED`."""
        return self._count_articles(self._template_titles(names))

    def _template_titles(self, names: Iterable[str]) -> list[str]:
        """The templates whose articles to list: under their own names, and those in use that have no page on the
        wiki."""
        names = unique(map(template_name, names))
        canonical = self.template_names(names)
        known = {spelling for spellings in canonical.values() for spelling in spellings}
        in_use = self._used_without_page([name for name in names if name not in known])
        return [f"Template:{name}" for name in [*canonical, *in_use]]

    def _count_articles(self, templates: Iterable[str]) -> int | None:
        """Counts each article once, 500 per request, without loading texts."""
        found: set[int] = set()
        for title in templates:
            listing = {"generator": "embeddedin", "geinamespace": 0, "geititle": title, "geilimit": "max"}
            for reply in self._complete(listing):
                found |= {page["pageid"] for page in reply.pages.values() if "pageid" in page}
                if len(found) > MOST_COUNTED:
                    return None
        return len(found)

    def _used_without_page(self, names: Sequence[str]) -> list[str]:
        """The templates among these that are used in articles although the wiki has no page for them."""
        asking = {"prop": "transcludedin", "tiprop": "title", "tinamespace": 0, "tilimit": "max"}
        titles = in_chunks((f"Template:{name}" for name in names), PAGES_A_REQUEST)
        replies = (self._complete(asking, chunk) for chunk in titles)
        pages = (page for group in replies for reply in group for page in reply.pages.values())
        return [bare(page["title"]) for page in pages if page.get("transcludedin")]

    # --- Categories -----------------------------------------------------------------------------------------

    def pages_in_category(self, category: str, *, depth: int = 0, cursor: Cursor | None = None) -> Iterator[Batch]:
        """Articles of a category and, if it is kept by month ("... from May 2023"), of the monthly categories too.

        With a `depth`, also of that many levels of its other sub-categories. The cursor has the number of `unread`
        sub-categories.
        """
        if cursor is None:
            sizes, unread = self._category_sizes(category, depth)
            cursor = {"todo": list(sizes), "total": sum(sizes.values()), "unread": unread}
        yield from self._walk(cursor, {"generator": "categorymembers", "gcmnamespace": 0}, "gcm")

    def category_size(self, category: str, *, depth: int = 0) -> tuple[int, int]:
        """The approximate number of pages that `pages_in_category` returns, and the number of sub-categories it
        leaves unread.
        """
        sizes, unread = self._category_sizes(category, depth)
        return sum(sizes.values()), unread

    def _category_sizes(self, category: str, depth: int) -> tuple[dict[str, int], int]:
        """Each category to read with its number of pages, and the number of deeper sub-categories."""
        top = self._category(category)
        found, unread, level = {top["title"]: top}, set(), [top]
        for left in range(depth, -1, -1):
            below: list[dict[str, Any]] = []
            for parent in level:
                for page in self._subcategories(parent):
                    title = page["title"]
                    if title in found:
                        continue
                    if is_dated(title, parent["title"]):
                        found[title] = page
                    elif left:
                        found[title] = page
                        below.append(page)
                    else:
                        unread.add(title)
                if len(found) > MOST_CATEGORIES:
                    raise ApiError(
                        say(
                            "“{name}” has more than {most:,} sub-categories at this depth. Choose a "
                            "smaller depth, or one of its sub-categories.",
                            name=bare(top["title"]),
                            most=MOST_CATEGORIES,
                        ),
                        code="toomanycategories",
                    )
            level = below
        if top.get("missing") and "categoryinfo" not in top and len(found) == 1 and not unread:
            raise ApiError(
                say("{host} has no category “{name}”.", host=self.endpoint.host, name=bare(top["title"])),
                code="missingcategory",
            )
        sizes = {title: page.get("categoryinfo", {}).get("pages", 0) for title, page in found.items()}
        return sizes, len(unread - set(found))

    def _category(self, category: str) -> dict[str, Any]:
        reply = next(self._complete({"prop": "categoryinfo"}, [category, f"Category:{category}"]))
        given = [page for page in reply.pages.values() if page.get("ns") == CATEGORY_NAMESPACE]
        if not given:
            raise ApiError(
                say(
                    "“{category}” cannot be the name of a category on {host}.",
                    category=category,
                    host=self.endpoint.host,
                ),
                code="invalidcategory",
            )
        return min(given, key=lambda page: len(page["title"]))

    def _subcategories(self, parent: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "categoryinfo" in parent and not parent["categoryinfo"].get("subcats"):
            return
        members = {
            "generator": "categorymembers",
            "gcmtitle": parent["title"],
            "gcmtype": "subcat",
            "gcmlimit": "max",
        }
        for reply in self._complete({"prop": "categoryinfo", **members}):
            yield from reply.pages.values()

    # --- Titles ---------------------------------------------------------------------------------------------

    def pages_by_title(self, titles: Iterable[str], *, cursor: Cursor | None = None) -> Iterator[Batch]:
        """The articles with these titles or addresses; redirects are followed. To continue from a cursor, pass the
        same titles."""
        wanted = unique(filter(None, map(title_of, titles)))
        seen: set[int] = set()
        done = (cursor or {}).get("done", 0)
        for chunk in in_chunks(wanted[done:], PAGES_A_REQUEST):
            done += len(chunk)
            batch = Batch(cursor={"done": done}, total=len(wanted))
            for reply in self._complete({**TEXTS, "redirects": 1}, chunk):
                answered = self._collect(batch, reply, seen, reply.asked_as(chunk))
                batch.missing += reply.elsewhere(chunk, answered)
            yield batch

    # --- Replies --------------------------------------------------------------------------------------------

    def _walk(self, cursor: Cursor, listing: dict[str, str | int], prefix: str) -> Iterator[Batch]:
        """Batches of what a generator lists for each title in `cursor["todo"]`, from `cursor["continue"]` on."""
        todo, at, total = list(cursor["todo"]), cursor.get("continue"), cursor.get("total")
        seen: set[int] = set()
        while todo:
            of_one = {**TEXTS, **listing, f"{prefix}title": todo[0], f"{prefix}limit": PAGES_A_REQUEST}
            try:
                for reply in self._complete(of_one, at=at):
                    rest = todo if reply.after else todo[1:]
                    batch = Batch(cursor={**cursor, "todo": rest, "continue": reply.after}, total=total)
                    self._collect(batch, reply, seen, {})
                    yield batch
            except ApiError as error:
                if error.code != "badcontinue" or at is None:
                    raise
                at = None  # the continuation has expired: this list is read from its beginning
                continue
            todo, at = todo[1:], None

    def _collect(self, batch: Batch, reply: Reply, seen: set[int], asked_as: dict[str, str]) -> set[str]:
        """Add the reply's pages to the batch, each page once per walk; returns the titles that were answered."""
        textless = [str(page["pageid"]) for page in reply.pages.values() if lacks_text(page)]
        if textless:
            for again in self._complete({**TEXTS, "pageids": "|".join(textless)}):
                reply.pages.update(again.pages)
        for page in reply.pages.values():
            if page.get("pageid") in seen:
                continue
            if "pageid" in page:
                seen.add(page["pageid"])
            result = read_page(page, redirected_from=asked_as.get(page.get("title", ""), ""))
            if isinstance(result, PageRevision):
                batch.pages.append(result)
            elif asked_as or not page.get("redirect"):
                batch.missing.append(result)
        return {page.get("title", "") for page in reply.pages.values()}

    def _complete(
        self, parameters: dict[str, Any], titles: Sequence[str] = (), *, at: dict[str, Any] | None = None
    ) -> Iterator[Reply]:
        """Complete replies: the pieces of each reply are put together, with the same parameters throughout."""
        if titles:
            parameters = {**parameters, "titles": "\x1f" + "\x1f".join(titles)}
        reply, after = Reply(), at
        while True:
            answer = self.endpoint.query(**parameters, **(after or {}))
            grew = reply.add(answer.get("query"))
            before, after = after, answer.get("continue")
            if after is not None and not isinstance(after, dict):
                after = None
            stuck = after == before and not grew
            if answer.get("batchcomplete") or after is None or stuck:
                reply.after = None if stuck else after
                yield reply
                reply = Reply()
                if after is None or stuck:
                    return


def _licence_in(rights: Any, general: dict[str, Any]) -> tuple[str, str]:
    """The name and the address of the licence that a wiki states for its texts; "" for missing ones."""
    if not isinstance(rights, dict):
        return "", ""
    name, url = (storable(str(rights.get(key) or "")).strip() for key in ("text", "url"))
    return name, web_address(urljoin(str(general.get("base") or ""), url))[:MOST_OF_AN_ADDRESS] if url else ""


def template_name(text: str) -> str:
    """A template's name as MediaWiki writes it: blanks, no namespace, first letter upper case."""
    name = re.sub(r"[\s_]+", " ", text).strip()
    name = re.sub(r"^:?\s*template\s*:\s*", "", name, flags=re.IGNORECASE)
    return name[:1].upper() + name[1:]


def bare(title: str) -> str:
    """A title without its namespace, whatever language the namespace is in."""
    return storable(title.partition(":")[2] or title)


def is_dated(title: str, category: str) -> bool:
    """Return whether a category is the part of another for one month or year."""
    return title.startswith(category) and bool(re.search(r"\b(19|20)\d\d\b", title[len(category) :]))


def title_of(line: str) -> str:
    """The title in a line of a list: a title, a [[link]] or the address of an article."""
    text = line.strip().removeprefix("[[").removesuffix("]]")
    if re.match(r"https?://", text) and web_address(text):
        parts = urlsplit(text)
        path = re.search(r"/(?:wiki|index\.php)/(.+)", parts.path)
        text = parse_qs(parts.query).get("title", [""])[0] or (unquote(path[1]) if path else text)
    return re.sub(r"[\s_]+", " ", text.replace("\x1f", " ")).strip()


def unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
