"""The places of the application: what the navigation and the first page offer to whom.

Each app registers its own in `AppConfig.ready`, so that the frame needs to know nothing of the apps above this one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .models import User


@dataclass(frozen=True, slots=True)
class Place:
    label: str
    url_name: str
    roles: tuple[str, ...]
    about: str
    # What is there for this person right now, in a few words; shown on the first page only.
    now: Callable[[User], str] | None = None
    order: int = 50
    # In the navigation, where room is scarce; the label where it is short enough.
    short: str = ""
    # How much there waits for this person; shown beside the name on every page, so it has to be cheap.
    waiting: Callable[[User], int] | None = None

    def waiting_for(self, user: User) -> int:
        return self.waiting(user) if self.waiting else 0


_places: list[Place] = []


def register(*places: Place) -> None:
    _places.extend(places)
    _places.sort(key=lambda place: place.order)


def places_for(user: User) -> list[Place]:
    """The places that the person's roles open, in the order of the work."""
    return [place for place in _places if user.has_role(*place.roles)]
