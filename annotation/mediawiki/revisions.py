"""Single revisions of a wiki's pages: as readers see them, as wikitext, and who made them and when.

Built on https://www.mediawiki.org/wiki/API:Parsing_wikitext and https://www.mediawiki.org/wiki/API:Revisions.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.engine.writing.pieces import in_chunks
from core.languages import say
from core.outside import storable, web_address

from .endpoint import Endpoint
from .errors import ApiError
from .pages import moment, row_number
from .replies import Reply, dictionaries

REVISIONS_A_REQUEST = 500  # without their text; the limit for anyone but bots
TEXTS_A_REQUEST = 50
# Error codes of the API if a page or revision is not there, or not for readers.
GONE_CODES = {"missingtitle", "nosuchrevid", "nosuchpageid", "missingcontent-pageid", "missingcontent-revid"}
HIDDEN_CODES = {"permissiondenied", "revisiondeleted", "accessdenied"}
_STUBS: dict[str, str | int] = {"rvprop": "ids|timestamp|user|comment|flags|size|sha1|tags"}
# How MediaWiki marks an edit that undoes others, and what the comments of such edits begin with or contain.
_UNDOING_TAGS = {"mw-undo", "mw-rollback", "mw-manual-revert"}
_UNDOING_COMMENT = re.compile(
    r"\b(?:undid|undo|revert(?:ed|ing|s)?|rvv?|rollback|rolled back|restored|rückgängig|revertiert|zurückgesetzt"
    r"|révocation|révoqué|annulation|annulé)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page at a revision as the wiki shows it: the wiki's own HTML, which must not be shown here unsanitised."""

    title: str
    page_id: int
    revision_id: int
    html: str
    redirected_from: str = ""


@dataclass(frozen=True, slots=True)
class RevisionStub:
    """A revision's author, time and comment. Name and comment are None if the wiki hides them."""

    id: int
    parent_id: int
    at: datetime
    user: str | None
    comment: str | None
    size: int = 0
    sha1: str = ""
    is_minor: bool = False
    is_anonymous: bool = False
    tags: tuple[str, ...] = ()

    @property
    def undoes(self) -> bool:
        """Return whether the wiki or the comment says that it undoes other edits."""
        return not _UNDOING_TAGS.isdisjoint(self.tags) or bool(_UNDOING_COMMENT.search(self.comment or ""))


@dataclass(frozen=True, slots=True)
class PageNow:
    """A page's current state. `revision_id` is 0 if it no longer exists."""

    page_id: int
    title: str
    revision_id: int
    url: str = ""
    talk_title: str = ""
    has_talk: bool = False
    is_redirect: bool = False


@dataclass(frozen=True, slots=True)
class RevisionText:
    """The wikitext of one revision; None if the wiki hides it from readers."""

    page_id: int
    title: str
    revision_id: int
    at: datetime
    wikitext: str | None


