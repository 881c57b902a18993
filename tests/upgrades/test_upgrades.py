"""The stored database of each released version is brought up to date, and all that it held works.

Each is in the middle of work: an open draft, a lease, a paused run with unsent calls, a round half judged.
"""

import gzip
import json
import subprocess

import pytest
from django.db import connection

from tests.sites import done, empty_site, ended

from .stored import POSTGRESQL, SQLITE, migration_sums, stored_folder, stored_versions

pytestmark = pytest.mark.parametrize("version", stored_versions())


@pytest.fixture
def stored_site(version, tmp_path):
    """The environment of a site whose database is the stored one."""
    with empty_site(tmp_path) as site:
        if connection.vendor == "sqlite":
            packed = (stored_folder(version) / SQLITE).read_bytes()
            (tmp_path / "workbench.sqlite3").write_bytes(gzip.decompress(packed))
        else:
            dump = gzip.decompress((stored_folder(version) / POSTGRESQL).read_bytes())
            command = ["psql", "--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname", site["DATABASE_URL"]]
            subprocess.run(command, input=dump, check=True, capture_output=True)
        yield site


@pytest.mark.thorough
def test_a_stored_database_is_brought_up_to_date_and_works(stored_site, version):
    refused = ended(stored_site, "manage.py", "check_sums")
    if refused.returncode:  # by now there are more migrations
        assert "made by an older version of this program" in refused.stderr
    done(stored_site, "manage.py", "migrate", "--verbosity", "0")
    done(stored_site, "manage.py", "migrate", "--check")
    assert "All sums are correct." in done(stored_site, "manage.py", "check_sums")
    found = json.loads(done(stored_site, "-m", "tests.upgrades.visiting"))
    assert found["failed"] == []
    assert min(found["shown"].values()) >= 5
    assert found["wrong sums"] == []
    assert found["files"] == json.loads((stored_folder(version) / f"files_{connection.vendor}.json").read_text())


def test_its_migrations_are_as_they_were_when_it_was_released(version):
    released = json.loads((stored_folder(version) / "migrations.json").read_text())
    now = migration_sums()
    changed = [path for path, checksum in released.items() if now.get(path) != checksum]
    assert changed == [], "A released migration is never changed: add another one"
