"""Common fixtures: one person for each role, a stranger, and the folder of the released sample."""

import fcntl
import gc
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Group
from django.contrib.contenttypes.management import create_contenttypes
from django.core.cache import caches
from django.db import connection, transaction
from django.db.models.signals import post_migrate
from django.template import Context, Template
from django.test import Client
from django.utils.safestring import SafeString
from hypothesis import settings as hypothesis_settings

from annotation.mediawiki.endpoint import Endpoint
from core.engine import counted as kept
from core.engine.kept.keepers import check_sums
from core.models import Role, User
from core.schema.checking import Checked
from core.web.sessions import SessionStore
from tests.databases import may_run_on_postgresql, runs_on_postgresql

pytest_plugins = [
    "tests.contradoc.people.fixtures",
    "tests.core.world",
    "tests.doors.clock",
    "tests.environments.local_models.process",
    "tests.interleaving.pieces",
    "tests.mediawiki.fixtures",
    "tests.servers.fixtures",
]

# A busy machine must not fail a test; speed is measured in `speed/`.
hypothesis_settings.register_profile("workbench", deadline=None)
hypothesis_settings.load_profile("workbench")


# Objects from collecting tests live until the end, so the garbage collector skips them.
gc.disable()

# On a busy machine everything takes long, and a test needs current values.
kept.LONG = float("inf")

# Nor does a test wait for a wiki that does not answer: tests of the pauses count them.
Endpoint.__init__.__kwdefaults__["sleep"] = lambda seconds: None

# The database is as migrations leave it, and some tests of commands have none.
Checked.is_done = True

ROOT = Path(__file__).parents[1]

# These mostly wait for a browser or another server. Spread among the other tests, they leave the cores to those;
# none comes near the end, when no other tests would be left.
WAITING = (
    "tests/judging/call_batches/test_third_party_",
    "tests/judging/endpoints/test_third_party_",
    "tests/config/",
    "tests/browser/",
)
UNTIL = 0.8
LEFT_TO_CI = pytest.mark.skip(reason="thorough: runs with CI=true, or if its file is named")
# A module runs in one process: if begun late, these would still run when all others are done.
LONG = (
    "tests/core/web/test_access.py",
    "tests/doors/test_fuzz.py",
    "tests/review/blindness/test_blindness_roles.py",
    "tests/annotation/same_tag/test_same_tag_roles.py",
    "tests/costs/test_list_costs.py",
    "tests/annotation/assignments/test_turns.py",
    "tests/core/api/test_schemathesis.py",
    "tests/core/api/test_generated_client.py",
    "tests/review/reports/test_reports.py",
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    is_second_run = config.option.markexpr == "postgresql" and collection_path.name.startswith("test_")
    return True if is_second_run and not may_run_on_postgresql(collection_path) else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    tries_all = wants_thorough(config)
    for item in items:  # before `-m` chooses
        if runs_on_postgresql(item):
            assert may_run_on_postgresql(item.path), f"{item.path} is not read in the run on PostgreSQL"
            item.add_marker("postgresql")
        if not tries_all and item.get_closest_marker("thorough"):
            item.add_marker(LEFT_TO_CI)
    yield
    items[:] = spread(items)  # after pytest-django has put those with real transactions last


def wants_thorough(config: pytest.Config) -> bool:
    """Return whether tests marked `thorough` run: in CI, and where someone chose what to run."""
    is_chosen = config.option.file_or_dir or config.option.markexpr or config.option.keyword
    return os.environ.get("CI") == "true" or bool(is_chosen)


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # tests make much that lives as long as a test, and leave little in circles
    gc.enable()


def spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests module by module, the long ones first, those of modules that wait evenly among the others."""
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    waiting = sorted((name for name in modules if name.startswith(WAITING)), key=waits_like)
    working = sorted((name for name in modules if not name.startswith(WAITING)), key=lambda name: name not in LONG)
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Check after each test that the sums kept by the database equal its rows."""
    yield
    uses = {"db", "transactional_db", "live_server"} & set(getattr(item, "fixturenames", ()))
    if (uses or item.get_closest_marker("django_db")) and not connection.needs_rollback:
        assert check_sums() == []


@pytest.fixture(scope="session", autouse=True)
def told_of_whole_pages(django_test_environment: None) -> None:
    """Django reports to tests every rendered template with a copy of its context. No test asks for included
    templates, and copying their contexts takes long."""
    told = Template._render

    def render(template: Template, context: Context) -> SafeString:
        return told(template, context) if context.template is template else template.nodelist.render(context)

    Template._render = render  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def django_db_createdb(django_db_createdb: bool) -> bool:
    """On SQLite the database is always a new file, or a copy of one made in this run."""
    return django_db_createdb and connection.vendor != "sqlite"


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_modify_db_settings: None
) -> None:
    """Leave out Django's permissions and content types, which nothing here uses: they would be written again after
    each test with real transactions. These tests leave few rows, which are deleted row by row."""
    if connection.vendor == "sqlite":
        migrate_once(request, migrated_in(request, tmp_path_factory))
    request.getfixturevalue("django_db_setup")
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    post_migrate.disconnect(create_contenttypes)
    # An attribute of the class: once Playwright has an event loop in this thread, Django uses another connection for
    # it.
    type(connection.ops).sql_flush = delete_rows  # type: ignore[assignment, method-assign]


