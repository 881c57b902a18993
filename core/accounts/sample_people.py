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


_preparations: list[Preparation] = []


def on_prepare(preparation: Preparation) -> None:
    """Register an app's part of a first start."""
    _preparations.append(preparation)


def run_preparations() -> list[str]:
    return [line for line in [preparation() for preparation in _preparations] if line]
