"""The navigation as a page shows it: one level of groups, and where the person is now."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import groupby

from django.urls import reverse

from ..models import User
from .items import Group, NavItem, nav_items_for

# Up to so many nav items stand side by side; more are folded into their groups.
MOST_SIDE_BY_SIDE = 4


class Entry:
    """A nav item on a page. `current` is "page" for the page itself, "true" for a page that belongs to it, or ""."""

    def __init__(self, item: NavItem, user: User, *, current: str):
        self.label, self.address, self.current = item.label, address_of(item.url_name), current
        self._item, self._user = item, user

    @cached_property
    def waiting(self) -> int:
        return self._item.waiting(self._user) if self._item.waiting else 0


class MenuGroup:
    def __init__(self, group: Group, entries: Sequence[Entry]):
        self.label, self.entries = group.value, entries

    @property
    def current(self) -> Entry | None:
        """The entry that the page belongs to, if it is in this group."""
        return next((entry for entry in self.entries if entry.current), None)

    @property
    def waiting(self) -> int:
        return sum(entry.waiting for entry in self.entries)


class Menu:
    """What waits is counted only if the page shows it: a fragment has no frame."""

    def __init__(self, user: User, path: str):
        self._user, self._path = user, path

    @cached_property
    def groups(self) -> list[MenuGroup]:
        items = nav_items_for(self._user)
        here = belongs_to(self._path, items)
        shown = {
            item.url_name: Entry(item, self._user, current=self._current(item) if item is here else "")
            for item in items
        }
        by_group = groupby(items, key=lambda item: item.group)
        return [MenuGroup(group, [shown[item.url_name] for item in some]) for group, some in by_group]

    @property
    def is_flat(self) -> bool:
        return sum(len(group.entries) for group in self.groups) <= MOST_SIDE_BY_SIDE

    def _current(self, item: NavItem) -> str:
        return "page" if self._path == address_of(item.url_name) else "true"


def menu_for(user: User, path: str) -> Menu:
    return Menu(user, path)


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