class Revisions:
    """The part of `Wiki` that fetches single pages and revisions."""

    endpoint: Endpoint

    def _complete(
        self, parameters: dict[str, Any], titles: Sequence[str] = (), *, at: dict[str, Any] | None = None
    ) -> Iterator[Reply]:
        raise NotImplementedError

    def rendered(self, *, revision_id: int | None = None, title: str = "") -> RenderedPage:
        """A revision, or the newest one of a title (redirects are followed), as the wiki shows it to readers.

        Raises `ApiError` with a code in `GONE_CODES` or `HIDDEN_CODES` if there is nothing to show.
        """
        which = {"oldid": revision_id} if revision_id else {"page": title, "redirects": 1}
        reply: Any = self.endpoint.query(
            action="parse", prop="text|revid", disableeditsection=1, disabletoc=1, disablelimitreport=1, **which
        ).get("parse")
        try:
            steps = dictionaries(reply.get("redirects"))
            return RenderedPage(
                title=storable(str(reply["title"])),
                page_id=row_number(reply["pageid"]),
                revision_id=row_number(reply["revid"]),
                html=storable(str(reply["text"])),
                redirected_from=storable(str(steps[0].get("from", ""))) if steps else "",
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ApiError(
                say("{host} gave no page that can be read.", host=self.endpoint.host), code="unreadable"
            ) from None

    def pages_now(self, page_ids: Iterable[int]) -> dict[int, PageNow]:
        """The current state of these pages: title, newest revision, talk page. A deleted page has revision 0."""
        pages = self._pages({"prop": "info", "inprop": "url|talkid|associatedpage"}, "pageids", page_ids)
        return {page["pageid"]: _page_now(page) for page in pages if isinstance(page.get("pageid"), int)}

    def revisions_before(
        self, page_id: int, start_id: int | None, *, limit: int = REVISIONS_A_REQUEST
    ) -> list[RevisionStub]:
        """The revisions of a page, newest first, from `start_id` (inclusive) or from the newest: as many as one
        request returns.
        """
        asking: dict[str, Any] = {**_STUBS, "pageids": page_id, "rvlimit": limit}
        if start_id:
            asking["rvstartid"] = start_id
        return list(_stubs(self._page_of(asking)))

    def revision_at(self, page_id: int, at: datetime) -> tuple[RevisionStub, str | None] | None:
        """The newest revision at that time, with its wikitext; None if there was no page yet."""
        start = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        asking = {"rvprop": f"{_STUBS['rvprop']}|content", "rvslots": "main", "rvlimit": 1, "rvstart": start}
        page = self._page_of({**asking, "pageids": page_id})
        stub = next(_stubs(page), None)
        text = _texts_of(page).get(stub.id) if stub else None
        return (stub, text.wikitext if text else None) if stub else None

    def _page_of(self, asking: dict[str, Any]) -> dict[str, Any]:
        answer = self.endpoint.query(prop="revisions", **asking)
        reply = Reply()
        reply.add(answer.get("query"))
        pages = list(reply.pages.values())
        if not pages or pages[0].get("missing"):
            raise ApiError(say("{host} no longer has this page.", host=self.endpoint.host), code="nosuchpageid")
        return pages[0]

    def texts(self, revision_ids: Iterable[int]) -> dict[int, RevisionText]:
        """The wikitext of these revisions, 50 per request; those missing on the wiki are left out."""
        found: dict[int, RevisionText] = {}
        asking = {"prop": "revisions|info", "rvprop": "ids|timestamp|content", "rvslots": "main"}
        for page in self._pages(asking, "revids", revision_ids):
            found |= _texts_of(page)
        return found

    def _pages(self, asking: dict[str, Any], name: str, numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
        """The pages of all replies to a query about these numbers, each number once."""
        for chunk in in_chunks(dict.fromkeys(numbers), TEXTS_A_REQUEST):
            for reply in self._complete({**asking, name: "|".join(map(str, chunk))}):
                yield from reply.pages.values()


def _page_now(page: dict[str, Any]) -> PageNow:
    revision = page.get("lastrevid")
    is_there = not page.get("missing") and isinstance(revision, int)
    return PageNow(
        page_id=page["pageid"],
        title=storable(str(page.get("title", ""))),
        revision_id=revision if is_there and isinstance(revision, int) else 0,
        url=web_address(page.get("canonicalurl")) or web_address(page.get("fullurl")),
        talk_title=storable(str(page.get("associatedpage", ""))),
        has_talk=bool(page.get("talkid")),
        is_redirect=bool(page.get("redirect")),
    )


def _stubs(page: dict[str, Any]) -> Iterator[RevisionStub]:
    """The revisions of a page that can be read."""
    return filter(None, map(_stub, dictionaries(page.get("revisions"))))


def _stub(revision: dict[str, Any]) -> RevisionStub | None:
    try:
        return RevisionStub(
            id=row_number(revision["revid"]),
            parent_id=int(revision.get("parentid") or 0),
            at=moment(revision["timestamp"]),
            user=None if revision.get("userhidden") else storable(str(revision.get("user", ""))),
            comment=None if revision.get("commenthidden") else storable(str(revision.get("comment", ""))),
            size=int(revision.get("size") or 0),
            sha1=str(revision.get("sha1", "")),
            is_minor=bool(revision.get("minor")),
            is_anonymous=bool(revision.get("anon")),
            tags=tuple(str(one) for one in revision.get("tags") or ()),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _texts_of(page: dict[str, Any]) -> dict[int, RevisionText]:
    found = {}
    for revision in dictionaries(page.get("revisions")):
        try:
            slot = revision.get("slots", {}).get("main", {})
            is_hidden = slot.get("texthidden") or revision.get("texthidden") or "content" not in slot
            text = RevisionText(
                page_id=row_number(page["pageid"]),
                title=storable(str(page.get("title", ""))),
                revision_id=row_number(revision["revid"]),
                at=moment(revision["timestamp"]),
                wikitext=None if is_hidden else storable(slot["content"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
        found[text.revision_id] = text
    return found