def migrated_in(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the SQLite database as migrations leave it: made once for all processes that run side by side."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if hasattr(request.config, "workerinput") else own) / "migrated.sqlite3"


@contextmanager
def one_at_a_time(kept: Path) -> Iterator[None]:
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def migrate_once(request: pytest.FixtureRequest, kept: Path) -> None:
    """The first process makes all migrations; the others begin with a copy."""
    own = connection.settings_dict["TEST"]["NAME"]
    with one_at_a_time(kept):
        if kept.exists():
            shutil.copy(kept, own)
            return
        request.getfixturevalue("django_db_setup")
        with sqlite3.connect(own) as made, sqlite3.connect(kept) as copy:
            made.backup(copy)


@pytest.fixture(scope="session")
def migrated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Path:
    """A SQLite database as migrations leave it, for sites that tests start as processes of their own: copy it."""
    kept = migrated_in(request, tmp_path_factory)
    with one_at_a_time(kept):
        if not kept.exists():  # the tests run on PostgreSQL
            site = {"DATABASE_URL": f"sqlite:///{kept}", "VAR_DIR": str(kept.parent)}
            site = os.environ | site | {"DJANGO_SETTINGS_MODULE": "config.settings"}
            subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=site, cwd=ROOT, check=True)
    return kept


# How the names of triggers end that refuse to delete rows (`KeepRows`), which only the clearing after a test may do.
KEEPS_ROWS = "_kept"


def delete_rows(operations: object, style: object, tables: Iterable[str], **options: object) -> list[str]:
    """The statements that empty these tables. To truncate them would have PostgreSQL write some hundred files anew,
    and is refused for some.

    Each table is emptied twice: a kept sum that went before what it counts is written anew, and in which order tables
    come differs from process to process. On SQLite all of them are, also those that are empty now: a page that was
    closed may still send what it has. What goes away need not be right meanwhile.
    """
    quote = connection.ops.quote_name
    if connection.vendor == "sqlite":
        emptied = 2 * [f"DELETE FROM {quote(table)}" for table in tables]
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            keeping = {name: made for name, made in cursor.fetchall() if name.endswith(KEEPS_ROWS)}
        return [
            "PRAGMA ignore_check_constraints = ON",
            *(f"DROP TRIGGER {name}" for name in keeping),
            *emptied,
            *keeping.values(),
            "PRAGMA ignore_check_constraints = OFF",
        ]
    parts = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        filled = [table for (table,) in cursor.fetchall()]
        cursor.execute("SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
        keeping = {name: table for name, table in cursor.fetchall() if name.endswith(KEEPS_ROWS) and table in filled}
    emptied = 2 * [f"DELETE FROM {quote(table)}" for table in filled]
    disabled, enabled = (
        [f"ALTER TABLE {table} {word} TRIGGER {name}" for name, table in keeping.items()]
        for word in ("DISABLE", "ENABLE")
    )
    # No table is altered while a foreign key waits to be checked.
    return [*disabled, *emptied, "SET CONSTRAINTS ALL IMMEDIATE", *enabled]


@pytest.fixture(scope="module")
def module_transaction(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Rows that a module's fixtures write within it are there for each of its tests, and undone after the last one.

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
def people(admin) -> list[User]:
    """Three reviewers, for tests in which it matters who is first."""
    return [make_person(name, "reviewer") for name in ("pat", "quinn", "robin")]


@pytest.fixture
def pat(people) -> User:
    return people[0]


@pytest.fixture
def sign_in():
    """`sign_in(user)` gives a test client that is signed in as this person."""
    return signed_in


@pytest.fixture
def anna(annotator) -> Client:
    return signed_in(annotator)


@pytest.fixture
def rita(reviewer) -> Client:
    return signed_in(reviewer)


@pytest.fixture
def ada(adjudicator) -> Client:
    return signed_in(adjudicator)


@pytest.fixture
def amir(admin) -> Client:
    return signed_in(admin)


def signed_in(user: User) -> Client:
    """A client with the session that signing in would create, for a fifth of the work: most tests begin with it."""
    client, session = Client(), SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = "core.accounts.adapter.Backend"
    session["account_authentication_methods"] = [{"method": "password", "at": time.time()}]
    session["account_authentication_methods_user"] = str(user.pk)
    session["seen"] = int(time.time())
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key or ""
    return client


@pytest.fixture
def own_cache(monkeypatch) -> None:
    """An empty cache for this test alone. Emptying the shared one would remove values that a test in another process
    counts.
    """
    monkeypatch.setattr(caches["default"], "key_prefix", uuid4().hex)


@pytest.fixture(scope="session")
def released_data() -> Path:
    """The folder with half of the released data; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("WIKICONTRADICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "wikicontradict_sample.json").exists():
        pytest.skip(f"no released sample in {folder}: set WIKICONTRADICT_DATA")
    return folder
