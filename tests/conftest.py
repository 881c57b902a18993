"""The cast: one person for each role, a stranger, and where the released sample lies."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from hypothesis import settings as hypothesis_settings

from annotation.models import Role, User

pytest_plugins = ["tests.mediawiki.fixtures"]

# A busy machine is no failure; speed is measured in benchmarks.
hypothesis_settings.register_profile("workbench", deadline=None)
hypothesis_settings.load_profile("workbench")


def make_person(name: str, *roles: str) -> User:
    """An account with these roles; the password is the name."""
    user = User.objects.create_user(name, email=f"{name}@example.org", password=name)
    for role in roles:
        user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


@pytest.fixture
def annotator(db) -> User:
    return make_person("anna", Role.ANNOTATOR)


@pytest.fixture
def other_annotator(db) -> User:
    return make_person("ansel", Role.ANNOTATOR)


@pytest.fixture
def reviewer(db) -> User:
    return make_person("rita", Role.REVIEWER)


@pytest.fixture
def other_reviewer(db) -> User:
    return make_person("ralph", Role.REVIEWER)


@pytest.fixture
def adjudicator(db) -> User:
    return make_person("ada", Role.ADJUDICATOR)


@pytest.fixture
def admin(db) -> User:
    return make_person("amir", Role.ADMIN)


@pytest.fixture
def stranger(db) -> User:
    """Signed in, but without any role."""
    return make_person("stan")


@pytest.fixture
def sign_in():
    """`sign_in(user)` gives a test client that is signed in as this person."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
        return client

    return signed_in


@pytest.fixture(scope="session")
def released_data() -> Path:
    """The folder with half of the released data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "wikicontradict_sample.json").exists():
        pytest.skip(f"no released sample in {folder}: set WIKICONTRADICT_DATA")
    return folder
