"""Finding a page, or a row by its name, from everywhere.

An app registers a `Finder` for each kind of row: who may find it, and how it is found. A finder shows nobody a row
whose page they may not open, and asks a bounded number of rows, whatever the size of its table.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar

from django.db.models import Model, QuerySet
from django.urls import resolve, reverse

from ..languages import say, translated
from ..models import User
from ..outside import whole_number
from .closing import why_closed
from .items import nav_items_for
from .menu import address_of

R = TypeVar("R", bound=Model)

# Of each kind.
MOST_FOUND = 6


@dataclass(frozen=True, slots=True)
class Found:
    label: str
    address: str
    # Distinguishes it from others of the same name.
    about: str = ""


class Find(Protocol):
    def __call__(self, user: User, words: str, /) -> Iterable[Found]:
        """Find rows whose pages this person may open, best first. Only the first `MOST_FOUND` are read, so the cost
        must not grow with the table.

        Args:
            user: a person with one of the finder's roles.
            words: what they typed, without blanks around it and not empty; any text.
        """


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds rows of one kind by words, for people with one of these roles."""

    kind: str
    roles: tuple[str, ...]
    find: Find


@dataclass(frozen=True, slots=True)
class Command:
    """An act that begins on a page. Whoever may open the page finds it; `at` is added to the page's address."""

    label: str
    url_name: str
    at: str = ""

    @property
    def address(self) -> str:
        return address_of(self.url_name) + self.at

    def is_for(self, user: User) -> bool:
        roles = getattr(resolve(address_of(self.url_name)).func, "roles", ())
        return (not roles or user.has_role(*roles)) and not why_closed(user, self.url_name)


_finders: list[Finder] = []
_commands: list[Command] = []


def register_finders(*finders: Finder) -> None:
    _finders.extend(finders)


def register_commands(*commands: Command) -> None:
    _commands.extend(commands)


def found_for(user: User, words: str) -> list[tuple[str, list[Found]]]:
    """The pages, commands and rows that the person may open and that have these words in their name, by kind: pages
    first, then commands, all of them if there are no words.
    """
    words = words.strip()
    found: list[tuple[str, list[Found]]] = [
        (say("Pages"), _named(_pages(user), words)),
        (say("Commands"), _named(_acts(user), words)),
    ]
    if words:
        for finder in _finders:
            if user.has_role(*finder.roles):
                found.append((finder.kind, list(islice(finder.find(user, words), MOST_FOUND))))
    return [(kind, rows) for kind, rows in found if rows]


def found_row(url_name: str, key: object, label: str, about: str = "") -> Found:
    """The row whose page has this name and key."""
    return Found(label, reverse(url_name, args=[key]), about)


def numbered(rows: QuerySet[R], words: str) -> QuerySet[R]:
    """The row with this number, written as "12" or "#12"; none for other words."""
    number = whole_number(words.removeprefix("#"))
    return rows.none() if number is None else rows.filter(pk=number)


def _pages(user: User) -> list[Found]:
    return [
        Found(say("Home"), address_of("home")),
        *(
            Found(item.label, address_of(item.url_name), item.group.value)
            for item in nav_items_for(user)
            if not why_closed(user, item.url_name)
        ),
        Found(say("Your account"), address_of("account")),
    ]


def _acts(user: User) -> list[Found]:
    return [Found(command.label, command.address) for command in _commands if command.is_for(user)]


def _named(all_of_them: list[Found], words: str) -> list[Found]:
    """The ones with the words in their name, in English or the reader's language; names that begin so come first."""
    sought = words.lower()
    names = [(found, {found.label.lower(), translated(found.label).lower()}) for found in all_of_them]
    found = [(each, labels) for each, labels in names if any(sought in label for label in labels)]
    # "act" is the start of Activity, and stands within Facts.
    found.sort(key=lambda each: not any(label.startswith(sought) for label in each[1]))
    return [each for each, _ in found]
