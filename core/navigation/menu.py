"""The navigation as shown on a page: one level of groups, and the current entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from django.template.loader import render_to_string
from django.urls import reverse

from ..models import Role, User
from .closing import why_closed
from .items import NavItem, nav_items_for

# The maximum of nav items side by side; more are folded into their groups.
MOST_SIDE_BY_SIDE = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A nav item on a page. `current` is "page" for the page itself, "true" for a page that belongs to it, or "";
    `closed` says why the person cannot open it now.
    """

    label: str
    address: str
    current: str
    waiting: int
    closed: str = ""


@dataclass(frozen=True, slots=True)
class MenuGroup:
    label: str
    entries: Sequence[Entry]

    @property
    def current(self) -> Entry | None:
        """The current entry, if it is in this group."""
        return next((entry for entry in self.entries if entry.current), None)

    @property
    def waiting(self) -> int:
        return sum(entry.waiting for entry in self.entries)


class Menu:
    """The navigation of a page. Waiting work is counted only if the page shows it: a fragment has no frame."""

    def __init__(self, user: User, path: str):
        self._user, self._path = user, path

    @cached_property
    def html(self) -> str:
        items = nav_items_for(self._user)
        here = belongs_to(self._path, items)
        groups = [
            MenuGroup(group.value, [self._entry(item, is_current=item is here) for item in some])
            for group, some in groupby(items, key=lambda item: item.group)
        ]
        return render_to_string("_menu.html", {"groups": groups, "is_flat": len(items) <= MOST_SIDE_BY_SIDE})

    def _entry(self, item: NavItem, is_current: bool) -> Entry:
        address = address_of(item.url_name)
        current = ("page" if address == self._path else "true") if is_current else ""
        waiting = item.waiting(self._user) if item.waiting else 0
        # Pages close to those who judge. Everybody else's menu costs no query for it.
        closed = why_closed(self._user, item.url_name) if self._user.has_role(Role.REVIEWER) else ""
        return Entry(item.label, address, current, waiting, closed)


def belongs_to(path: str, items: Sequence[NavItem]) -> NavItem | None:
    """The nav item with the longest address that this page's address begins with."""
    inside = [
        (len(address), item)
        for item in items
        for address in map(address_of, (item.url_name, *item.covers))
        if path.startswith(address)
    ]
    return max(inside, key=lambda each: each[0])[1] if inside else None


@lru_cache
def address_of(url_name: str) -> str:
    return reverse(url_name)
