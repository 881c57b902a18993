"""Web server, worker and commands on a database of another version; and a migration that fails."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from django.db import connection

from tests.sites import done, empty_site, ended
from tests.structure import ROOT

PROGRAMS = {
    "web": ("-m", "gunicorn", "config.wsgi", "--bind", "127.0.0.1:0", "--worker-class", "gthread"),
    "worker": ("-m", "celery", "-A", "config", "worker", "--pool", "threads", "--concurrency", "1"),
    "command": ("manage.py", "check_sums"),
}
CODES = {"web": 3, "worker": 3, "command": 1}


@pytest.fixture
def site(migrated, tmp_path):
    with empty_site(tmp_path, vendor="sqlite") as environment:
        shutil.copy(migrated, tmp_path / "workbench.sqlite3")
        yield environment


@pytest.mark.thorough
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "INSERT INTO django_migrations (app, name, applied) VALUES ('core', '0999_a', '2027-01-01')",
            "newer version",
        ),
        ("DELETE FROM django_migrations WHERE app = 'review'", "older version"),
        ("DROP TRIGGER core_event_frozen", "the trigger core_event_frozen is missing"),
    ],
)
def test_each_program_ends_with_a_sentence(site, tmp_path, program, statement, said):
    with closing(sqlite3.connect(tmp_path / "workbench.sqlite3")) as database, database:
        database.execute(statement)
    result = ended(site, *PROGRAMS[program])
    assert result.returncode == CODES[program], result.stderr[-2000:]
    assert said in result.stderr
    assert "Traceback" not in result.stderr


GOOD = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("core", "BEFORE")]
    operations = [migrations.AddField("webhook", "colour", models.CharField(max_length=10, default=""))]
"""
BAD = """
from django.db import migrations

class Migration(migrations.Migration):
    dependencies = [("core", "0997_good")]
    operations = [migrations.RunSQL("UPDATE core_webhook SET colour = ''; SELECT no_such_function()")]
"""


@pytest.mark.thorough
@pytest.mark.django_db
def test_a_failed_migration_leaves_the_database_as_it_was(tmp_path):
    """The first of two migrations could be applied, the second fails: neither is, and this version still works."""
    newer, folder = tmp_path / "newer", tmp_path / "site"
    folder.mkdir()
    left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", "var", "tests", "docs")
    shutil.copytree(ROOT, newer, ignore=left_out)
    migrations = newer / "core" / "migrations"
    last = sorted(path.stem for path in migrations.glob("0*.py"))[-1]
    (migrations / "0997_good.py").write_text(GOOD.replace("BEFORE", last))
    (migrations / "0998_bad.py").write_text(BAD)
    with empty_site(folder) as site:
        done(site, "manage.py", "migrate", "--verbosity", "0")
        failed = ended(site, "manage.py", "migrate", cwd=newer)
        assert failed.returncode == 1
        assert "None was applied: the database is as it was" in failed.stderr
        assert "Traceback" not in failed.stderr
        assert "All sums are correct." in done(site, "manage.py", "check_sums")
        assert (folder / "before-upgrade.sqlite3").exists() == (connection.vendor == "sqlite")
