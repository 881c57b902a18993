"""The entries of the news feed: each app offers its newest ones."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

MOST_ENTRIES = 50


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of news; `address` is the path of its page on this site, and `name` is unique."""

    name: str
    title: str
    text: str
    at: datetime
    address: str


# Each returns the newest entries of one kind, up to a maximum.
_sources: list[Callable[[int], list[Entry]]] = []


def register(source: Callable[[int], list[Entry]]) -> None:
    _sources.append(source)


def newest_entries() -> list[Entry]:
    """The newest entries of all kinds, newest first."""
    found = [entry for source in _sources for entry in source(MOST_ENTRIES)]
    return sorted(found, key=lambda entry: entry.at, reverse=True)[:MOST_ENTRIES]
