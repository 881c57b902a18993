"""A wiki's data as plain values, read from replies. Saves nothing."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from core.languages import say
from core.outside import storable, web_address

Cursor = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SiteInfo:
    name: str
    language: str
    # Of its texts; "" where it does not say.
    licence: str = ""
    licence_url: str = ""


@dataclass(frozen=True, slots=True)
class PageRevision:
    """An article at its newest revision."""

    title: str
    page_id: int
    namespace: int
    revision_id: int
    revised_at: datetime
    wikitext: str
    url: str
    redirected_from: str = ""


@dataclass(frozen=True, slots=True)
class MissingPage:
    """A requested or listed page whose text is not available.

    `is_gone` says that there is no article with this title now; otherwise there may be one that cannot be read.
    """

    title: str
    reason: str
    is_gone: bool = False


@dataclass(slots=True)
class Batch:
    """The result of one round of requests. `cursor` can be stored as JSON; passed in again, it continues after this
    batch.

    `total` is the expected number of pages, according to the wiki: for a category it includes other namespaces.
    """

    pages: list[PageRevision] = field(default_factory=list)
    missing: list[MissingPage] = field(default_factory=list)
    cursor: Cursor = field(default_factory=dict)
    total: int | None = None


def read_page(page: dict[str, Any], *, redirected_from: str = "") -> PageRevision | MissingPage:
    """A page of a reply to prop=revisions|info."""
    title = storable(str(page.get("title", "")))
    if reason := why_unusable(page):
        is_gone = bool(page.get("missing") or page.get("redirect") or page.get("ns") != 0)
        return MissingPage(redirected_from or title, reason, is_gone)
    try:
        revision = max(page["revisions"], key=lambda one: one["revid"])  # edited while the reply came in
        slot = revision["slots"]["main"]
        if slot.get("texthidden") or revision.get("texthidden"):
            return MissingPage(
                redirected_from or title, say("The text of its newest revision is hidden from readers.")
            )
        if slot.get("contentmodel", "wikitext") != "wikitext":
            return MissingPage(
                redirected_from or title,
                say("It holds {model}, not wikitext.", model=storable(str(slot["contentmodel"]))),
            )
        return PageRevision(
            title=title,
            page_id=row_number(page["pageid"]),
            namespace=page["ns"],
            revision_id=row_number(revision["revid"]),
            revised_at=moment(revision["timestamp"]),
            wikitext=storable(slot["content"]),
            url=web_address(page.get("canonicalurl")) or web_address(page.get("fullurl")),
            redirected_from=redirected_from,
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return MissingPage(redirected_from or title, say("The wiki's reply about it cannot be read."))


def why_unusable(page: dict[str, Any]) -> str:
    """The reason why a page of a reply has no article; "" if it has one."""
    if page.get("invalid"):
        reason = storable(str(page.get("invalidreason", "no reason given")))
        return say("It cannot be a title: {reason}", reason=reason)
    if page.get("missing"):
        return say("There is no such page.")
    if page.get("special") or page.get("ns") != 0:
        return say("It is not an article, but a page of another namespace.")
    if page.get("redirect"):
        return say("It is a redirect that leads to no article.")
    if not page.get("revisions"):
        return say("The wiki gave no text for it.")
    return ""


def moment(timestamp: str) -> datetime:
    """An ISO 8601 time of MediaWiki; these are UTC."""
    at = datetime.fromisoformat(timestamp)
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def row_number(value: object) -> int:
    if not isinstance(value, int) or not 0 < value < 2**63:
        raise ValueError(value)
    return value
