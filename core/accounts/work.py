"""The work of people in the apps above, which tell of it here: the list of people needs to know none of them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from ..models import User


@dataclass(frozen=True, slots=True)
class Work:
    """What one person did, for the list of people. Judgments are not counted: that would show an admin who judges,
    too, that a response has a judgment already."""

    submitted: int = 0
    accepted: int = 0
    reviewed: int = 0
    last_saved_at: datetime | None = None


# Given users, the work of each by primary key; who did nothing is left out.
WorkOf = Callable[[Collection[User]], dict[int, Work]]
# Given person and actor: takes unfinished work from the person, within the transaction; returns how many pieces.
HandBack = Callable[[User, User], int]

_work_of: list[WorkOf] = []
_hand_back: list[HandBack] = []


def register(*, work_of: WorkOf, hand_back: HandBack) -> None:
    """Have these asked for the list of people, and when an account is closed."""
    _work_of[:] = [work_of]
    _hand_back[:] = [hand_back]


def work_of(people: Collection[User]) -> dict[int, Work]:
    return _work_of[0](people) if _work_of else {}


def hand_back(*, person: User, actor: User) -> int:
    """Return the person's unfinished tags to the queue; returns how many."""
    return _hand_back[0](person, actor) if _hand_back else 0
