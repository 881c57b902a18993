"""What the navigation and the first page offer each person.

Each app registers its items in `AppConfig.ready`, so the frame need not know the apps above this one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .models import User


@dataclass(frozen=True, slots=True)
class NavItem:
    label: str
    url_name: str
    roles: tuple[str, ...]
    about: str
    # What there is for this person right now, in a few words; shown on the first page only.
    now: Callable[[User], str] | None = None
    order: int = 50
    # The name in the navigation, where room is scarce; the label if that is short enough.
    short: str = ""
    # How much is waiting for this person; shown beside the name on every page, so it has to be cheap.
    waiting: Callable[[User], int] | None = None

    def waiting_for(self, user: User) -> int:
        return self.waiting(user) if self.waiting else 0


_nav_items: list[NavItem] = []


def register(*nav_items: NavItem) -> None:
    _nav_items.extend(nav_items)
    _nav_items.sort(key=lambda nav_item: nav_item.order)


def nav_items_for(user: User) -> list[NavItem]:
    """The nav items that the person's roles give access to, in the order of the work."""
    return [nav_item for nav_item in _nav_items if user.has_role(*nav_item.roles)]
