"""The stored database of each released version is brought up to date, and all that it held works.

Each is in the middle of work: an open draft, a lease, a paused run with unsent calls, a round half judged.
"""

import gzip
import json
import os
import subprocess
import sys
from contextlib import closing
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from .stored import POSTGRESQL, ROOT, SQLITE, migration_sums, stored_folder, stored_versions

pytestmark = pytest.mark.parametrize("version", stored_versions())


@pytest.fixture
def stored_site(version, tmp_path):
    """The environment of a site whose database is the stored one."""
    environment = os.environ | {"VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment.pop("DATABASE_URL", None)
    if connection.vendor == "sqlite":
        packed = (stored_folder(version) / SQLITE).read_bytes()
        (tmp_path / "workbench.sqlite3").write_bytes(gzip.decompress(packed))
        yield environment
        return
    address, name = os.environ["DATABASE_URL"], f"stored_{uuid4().hex[:12]}"
    own = urlunsplit(urlsplit(address)._replace(path=f"/{name}"))
    with closing(psycopg.connect(address, autocommit=True)) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            dump = gzip.decompress((stored_folder(version) / POSTGRESQL).read_bytes())
            command = ["psql", "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname", own]
            subprocess.run(command, input=dump, check=True, capture_output=True)
            yield environment | {"DATABASE_URL": own}
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def run(environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.thorough
def test_a_stored_database_is_brought_up_to_date_and_works(stored_site, version):
    run(stored_site, "manage.py", "migrate", "--verbosity", "0")
    run(stored_site, "manage.py", "migrate", "--check")
    found = json.loads(run(stored_site, "-m", "tests.upgrades.visiting"))
    assert found["failed"] == []
    assert min(found["shown"].values()) >= 5
    assert found["wrong sums"] == []
    assert found["files"] == json.loads((stored_folder(version) / f"files_{connection.vendor}.json").read_text())


def test_its_migrations_are_as_they_were_when_it_was_released(version):
    released = json.loads((stored_folder(version) / "migrations.json").read_text())
    now = migration_sums()
    changed = [path for path, checksum in released.items() if now.get(path) != checksum]
    assert changed == [], "A released migration is never changed: add another one"
