"""Three reviewers, for tests in which it matters who is first."""

import pytest

from core.models import User
from tests.conftest import make_person


@pytest.fixture
def people(admin) -> list[User]:
    return [make_person(name, "reviewer") for name in ("pat", "quinn", "robin")]


@pytest.fixture
def pat(people) -> User:
    return people[0]
