"""Tours for people who are new in a role: a few words beside one part of a real page after another."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..models import User


@dataclass(frozen=True, slots=True)
class Stop:
    """A part of a page, as a CSS selector, with a heading and words; without the part, the words still show."""

    at: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class Tour:
    """The tour of a role.

    Args:
        role: the role that it is for.
        about: the work of this role, in a sentence or two.
        begins: the name of the page on which it is shown, and `query` more for its address.
        starts: the name of the page where the work itself begins.
        stops: its stops, in their order.
    """

    role: str
    about: str
    begins: str
    starts: str
    stops: Sequence[Stop]
    query: str = ""


_tours: dict[str, Tour] = {}


def register_tours(*tours: Tour) -> None:
    _tours.update({tour.role: tour for tour in tours})


def tour_of(user: User) -> Tour | None:
    """The tour of the first of this person's roles that has one."""
    return next((tour for role, tour in _tours.items() if user.has_role(role)), None)


def tour_called(role: str, user: User) -> Tour | None:
    """The tour of this role, if it is the person's."""
    tour = _tours.get(role)
    return tour if tour and user.has_role(tour.role) else None
