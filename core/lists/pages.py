"""One page of a list, however long the list is.

A page is found by an index and a position in it: the keys of the row at its edge, which are part of the address.
Nothing before it is read or counted. So pages have no numbers; there are links to the first, previous, next and last
one.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db import models
from django.db.models import BooleanField, F, Func, Q, QuerySet, Value
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

from ..engine.queries.conditions import is_found, is_one_of
from ..engine.queries.counts import PreparedCounts, count_now
from ..engine.queries.instances import FoundValues
from ..engine.queries.parameters import Numbers
from ..outside import MOST_ROW, Unreadable, is_storable, moment
from ..words import up_to

ROWS_ON_A_PAGE = 50
# Beyond this many, "more than" is all that a list says of its length.
MOST_COUNTED = 1_000
# If an index does not have all of a list's filters, this many of its rows are looked at for a page: first those among
# which half make a full page, then those among which an eighth does.
LOOKS = (120, 280, 600)
# The same for an index of which nearly all rows are shown.
LOOKS_AT_NEARLY_ALL = (75, 325, 600)
# Beyond the first number, a filter's chip says no more; the second is the number of rows near it that are looked at.
MOST_ON_A_CHIP, NEAR_A_CHIP = 99, 150
LONGEST_POSITION = 4_000

K = TypeVar("K")
Position = Sequence[Any]


@dataclass(frozen=True)
class Window:
    """Rows in the order of an index. `key` names the column with the primary key of the row that the list shows for
    each. The `order` has columns that are never empty and together unique among the shown rows.
    """

    rows: QuerySet[Any]
    order: tuple[str, ...] = ("-pk",)
    key: str = "pk"
    # Whether the list shows all of them, or nearly all.
    is_whole: bool = False
    is_nearly_whole: bool = False

    @property
    def looks(self) -> tuple[int, ...]:
        return LOOKS_AT_NEARLY_ALL if self.is_nearly_whole else LOOKS

    @property
    def names(self) -> list[str]:
        return [name.removeprefix("-") for name in self.order]

    def reversed(self) -> "Window":
        """The same rows in reverse order, which the same index serves."""
        return replace(self, order=tuple(_turned(name) for name in self.order))

    def beyond(self, position: Position | None, size: int, *, backwards: bool) -> "list[Entry]":
        """The next rows after the position, or before it: with this maximum."""
        order = [_turned(name) for name in self.order] if backwards else list(self.order)
        rows = self.rows.order_by(*order).values_list(*self.names, self.key)
        if position is None:
            return _entries(rows[:size])
        found: list[Entry] = []
        for stretch in _stretches(order, position):
            found += _entries(rows.filter(stretch)[: size - len(found)])
            if len(found) == size:
                break
        return found


@dataclass(frozen=True, slots=True)
class Entry:
    """The position of a row in a window: the key of the row that the list shows and, if requested, its position."""

    row: tuple[Any, ...]
    found: FoundValues

    @property
    def key(self) -> Any:
        return self.row[-1]

    @property
    def position(self) -> Position:
        return self.found.converted(self.row)[:-1]


def _entries(rows: QuerySet[Any, Any]) -> list[Entry]:
    found = FoundValues(rows)
    return [Entry(row, found) for row in found.rows]


def _turned(name: str) -> str:
    return name.removeprefix("-") if name.startswith("-") else f"-{name}"


def _stretches(order: Sequence[str], position: Position) -> Iterator[Q | Func]:
    """The rows after a position, as ranges of an index: one for each change of direction in the order."""
    names = [name.removeprefix("-") for name in order]
    end = len(order)
    while end:
        descends = order[end - 1].startswith("-")
        start = end - 1
        while start and order[start - 1].startswith("-") == descends:
            start -= 1
        same = Q(**dict(zip(names[:start], position[:start], strict=True)))
        yield same & Q(RowBeyond(names[start:end], position[start:end], "<" if descends else ">"))
        end = start


class RowBeyond(Func):
    """The condition that some columns together come after some values, served by one index of these columns."""

    output_field = BooleanField()
    conditional = True

    def __init__(self, names: Sequence[str], values: Position, sign: str):
        super().__init__(*map(F, names), *map(Value, values))
        self.sign = sign

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        parts = [compiler.compile(each) for each in self.source_expressions]
        half = len(parts) // 2
        columns, values = (", ".join(sql for sql, _ in side) for side in (parts[:half], parts[half:]))
        return f"({columns}) {self.sign} ({values})", [value for _, some in parts for value in some]


# --- The address --------------------------------------------------------------------------------------------------


# Names the key with which positions are sealed, and how many bytes of it mark one.
SEAL, MARK_BYTES = "core.lists.position", 12


@dataclass(frozen=True, slots=True)
class Asked:
    """The requested page: after or before a position; without one, the first or the last page."""

    position: Position | None = None
    backwards: bool = False

    @classmethod
    def of(cls, written: str, window: Window) -> "Asked":
        """The page requested in an address; the first page if it cannot be read, as it may be from an older
        version.
        """
        if written == "last":
            return cls(backwards=True)
        direction, _, code = written.partition("-")
        if direction not in ("after", "before") or len(code) > LONGEST_POSITION:
            return cls()
        try:
            values = json.loads(_opened(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))))
            meta = window.rows.model._meta
            fields = [meta.pk if name == "pk" else meta.get_field(name) for name in window.names]
            position = [_value(field, value) for field, value in zip(fields, values, strict=True)]
        except (ValueError, TypeError, RecursionError, binascii.Error, Unreadable):
            return cls()
        return cls(position, direction == "before")


def _value(field: object, written: object) -> Any:
    if isinstance(field, models.ForeignKey):
        return _value(field.target_field, written)
    if isinstance(field, models.DateTimeField) and isinstance(written, str):
        return moment(written)
    if isinstance(field, models.BooleanField) and isinstance(written, bool):
        return written
    if isinstance(field, models.CharField | models.TextField) and isinstance(written, str) and is_storable(written):
        return written
    if isinstance(field, models.IntegerField) and type(written) is int and abs(written) <= MOST_ROW:
        return written
    raise Unreadable("It is not a position in this list.")


def _sealed(text: bytes) -> bytes:
    """The text, readable by this site only: a position holds row numbers, which would reveal rows that the reader may
    not know of. Equal texts give equal bytes.
    """
    mark = salted_hmac(SEAL, text, algorithm="sha256").digest()[:MARK_BYTES]
    return mark + _mixed(mark, text)


def _opened(sealed: bytes) -> bytes:
    """The text sealed in `_sealed`. Raises ValueError if it is not from this site."""
    mark, text = sealed[:MARK_BYTES], _mixed(sealed[:MARK_BYTES], sealed[MARK_BYTES:])
    if not constant_time_compare(mark, salted_hmac(SEAL, text, algorithm="sha256").digest()[:MARK_BYTES]):
        raise ValueError("not sealed here")
    return text


def _mixed(mark: bytes, text: bytes) -> bytes:
    stream = hashlib.shake_256(salted_hmac(f"{SEAL}.stream", mark, algorithm="sha256").digest()).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, stream, strict=True))


def _address(direction: str, position: Position) -> str:
    values = [value.isoformat() if isinstance(value, datetime) else value for value in position]
    code = base64.urlsafe_b64encode(_sealed(json.dumps(values, separators=(",", ":")).encode())).decode()
    return f"{direction}-{code.rstrip('=')}"


# --- The page -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Page:
    """One page. Each link is the value of `page` in its address, "" if there is no such page."""

    object_list: list[Any]
    is_first: bool = True
    previous: str = ""
    next: str = ""
    last: str = ""
    # How many rows the list has, if that is known; one more than `MOST_COUNTED` for any more.
    total: int | None = None
    # How many rows were looked at, if the page is not full because of that.
    looked_at: int = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.object_list)

    def __len__(self) -> int:
        return len(self.object_list)

    def __getitem__(self, index: int) -> Any:
        return self.object_list[index]

    @property
    def is_counted(self) -> bool:
        """Return whether `total` is the number of rows in the list."""
        return self.total is not None and self.total <= MOST_COUNTED

    @property
    def total_in_words(self) -> str:
        """ "60", "more than 1,000"; "" if it is not known."""
        return "" if self.total is None else up_to(self.total, MOST_COUNTED)


@dataclass(slots=True)
class _Found:
    """The rows of a page by position and key, in the order in which they were requested."""

    rows: list[tuple[Position, Any]] = field(default_factory=list)
    # The last position looked at, if there may be more behind it.
    end: Position | None = None
    looked_at: int = 0


def page_of(
    request: HttpRequest,
    rows: QuerySet[Any],
    *order: str,
    window: Window | None = None,
    most: int = ROWS_ON_A_PAGE,
    fetch: Callable[[Numbers], Iterable[object]] | None = None,
    among: Callable[[Numbers], Collection[Any]] | None = None,
) -> Page:
    """The page of `rows` that the address names, the first if it names none.

    The rows are in this order, for which there has to be an index, or those of the `window` that are among them.
    `among` says which of these numbers are shown where no query can tell. `fetch` gets the rows of these numbers as
    the page shows them; they are taken from `rows` without it.
    """
    window = window or Window(rows.select_related(None), order, is_whole=True)
    asked = Asked.of(request.GET.get("page", ""), window)
    among = among or (lambda keys: set(_rows_of(rows, keys).values_list("pk", flat=True)))
    found = _look(window, among, asked, most)
    if asked.backwards and asked.position is not None and found.end is None:
        # It is the first page, and a full one.
        asked = Asked()
        found = _look(window, among, asked, most)
    return _page(window, asked, found, fetch or (lambda keys: _rows_of(rows, keys)))


def _rows_of(rows: QuerySet[Any], keys: Numbers) -> QuerySet[Any]:
    return rows.order_by().filter(is_one_of("pk", keys))


def _look(window: Window, among: Callable[[Numbers], Collection[Any]], asked: Asked, most: int) -> _Found:
    found, position = _Found(), asked.position
    for size in (most + 1,) if window.is_whole else window.looks:
        there = window.beyond(position, size, backwards=asked.backwards)
        keys: dict[Any, Entry] = {}
        for entry in there:
            keys.setdefault(entry.key, entry)
        if not window.is_whole:
            # Asked also where there are none, so that the time it takes does not tell of rows that are hidden.
            shown = among(Numbers(keys))
            keys = {key: entry for key, entry in keys.items() if key in shown}
        found.rows += [(entry.position, key) for key, entry in keys.items()]
        found.looked_at += len(there)
        if len(found.rows) > most:
            found.rows = found.rows[:most]
            found.end, found.looked_at = found.rows[-1][0], 0
            return found
        if len(there) < size:
            found.looked_at = 0
            return found
        position = there[-1].position
    found.end = position
    return found


def _page(window: Window, asked: Asked, found: _Found, fetch: Callable[[Numbers], Iterable[Any]]) -> Page:
    keys = Numbers(key for _, key in (reversed(found.rows) if asked.backwards else found.rows))
    by_key = {row.pk: row for row in fetch(keys)} if keys else {}
    shown = [by_key[key] for key in keys if key in by_key]
    page = Page(shown, looked_at=found.looked_at)
    page.is_first = asked.position is None and not (asked.backwards and found.end)
    beyond = _address("before" if asked.backwards else "after", found.end) if found.end else ""
    back = found.rows[0][0] if found.rows else asked.position
    if asked.backwards:
        page.previous = beyond
        page.next = _address("after", back) if asked.position is not None and back else ""
    else:
        page.next = beyond
        page.previous = _address("before", back) if asked.position is not None and back else ""
    page.last = "last" if page.next else ""
    if page.is_first and not page.next:
        page.total = len(shown)
    elif window.is_whole:
        page.total = count_up_to(MOST_COUNTED, window.rows.order_by(*window.order))
    return page


class CountsUpTo(PreparedCounts[K]):
    """The number of rows of each queryset, in one query; `most` + 1 for any more. Worth caching, as building the SQL
    is slow.
    """

    def __init__(self, most: int, counted: Mapping[K, QuerySet[Any]]):
        super().__init__(lambda: {key: rows[: most + 1] for key, rows in counted.items()})


class ChipCounts(Generic[K]):
    """The number of rows for the chip of each filter, in one query: "7", "99+", or "" where too many other rows would
    have to be read. By its key, each filter has a window and the rows of it that it shows.
    """

    def __init__(self, chips: Mapping[K, tuple[Window, QuerySet[Any]]]):
        counted: dict[tuple[K, bool], QuerySet[Any]] = {}
        for key, (window, rows) in chips.items():
            near = window.rows.order_by(*window.order).values(window.key)
            counted[key, False] = near
            if not window.is_whole:
                # No more of them are looked at than a chip says.
                counted[key, True] = rows.order_by().filter(is_found("pk", near[:NEAR_A_CHIP]))[: MOST_ON_A_CHIP + 1]
        self.keys, self.counts = list(chips), CountsUpTo(NEAR_A_CHIP, counted)

    def now(self) -> dict[K, str]:
        counts = self.counts.now()
        return {key: on_a_chip(counts.get((key, True), counts[key, False]), counts[key, False]) for key in self.keys}


def on_a_chip(count: int, near: int) -> str:
    """The text on a chip for this number of rows, found among this many nearby."""
    if count > MOST_ON_A_CHIP:
        return f"{MOST_ON_A_CHIP}+"
    return "" if near > NEAR_A_CHIP else str(count)


def count_up_to(most: int, rows: QuerySet[Any]) -> int:
    """The number of rows; `most` + 1 for any more."""
    return count_each_up_to(most, {"": rows})[""]


def count_each_up_to(most: int, counted: Mapping[K, QuerySet[Any]]) -> dict[K, int]:
    """The same for several querysets, in one query."""
    return count_now({key: rows[: most + 1] for key, rows in counted.items()})
