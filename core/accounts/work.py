"""Collects people's work from the apps above, which register here, so that the list of people need not import
them.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ..models import Role, User


@dataclass(frozen=True, slots=True)
class Work:
    """One person's work, for the list of people. Judgments are not counted: the count would show an admin who also
    judges that a response already has a judgment.
    """

    submitted: int = 0
    accepted: int = 0
    reviewed: int = 0
    last_saved_at: datetime | None = None


class WorkOf(Protocol):
    def __call__(self, people: Collection[User], reader: User, /) -> dict[int, Work]:
        """Return the work of each of these people by primary key, as far as the reader may know of it."""


class HandBack(Protocol):
    def __call__(self, person: User, actor: User, /) -> int:
        """Take unfinished work from a person, inside the transaction that closes the account. Returns the number of
        pieces that the actor may know of.
        """


class Free(Protocol):
    def __call__(self, person: User, roles: Collection[str], /) -> None:
        """Free the person's unfinished work that needs roles which they no longer have, inside the transaction. It
        returns no number: that would reveal who judges what.
        """


_work_of: list[WorkOf] = []
_hand_back: list[HandBack] = []
_free: list[Free] = []


def register(*, work_of: WorkOf, hand_back: HandBack) -> None:
    """Register the function for the list of people, and the one called when an account is closed."""
    _work_of[:] = [work_of]
    _hand_back[:] = [hand_back]


def register_free(free: Free) -> None:
    """Register another function called when an account is closed or roles are taken away."""
    if free not in _free:
        _free.append(free)


def work_of(people: Collection[User], *, reader: User) -> dict[int, Work]:
    return _work_of[0](people, reader) if _work_of else {}


def hand_back(*, person: User, actor: User) -> int:
    """Return the person's unfinished tags to the queue and reassign their other open work; returns the number of tags
    that `actor` may know of.
    """
    free_without(person=person, roles=Role.values)
    return _hand_back[0](person, actor) if _hand_back else 0


def free_without(*, person: User, roles: Collection[str]) -> None:
    """Reassign the person's open work that needs these roles, which they no longer have."""
    for free in _free:
        free(person, roles)
