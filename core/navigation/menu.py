"""The navigation as shown on a page: one level of groups, and the current entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby

from django.template.loader import render_to_string
from django.urls import reverse

from ..engine.fragments import rendered_once
from ..models import User
from .items import NavItem, nav_items_for

# Up to so many nav items stand side by side; more are folded into their groups.
MOST_SIDE_BY_SIDE = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A nav item on a page. `current` is "page" for the page itself, "true" for a page that belongs to it, or ""."""

    label: str
    address: str
    current: str
    waiting: int


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
        address = address_of(here.url_name) if here else ""
        waiting = tuple((item.waiting(self._user) if item.waiting else 0) for item in items)
        return _written(self._user.roles, address, address == self._path, waiting)


@rendered_once
def _written(roles: frozenset[str], here: str, is_it: bool, waiting: tuple[int, ...]) -> str:
    """The rendered menu, which is the same for everybody with these roles and the same amounts of waiting work."""
    items = nav_items_for(User.with_these_roles(0, roles))
    entries = [
        Entry(item.label, address, ("page" if is_it else "true") if address == here else "", count)
        for item, count in zip(items, waiting, strict=True)
        for address in [address_of(item.url_name)]
    ]
    together = groupby(zip(items, entries, strict=True), key=lambda each: each[0].group)
    groups = [MenuGroup(group.value, [entry for _, entry in some]) for group, some in together]
    return render_to_string("_menu.html", {"groups": groups, "is_flat": len(entries) <= MOST_SIDE_BY_SIDE})


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
