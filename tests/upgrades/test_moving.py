"""A site moves from SQLite to PostgreSQL with everything in it, in the middle of work."""

import gzip
import json
import os

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from tests.sites import done, empty_postgresql, empty_site, ended

from .stored import SQLITE, stored_folder, stored_versions

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
# Materialised, so that tables without the column are gone before they are asked for its sequence.
VERIFY_LOG = (
    "import django; django.setup(); from core.sealing.verifying import verify_log; chain = verify_log(); "
    "print(chain.position, chain.digest, chain.wrong)"
)
SEQUENCES = (
    "WITH numbered AS MATERIALIZED (SELECT table_name FROM information_schema.columns "
    "WHERE table_schema = current_schema() AND column_name = 'id') "
    "SELECT table_name FROM numbered WHERE pg_get_serial_sequence(quote_ident(table_name), 'id') IS NOT NULL"
)


def test_everything_is_there_and_works_afterwards(tmp_path):
    if connection.vendor != "postgresql":
        pytest.skip("it takes a server of PostgreSQL")
    with empty_site(tmp_path, vendor="sqlite") as old, empty_postgresql() as address:
        packed = (stored_folder(stored_versions()[-1]) / SQLITE).read_bytes()
        (tmp_path / "workbench.sqlite3").write_bytes(gzip.decompress(packed))
        done(old, "manage.py", "migrate", "--verbosity", "0")
        before = json.loads(done(old, "-m", "tests.upgrades.visiting"))
        log = done(old, "-c", VERIFY_LOG)
        said = done(old, "manage.py", "move", address)
        assert "sums and releases are right" in said
        new = old | {"DATABASE_URL": address}
        found = json.loads(done(new, "-m", "tests.upgrades.visiting"))
        assert found["failed"] == []
        assert found["wrong sums"] == []
        assert found["shown"] == before["shown"]
        assert "All sums are correct." in done(new, "manage.py", "check_sums")
        assert int(log.split()[0]) > 0
        assert log.endswith(" []\n")
        assert done(new, "-c", VERIFY_LOG) == log
        with psycopg.connect(address, autocommit=True) as server:
            with pytest.raises(psycopg.errors.RaiseException, match="event rows never change"):
                server.execute("UPDATE core_event SET message = 'x'")
            for (table,) in server.execute(SEQUENCES).fetchall():
                (is_free,) = server.execute(
                    f"SELECT nextval(pg_get_serial_sequence('\"{table}\"', 'id')) > COALESCE(MAX(id), 0) FROM {table}"
                ).fetchone()
                assert is_free, table
        again = ended(old, "manage.py", "move", address)
        assert again.returncode == 1
        assert "The new database is not empty" in again.stderr
        assert "This is the old database" in done(old, "manage.py", "allow_sending", "--dry-run")


@pytest.mark.parametrize("address", ["", "sqlite:///x", "mysql://me@localhost/x", "postgres://nobody@127.0.0.1:1/x"])
def test_another_address_is_refused(address):
    with pytest.raises(CommandError, match=r"Nothing was changed|is not SQLite"):
        call_command("move", address)
    assert "DATABASE_URL_OF_THE_MOVE" not in os.environ


@pytest.mark.parametrize(
    ("address", "password", "login"),
    [
        ("postgres://me:p@s/s#w%rd@db.example:5433/x", "", {"host": "db.example", "password": "p@s/s#w%rd"}),
        ("postgres://me@db.example:5433/x", "a@/#b", {"host": "db.example", "password": "a@/#b"}),
        ("postgres://me:pw@[::1]:5433/x?sslmode=require", "", {"host": "::1", "sslmode": "require"}),
    ],
)
def test_the_address_is_read_as_that_of_the_site(address, password, login, monkeypatch):
    if connection.vendor != "sqlite":
        pytest.skip("only a site on SQLite moves")
    tried = {}

    def connect(**given):
        tried.update(given)
        raise psycopg.OperationalError

    monkeypatch.setattr(psycopg, "connect", connect)
    monkeypatch.setenv("DATABASE_PASSWORD", password)
    with pytest.raises(CommandError, match="cannot be reached"):
        call_command("move", address)
    assert {"user": "me", "port": 5433, "dbname": "x"} | login == {
        name: tried.get(name) for name in {"user", "port", "dbname", *login}
    }
