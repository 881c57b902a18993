"""The nav items: each page where work begins, in its group."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from django.utils import timezone

from ..engine.queries.counts import Counted, count_now
from ..languages import say
from ..models import User

# Counts by their names, and under "since" a time as the database's driver returns it.
Numbers = Mapping[str, Any]


class CountsFor(Protocol):
    def __call__(self, user: User, now: datetime, /) -> Mapping[str, Counted]:
        """Return the queries to count, by the names of their numbers. They are prepared once for the roles of a
        person, so they may depend on `user` and `now` only as values of parameters.

        Args:
            user: the person who is shown the numbers: they count what this person may know of.
            now: the current time, in UTC.
        """


class InWords(Protocol):
    def __call__(self, numbers: Numbers, /) -> str:
        """Return the numbers in a few words; "" where nothing waits."""


class WaitingFor(Protocol):
    def __call__(self, user: User, /) -> int:
        """Return how much is waiting for this person. Called on every page, so it has to be cheap."""


class Group(StrEnum):
    """The groups of the navigation, in their order."""

    WORK = say("Work")
    DATA = say("Data")
    MODELS = say("Models")
    RESULTS = say("Results")
    PROJECT = say("Project")


@dataclass(frozen=True, slots=True)
class Now:
    """Work waiting for a person right now. The first page counts the numbers of all items in one query; "since", if
    present, is the time of the item that has waited longest.
    """

    counts: CountsFor
    says: InWords


@dataclass(frozen=True, slots=True)
class NavItem:
    label: str
    url_name: str
    group: Group
    roles: tuple[str, ...]
    about: str
    # A person's waiting work is on the first page.
    now: Now | None = None
    # Within the group.
    order: int = 50
    # Pages elsewhere that belong to it: names of addresses.
    covers: tuple[str, ...] = ()
    # Shown beside the name.
    waiting: WaitingFor | None = None


_nav_items: list[NavItem] = []


def register(*nav_items: NavItem) -> None:
    _nav_items.extend(nav_items)
    groups = list(Group)
    _nav_items.sort(key=lambda nav_item: (groups.index(nav_item.group), nav_item.order))


def nav_items_for(user: User) -> list[NavItem]:
    """The nav items that the person's roles give access to, group by group."""
    return [nav_item for nav_item in _nav_items if user.has_role(*nav_item.roles)]


@dataclass(frozen=True, slots=True)
class Offer:
    """A nav item with waiting work: the amount in words, "" for none, and the time since when it waits."""

    item: NavItem
    words: str
    since: datetime | None


def offers_for(user: User) -> list[Offer]:
    """The nav items of this person where work may wait, with the current amounts."""
    now = timezone.now()
    asked = [(item.url_name, item.now.counts(user, now)) for item in nav_items_for(user) if item.now]
    counts = count_now({(url_name, name): rows for url_name, counted in asked for name, rows in counted.items()})
    return [
        Offer(item, item.now.says(own := _own(item, counts)), _moment(own.get("since")))
        for item in nav_items_for(user)
        if item.now
    ]


def _moment(value: Any) -> datetime | None:
    """The time in a column as the database's driver returns it: SQLite has times in UTC without a time zone."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment


def _own(item: NavItem, counts: Mapping[tuple[str, str], Any]) -> Numbers:
    return {name: count for (url_name, name), count in counts.items() if url_name == item.url_name}
