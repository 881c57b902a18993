"""Shares a wiki's answers about one page among all of its tags.

Two tags of an article need the same page, the same talk page and the same list of revisions, and a worker fetches
them one after the other. So it remembers the answers for the page it is working on, and only for that one. An answer
serves requests made before it came: a later request gets a new one.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.utils import timezone

from ..mediawiki import RenderedPage, RevisionStub
from ..mediawiki import Wiki as WikiClient
from ..mediawiki.revisions import PageNow, RevisionText

MOST_REMEMBERED = 64_000_000  # characters of texts and pages
Answer = TypeVar("Answer")


class _Memory(threading.local):
    """Per worker thread: the page it is working on, and the wiki's answers with the time they came."""

    page: object = None
    size = 0

    def __init__(self) -> None:
        self.answers: dict[object, tuple[datetime, Any]] = {}

    def turn_to(self, page: object) -> None:
        if page != self.page or self.size > MOST_REMEMBERED:
            self.page, self.size, self.answers = page, 0, {}


_memory = _Memory()


def forget() -> None:
    """Forget everything: a worker remembers a page only while it works through the due requests."""
    _memory.turn_to(None)


class SharedClient:
    """The part of a wiki's client used for fetching evidence; requests only what is not yet known about this page."""

    def __init__(self, client: WikiClient, *, page: object, asked_at: datetime):
        """`page` identifies the page; an answer that came before `asked_at` is too old."""
        self.client = client
        self.asked_at = asked_at
        _memory.turn_to(page)

    def rendered(self, *, revision_id: int | None = None, title: str = "") -> RenderedPage:
        return self._once(
            ("rendered", revision_id, title),
            lambda: self.client.rendered(revision_id=revision_id, title=title),
            size=lambda page: len(page.html),
        )

    def page_now(self, page_id: int) -> PageNow | None:
        return self._once(("page now", page_id), lambda: self.client.pages_now([page_id]).get(page_id))

    def revisions_before(self, page_id: int, start_id: int | None) -> Sequence[RevisionStub]:
        return self._once(
            ("revisions", page_id, start_id), lambda: self.client.revisions_before(page_id, start_id), size=len
        )

    def revision_at(self, page_id: int, at: datetime) -> tuple[RevisionStub, str | None] | None:
        return self._once(("at", page_id, at), lambda: self.client.revision_at(page_id, at))

    def texts(self, revision_ids: Iterable[int]) -> dict[int, RevisionText]:
        """Like the client's `texts`; revisions that the wiki does not have are left out."""
        ids = list(dict.fromkeys(revision_ids))
        unknown = [one for one in ids if self._known(("text", one)) is None]
        if unknown:
            came = self.client.texts(unknown)
            for one in unknown:
                text = came.get(one)
                self._keep(("text", one), text, len(text.wikitext or "") if text else 0)
        known = {one: self._known(("text", one)) for one in ids}
        return {one: answer[1] for one, answer in known.items() if answer is not None and answer[1] is not None}

    def _once(
        self, what: object, ask: Callable[[], Answer], *, size: Callable[[Any], int] = lambda answer: 0
    ) -> Answer:
        known = self._known(what)
        if known is not None:
            return known[1]
        answer = ask()
        self._keep(what, answer, size(answer))
        return answer

    def _known(self, what: object) -> tuple[datetime, Any] | None:
        known = _memory.answers.get(what)
        return known if known is not None and known[0] >= self.asked_at else None

    @staticmethod
    def _keep(what: object, answer: object, size: int) -> None:
        _memory.answers[what] = (timezone.now(), answer)
        _memory.size += size
