"""People with any roles, for tests that walk the pages as each of them."""

from itertools import combinations

import pytest
from django.contrib.auth.models import Group

from core.models import Role, User

ALONE = [(role,) for role in Role.values]
PAIRS = list(combinations(Role.values, 2))


def with_roles(name: str, *roles: str) -> User:
    """The person of this name, with these roles instead of their own."""
    person = User.objects.get(username=name)
    person.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
    return User.objects.get(pk=person.pk)


def tried(roles: tuple[str, ...]):
    """A parameter of these roles; more than one role is tried in CI only."""
    return pytest.param(roles, id="+".join(roles), marks=[pytest.mark.thorough] if len(roles) > 1 else [])


EACH_AND_PAIRS = [tried(roles) for roles in (*ALONE, *PAIRS, tuple(Role.values))]
