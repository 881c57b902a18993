"""The sample people of a first start on a laptop."""

from functools import lru_cache
from typing import Protocol

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import Group
from django.db import transaction

from ..models import Role, User

DEMO_PASSWORD = "two-passages"  # noqa: S105  # printed on purpose; `up` then listens on this machine only
DEMO_PEOPLE = {
    "annotator": (Role.ANNOTATOR,),
    "annotator2": (Role.ANNOTATOR,),
    "reviewer": (Role.REVIEWER,),
    "reviewer2": (Role.REVIEWER,),
    "adjudicator": (Role.ADJUDICATOR,),
    "admin": (Role.ADMIN,),
}
# The first thing to try as each of them.
TO_TRY = {
    "annotator": "Annotate tagged articles: practise first, then take a tag.",
    "annotator2": "Another annotator, for tags that two people annotate.",
    "reviewer": "Review annotations, and judge responses of models.",
    "reviewer2": "Another reviewer, who judges the same responses.",
    "adjudicator": "Decide where two reviewers differ.",
    "admin": "Harvest articles, freeze releases, run models, begin rounds, read reports.",
}


def is_sample_person(user: User) -> bool:
    """Return whether this is a demo account with the printed password, on a site for this machine only."""
    return settings.SITE_IS_LOCAL and user.username in DEMO_PEOPLE and is_hash_of_printed_password(user.password)


@transaction.atomic
def make_demo_people() -> list[User]:
    """Make the accounts in `DEMO_PEOPLE` and return them. Makes none if the database already has accounts or if the
    site can be reached from other machines."""
    if not settings.SITE_IS_LOCAL or User.objects.exists():
        return []
    made = []
    # One hash for all: it takes a quarter of a second to make, and to check at each start. The password is no secret.
    password = make_password(DEMO_PASSWORD)
    for name, roles in DEMO_PEOPLE.items():
        user = User.objects.create(username=name, email=f"{name}@example.org", password=password)
        user.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
        made.append(user)
    return made


def demo_people() -> list[User]:
    """The demo accounts that can still sign in with the printed password."""
    users = User.objects.filter(username__in=DEMO_PEOPLE, is_active=True).order_by("pk")
    return [user for user in users if is_hash_of_printed_password(user.password)]


@lru_cache
def is_hash_of_printed_password(encoded: str) -> bool:
    """Return whether this is the hash of the printed password. Hashing is slow on purpose, so results are cached."""
    return check_password(DEMO_PASSWORD, encoded)


# Additions of the apps above to a first start. Each does nothing if it is not needed.
class Preparation(Protocol):
    def __call__(self) -> str:
        """Make an app's part of a first start. Called by each `prepare`, after the samples; it changes nothing if its
        part is there.

        Returns:
            A line to print; "" if there is nothing to tell.
        """


class IsDue(Protocol):
    def __call__(self) -> bool:
        """Return whether a preparation may have something to make, by a quick look at the database."""


_preparations: list[Preparation] = []
_later: list[tuple[Preparation, IsDue]] = []


def on_prepare(preparation: Preparation, *, later: IsDue | None = None) -> None:
    """Register an app's part of a first start. One with `later` may be made while the site already runs; `later` says
    whether there is anything to make.
    """
    if later is None:
        _preparations.append(preparation)
    else:
        _later.append((preparation, later))


def run_preparations() -> list[str]:
    """Make the parts that the first page needs."""
    return _made(_preparations)


def run_later_preparations() -> list[str]:
    """Make the parts that can be made while the site runs."""
    return _made([preparation for preparation, _ in _later])


def has_later_preparations() -> bool:
    """Return whether sample people are here, and a part that is made later may be missing."""
    return any(is_due() for _, is_due in _later) and bool(demo_people())


def _made(preparations: list[Preparation]) -> list[str]:
    return [line for line in [preparation() for preparation in preparations] if line]
