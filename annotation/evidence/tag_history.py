"""Finds the revision that added a tag: a search over an interface, in few requests. Nothing here knows of a wiki.

Revisions are read 50 at a time, so that a history of n revisions takes about log n to the base 50 requests for texts,
besides the lists of revisions at 500 per request. The tag's current unbroken presence counts: if it was removed and
added again, the second addition is the one, but a short absence ended by a revert (vandalism) is ignored. A bot that
dates the tag or renames its template is not taken for its author, as the tag is recognised by its family and the
words around it. The date in a tag only says how far back to read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Protocol

from core.engine.writing.pieces import in_chunks

from ..wikitext import languages
from .same_tag import Occurrence, counterpart, occurrences

POINTS = 50  # texts per request
LARGEST_BATCH = 6_000_000  # bytes of text that one request should not exceed
MOST_LISTED = 2_500  # revisions; a longer history is first narrowed down by time
FIRST_LEAP = timedelta(days=120)
_MARGIN = timedelta(days=7)  # before and after the month that a tag names
# Adding or removing a tag changes a page's size by at least this many bytes.
SHORTEST_TAG = 12
# An absence that a revert ends within this time does not break the tag's presence.
SHORT_ABSENCE = timedelta(days=7)
MOST_ABSENCES = 20
_READ_BEFORE_A_REVERT = 20  # revisions
SUSPECTS = 50  # revisions read only because the page shrank there

_MONTH = re.compile(r"(?:(\d{1,2})(?:\.|er)? )?([^\W\d_]+)\.? (\d{4})|(\d{4})-(\d\d)")


class Stub(Protocol):
    """An entry in a list of revisions."""

    @property
    def id(self) -> int: ...
    @property
    def parent_id(self) -> int: ...
    @property
    def at(self) -> datetime: ...
    @property
    def size(self) -> int: ...
    @property
    def sha1(self) -> str: ...
    @property
    def undoes(self) -> bool:
        """Return whether its comment or its tags say that it undoes other edits."""
        ...


class History(Protocol):
    """The revisions of one page. Each call is one request."""

    def before(self, revision_id: int) -> Sequence[Stub]:
        """Up to 500 revisions, newest first, starting with this one."""
        ...

    def at(self, moment: datetime) -> tuple[Stub, str | None] | None:
        """The newest revision at that time, with its text; None if there was no page yet."""
        ...

    def texts(self, revision_ids: Iterable[int]) -> dict[int, str | None]:
        """The wikitext of at most 50 revisions; None, or left out, if it is not available."""
        ...


@dataclass(frozen=True, slots=True)
class Absence:
    """A time without the tag: from the revision that removed it to the one that restored it."""

    removed: Stub
    restored: Stub


@dataclass(frozen=True, slots=True)
class Added:
    """The revision that begins the tag's current unbroken presence, and the one before it (None for a new page).

    `absences` are the short ones since then that a revert ended, latest first. `restored_from` is the revision that
    first added the tag if `revision` only restored an earlier text. `hidden` counts the revisions in between that the
    wiki hides. `looked_at` counts the texts that were read.
    """

    revision: Stub
    before: Stub | None
    occurrence: Occurrence
    text: str
    text_before: str
    restored_from: Stub | None = None
    absences: tuple[Absence, ...] = ()
    hidden: int = 0
    looked_at: int = 0


class TagNotThere(Exception):
    """Raised if the starting revision does not contain the tag, or its text is not available."""


class Search:
    """The search for one tag, identified by its offset in the starting revision."""

    def __init__(self, history: History, *, names: Iterable[str], known: Mapping[int, str] | None = None):
        """`names` are the (normalised) names of the tag's template; `known` the texts that need not be fetched."""
        self.history = history
        self.names = frozenset(names)
        self._texts: dict[int, str | None] = dict(known or {})
        self._stubs: dict[int, Stub] = {}

    def added(self, revision_id: int, *, start: int, hint: str = "") -> Added:
        """The revision that added the tag at offset `start` of revision `revision_id`.

        `hint` is the tag's own date. Raises `TagNotThere` if the tag is not there, and the errors of the history.
        """
        self._read([revision_id])
        tag = self._tag_at(revision_id, start)
        found = self._followed_run(revision_id, tag, hint)
        absences: list[Absence] = []
        while len(absences) < MOST_ABSENCES and (gap := self._short_absence(found)) is not None:
            held, absence = gap
            absences.append(absence)
            there = counterpart(
                found.occurrence,
                occurrences(found.text, self.names),
                occurrences(self._texts[held.id] or "", self.names),
            )
            assert there is not None  # noqa: S101 - that is what ends the absence
            found = self._followed_run(held.id, there, hint)
        first = self._restored(found, hint)
        return Added(
            revision=found.revision,
            before=found.before,
            occurrence=found.occurrence,
            text=found.text,
            text_before=found.text_before,
            restored_from=first,
            absences=tuple(absences),
            hidden=found.hidden,
            looked_at=len(self._texts),
        )

    def _followed_run(self, revision_id: int, tag: Occurrence, hint: str) -> Added:
        """The last unbroken run, followed through edits that rewrote the paragraph around the tag."""
        found = self._last_run(revision_id, tag, hint)
        while (moved := self._rewritten(found)) is not None and found.before is not None:
            found = self._last_run(found.before.id, moved, hint)
        return found

    # --- One run of the tag ------------------------------------------------------------------------------------

    def _last_run(self, revision_id: int, tag: Occurrence, hint: str) -> Added:
        self._read([revision_id])
        reference = occurrences(self._texts[revision_id] or "", self.names)
        if tag not in reference:
            raise TagNotThere
        listed: list[Stub] = []
        start_id, reads_back_to = revision_id, _month_of(hint)
        while True:
            is_all = self._list(listed, start_id, reads_back_to)
            oldest_present, newest_absent = self._bracket(listed, tag, reference, is_all=is_all)
            if newest_absent is not None or is_all:
                return self._made(listed, oldest_present, newest_absent, tag, reference)
            reads_back_to = listed[-1].at - (listed[0].at - listed[-1].at)
            if len(listed) >= MOST_LISTED:
                landing = self._leap(listed[-1], tag, reference, hint)
                there = counterpart(tag, reference, occurrences(self._texts[landing.id] or "", self.names))
                assert there is not None  # noqa: S101 - a leap ends where the tag is
                tag, reference = there, occurrences(self._texts[landing.id] or "", self.names)
                listed, start_id = [], landing.id

    def _list(self, listed: list[Stub], start_id: int, reads_back_to: datetime | None) -> bool:
        """Extend the list back to that time, by at least one request; returns whether it is complete."""
        while True:
            chunk = list(self.history.before(listed[-1].id if listed else start_id))
            new = chunk[1:] if listed else chunk
            listed += new
            self._stubs |= {stub.id: stub for stub in new}
            if not new or not new[-1].parent_id:
                return True
            if reads_back_to is None or listed[-1].at < reads_back_to or len(listed) >= MOST_LISTED:
                return False

    def _bracket(
        self, listed: list[Stub], tag: Occurrence, reference: Sequence[Occurrence], *, is_all: bool
    ) -> tuple[int, int | None]:
        """Positions in the list: the last revision with the tag before one without it, and that one.

        Reads 50 texts at a time until no unread revision lies between the two. Revisions at which the page shrank by
        about the tag's length are read too: the tag may have been gone there for a while.
        """
        suspects = self._suspects(listed, tag)
        while True:
            states = [self._state(stub, tag, reference) for stub in listed]
            newest_absent = next((at for at, state in enumerate(states) if state is False), None)
            end = newest_absent if newest_absent is not None else len(listed)
            oldest_present = max((at for at in range(end) if states[at]), default=0)
            between = [at for at in range(oldest_present + 1, end) if listed[at].id not in self._texts]
            gaps = [at for at in suspects if at < oldest_present and listed[at].id not in self._texts]
            if not between and (not gaps or (newest_absent is None and not is_all)):
                return oldest_present, newest_absent
            self._read([listed[at].id for at in self._points(listed, between, gaps)])

    @staticmethod
    def _suspects(listed: list[Stub], tag: Occurrence) -> list[int]:
        """Positions at which the page shrank, those by about the length of the tag first; with a maximum of one
        request's worth.
        """
        shrunk = {at: listed[at + 1].size - listed[at].size for at in range(1, len(listed) - 1)}
        length = tag.end - tag.start
        likely = sorted(
            (at for at, lost in shrunk.items() if lost >= SHORTEST_TAG), key=lambda at: abs(shrunk[at] - length)
        )
        return likely[:SUSPECTS]

    @staticmethod
    def _points(listed: list[Stub], between: list[int], gaps: list[int]) -> list[int]:
        sizes = sorted((listed[at].size for at in (*between, *gaps)), reverse=True)
        room = max(2, min(POINTS, LARGEST_BATCH // max(sizes[len(sizes) // 10], 1)))
        some = gaps[: max(room - len(between), room // 2)]
        return [*_evenly(between, room - len(some)), *some]

    def _state(self, stub: Stub, tag: Occurrence, reference: Sequence[Occurrence]) -> bool | None:
        """Return whether a revision has the tag; None if unknown."""
        text = self._texts.get(stub.id)
        if text is None:
            return None
        return counterpart(tag, reference, occurrences(text, self.names)) is not None

    def _made(
        self, listed: list[Stub], present: int, absent: int | None, tag: Occurrence, reference: Sequence[Occurrence]
    ) -> Added:
        text = self._texts[listed[present].id] or ""
        occurrence = counterpart(tag, reference, occurrences(text, self.names))
        assert occurrence is not None  # noqa: S101 - that is what present means
        before = listed[absent] if absent is not None else None
        return Added(
            revision=listed[present],
            before=before,
            occurrence=occurrence,
            text=text,
            text_before=(self._texts[before.id] or "") if before else "",
            hidden=(absent if absent is not None else len(listed)) - present - 1,
        )

    # --- Special histories -------------------------------------------------------------------------------------

    def _rewritten(self, found: Added) -> Occurrence | None:
        """The tag in the revision before, if the paragraph was rewritten around it: recognised by date and reason."""
        if found.before is None:
            return None
        now = occurrences(found.text, self.names)
        then = occurrences(found.text_before, self.names)
        taken = [counterpart(one, now, then) for one in now]
        left = [one for one in then if one not in taken]
        alike = [
            one
            for one in left
            if one.argument == found.occurrence.argument and one.date == found.occurrence.date and one.date
        ]
        return alike[0] if len(alike) == 1 else None

    def _short_absence(self, found: Added) -> tuple[Stub, Absence] | None:
        """The last revision with the tag before a short absence that `found` ends by a revert, and the absence."""
        if found.before is None:
            return None
        before = found.before
        older = self._up_to(before)
        if len(older) < 2 and before.parent_id:
            self._stubs |= {stub.id: stub for stub in self.history.before(before.id)}
            older = self._up_to(before)
        since = found.revision.at - SHORT_ABSENCE
        # The revision after the one with the tag removed it: that one must be recent.
        pairs = [(held, removed) for held, removed in pairwise(older) if removed.at >= since][::-1]
        for held, removed in pairs:
            if held.sha1 and held.sha1 == found.revision.sha1:
                self._texts[held.id] = found.text
                return held, Absence(removed, found.revision)
        if not found.revision.undoes:
            return None
        near = pairs[:_READ_BEFORE_A_REVERT]
        self._read([held.id for held, _ in near])
        among = occurrences(found.text, self.names)
        for held, removed in near:
            if self._state(held, found.occurrence, among):
                return held, Absence(removed, found.revision)
        return None

    def _restored(self, found: Added, hint: str) -> Stub | None:
        """The revision that first added the tag, if the given one only restored an earlier text."""
        if found.before is None or not found.revision.sha1:
            return None
        older = self._up_to(found.before)[:-1]
        same = next((stub for stub in reversed(older) if stub.sha1 == found.revision.sha1), None)
        if same is None:
            return None
        self._texts[same.id] = found.text
        return self._last_run(same.id, found.occurrence, hint).revision

    def _up_to(self, last: Stub) -> list[Stub]:
        """The known revisions up to this one, oldest first: by time, and within one second by number."""
        known = (one for one in self._stubs.values() if (one.at, one.id) <= (last.at, last.id))
        return sorted(known, key=lambda one: (one.at, one.id))

    def _leap(self, oldest: Stub, tag: Occurrence, reference: Sequence[Occurrence], hint: str) -> Stub:
        """A revision far back that still has the tag, shortly after one without it.

        First looks at the month that the tag names, then further back in doubling leaps, then by bisection.
        """
        present, gap, absent_at = oldest, FIRST_LEAP, None
        month = _month_of(hint)
        moments = [month + 2 * _MARGIN + timedelta(days=31), month] if month else []
        while absent_at is None or present.at - absent_at >= FIRST_LEAP:
            moments = [at for at in moments if at < present.at and (absent_at is None or at > absent_at)]
            if moments:
                moment = moments.pop(0)
            elif absent_at is None:
                moment, gap = present.at - gap, gap * 2
            else:
                moment = absent_at + (present.at - absent_at) / 2
            found = self.history.at(moment)
            if found is not None:
                self._texts[found[0].id] = found[1]
            if found is not None and self._state(found[0], tag, reference):
                if found[0].id == present.id:
                    break
                present = found[0]
            else:
                absent_at = moment
        return present

    # --- Texts -------------------------------------------------------------------------------------------------

    def _tag_at(self, revision_id: int, start: int) -> Occurrence:
        found = occurrences(self._texts.get(revision_id) or "", self.names)
        tag = next((one for one in found if one.start == start), None)
        if tag is None:
            raise TagNotThere
        return tag

    def _read(self, revision_ids: Iterable[int]) -> None:
        unread = [one for one in dict.fromkeys(revision_ids) if one not in self._texts]
        for chunk in in_chunks(unread, POINTS):
            texts = self.history.texts(chunk)
            self._texts |= {one: texts.get(one) for one in chunk}


def _evenly(positions: list[int], count: int) -> list[int]:
    """At most `count` of the positions, evenly spread and always including the last one."""
    if len(positions) <= count:
        return positions
    step = len(positions) / count
    return [positions[min(int((number + 1) * step) - 1, len(positions) - 1)] for number in range(count)]


def _month_of(written: str) -> datetime | None:
    """A week before the month in a tag's date; None if there is no month."""
    match = _MONTH.search(written)
    if not match:
        return None
    month = int(match[5]) if match[5] else languages.MONTHS.get(match[2].lower(), 0)
    year = int(match[4] or match[3])
    if not (1 <= month <= 12 and 2000 <= year <= 2200):
        return None
    return datetime(year, month, 1, tzinfo=UTC) - _MARGIN
