"""The entries of the news feed: each app offers its newest ones."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

MOST_ENTRIES = 50


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of news; `address` is the path of its page on this site, and `name` is unique."""

    name: str
    title: str
    text: str
    at: datetime
    address: str


class NewestEntries(Protocol):
    def __call__(self, most: int, /) -> list[Entry]:
        """Return the newest entries of one kind, newest first, `most` of them at most. Everybody may read them."""


_sources: list[NewestEntries] = []


def register(source: NewestEntries) -> None:
    _sources.append(source)


def newest_entries() -> list[Entry]:
    """The newest entries of all kinds, newest first."""
    found = [entry for source in _sources for entry in source(MOST_ENTRIES)]
    return sorted(found, key=lambda entry: entry.at, reverse=True)[:MOST_ENTRIES]
