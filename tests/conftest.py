"""The cast: one person for each role, a stranger, and where the released sample lies."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.contrib.contenttypes.management import create_contenttypes
from django.db import transaction
from django.db.models.signals import post_migrate
from django.test import Client
from hypothesis import settings as hypothesis_settings

from core.models import Role, User
from tests.databases import runs_on_postgresql

pytest_plugins = ["tests.mediawiki.fixtures", "tests.pieces"]

# A busy machine is no failure; speed is measured in benchmarks.
hypothesis_settings.register_profile("workbench", deadline=None)
hypothesis_settings.load_profile("workbench")


# These mostly wait, for a browser or another server. Spread among the others, they leave the cores to
# them; none comes near the end, when the others would have nothing left to do.
WAITING = ("tests/judging/test_third_party_server.py", "tests/config/", "tests/browser/")
UNTIL = 0.8


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    for item in items:  # before `-m` chooses
        if runs_on_postgresql(item):
            item.add_marker("postgresql")
    yield
    items[:] = spread(items)  # after pytest-django has put those with real transactions last


def spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests module by module, those of modules that wait evenly among the others."""
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    waiting = sorted((name for name in modules if name.startswith(WAITING)), key=waits_like)
    working = [name for name in modules if not name.startswith(WAITING)]
    rank = {name: UNTIL * number / len(waiting) for number, name in enumerate(waiting)}
    rank |= {name: number / len(working) for number, name in enumerate(working)}
    return [item for name in sorted(modules, key=rank.__getitem__) for item in modules[name]]


def waits_like(module: str) -> int:
    return next(number for number, start in enumerate(WAITING) if module.startswith(start))


def make_person(name: str, *roles: str) -> User:
    """An account with these roles; the password is the name."""
    user = User.objects.create_user(name, email=f"{name}@example.org", password=name)
    for role in roles:
        user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup) -> None:
    """Without Django's own permissions and content types, which nothing here asks for: they would be written again
    after each test with real transactions, and take most of the time of emptying the tables."""
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)


@pytest.fixture(scope="module")
def module_transaction(django_db_setup, django_db_blocker) -> Iterator[None]:
    """What a module's fixtures write within it is there for each of its tests, and undone after the last one.

    Each test that asks for `db` has a savepoint in it, so it leaves nothing to the next. For modules whose tests all
    want the same rows and need no real transactions.
    """
    with django_db_blocker.unblock():
        outer = transaction.atomic()
        outer._from_testcase = True  # type: ignore[attr-defined] # as Django's own: a durable block may begin in it
        with outer:
            yield
            transaction.set_rollback(True)


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
        client.force_login(user, backend="core.accounts.adapter.Backend")
        return client

    return signed_in


@pytest.fixture(scope="session")
def released_data() -> Path:
    """The folder with half of the released data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "wikicontradict_sample.json").exists():
        pytest.skip(f"no released sample in {folder}: set WIKICONTRADICT_DATA")
    return folder
