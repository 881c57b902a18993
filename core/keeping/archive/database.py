"""Copies the whole database into one file while people work, and loads it from one."""

import gzip
import os
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection

from ...refusals import Refusal
from .parts import CHUNK

PART = {"sqlite": "database.sqlite3.gz", "postgresql": "database.dump"}


class Facts(NamedTuple):
    """Facts about the copied database: its server, migrations, the rows of each table, and its folders of data."""

    server: str
    migrations: list[list[str]]
    rows: dict[str, int]
    folders: list[dict[str, object]]


# Runs a query and returns its rows.
Query = Callable[[str], list[tuple[Any, ...]]]


def facts_of(query: Query, server: str, tables: Iterable[str]) -> Facts:
    return Facts(
        server,
        sorted([app, name] for app, name in query("SELECT app, name FROM django_migrations")),
        {table: query(f'SELECT COUNT(*) FROM "{table}"')[0][0] for table in sorted(tables)},  # noqa: S608 # our tables
        [
            {"token": str(token), "step": step}
            for token, step in query("SELECT token, step FROM core_datafolder ORDER BY id")
        ],
    )


def copy_database(target: Path) -> Facts:
    """Write the database as it is at one moment into `target`. Raises Refusal, OSError, sqlite3.Error."""
    return _dump(target) if connection.vendor == "postgresql" else _copy_file(target)


def _copy_file(target: Path) -> Facts:
    copied = target.with_suffix(".copying")
    try:
        name = connection.settings_dict["NAME"]
        with closing(sqlite3.connect(name)) as source, closing(sqlite3.connect(copied)) as copy:
            # All pages in one step: writers go on, as the log is read up to one moment.
            source.backup(copy, pages=-1)
            copy.execute("PRAGMA journal_mode=DELETE")

            def query(text: str) -> list[tuple[Any, ...]]:
                return copy.execute(text).fetchall()

            names = query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            facts = facts_of(query, f"SQLite {sqlite3.sqlite_version}", [name for (name,) in names])
        with copied.open("rb") as file, gzip.open(target, "wb", compresslevel=1) as packed:
            shutil.copyfileobj(file, packed, CHUNK)
    finally:
        for path in target.parent.glob(f"{copied.name}*"):
            path.unlink(missing_ok=True)
    return facts


def _dump(target: Path) -> Facts:
    """Dump PostgreSQL's database and read its facts, both at one moment: in one exported snapshot."""
    own = connection.copy()
    try:
        with own.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT pg_export_snapshot(), current_setting('server_version')")
            snapshot, version = cursor.fetchone()

            def query(text: str) -> list[tuple[Any, ...]]:
                cursor.execute(text)
                return list(cursor.fetchall())

            names = query("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            facts = facts_of(query, f"PostgreSQL {version}", [name for (name,) in names])
            options = ["--format=custom", "--compress=1", "--no-owner", "--no-privileges"]
            run_tool("pg_dump", *options, f"--snapshot={snapshot}", f"--file={target}")
            cursor.execute("COMMIT")
    finally:
        own.close()
    return facts


def run_tool(name: str, *options: str) -> None:
    """Run one of PostgreSQL's programs on the database. Raises Refusal if it is not there or fails."""
    if shutil.which(name) is None:
        raise Refusal(
            f"{name} is not installed. It comes with PostgreSQL's client, of the server's version or newer."
        )
    given = connection.settings_dict
    wanted = {"HOST": given["HOST"], "PORT": given["PORT"], "USER": given["USER"], "PASSWORD": given["PASSWORD"]}
    login = {f"PG{key}": str(value) for key, value in wanted.items() if value}
    done = subprocess.run(
        [name, f"--dbname={given['NAME']}", *options],
        env=os.environ | login,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refusal(f"{name} failed: {' '.join(done.stderr.split())[:500]}")


def is_empty() -> bool:
    """Return whether the database has no tables."""
    return not connection.introspection.table_names()


def load_database(source: Path) -> None:
    """Load a copy into the empty database. Raises Refusal, OSError."""
    if connection.vendor == "postgresql":
        connection.close()
        run_tool(
            "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", str(source)
        )
        return
    name = Path(connection.settings_dict["NAME"])
    connection.close()
    part = name.with_name(f"{name.name}.restoring")
    with gzip.open(source, "rb") as packed, part.open("wb") as file:
        shutil.copyfileobj(packed, file, CHUNK)
        file.flush()
        os.fsync(file.fileno())
    for ending in ("-wal", "-shm"):
        name.with_name(f"{name.name}{ending}").unlink(missing_ok=True)
    part.replace(name)


def damage(source: Path, vendor: str) -> str:
    """Return what is wrong with a copy of a database, in words; "" if it can be read. Raises OSError if it cannot be
    unpacked here, as on a full disk.
    """
    if vendor == "postgresql":
        if shutil.which("pg_restore") is None:
            return "pg_restore is not installed; it comes with PostgreSQL's client"
        done = subprocess.run(["pg_restore", "--list", str(source)], capture_output=True, text=True, check=False)
        return done.stderr.strip()[:300] if done.returncode else ""
    unpacked = source.with_suffix(".unpacked")
    try:
        with gzip.open(source, "rb") as packed, unpacked.open("wb") as file:
            shutil.copyfileobj(packed, file, CHUNK)
        with closing(sqlite3.connect(unpacked)) as copy:
            (said,) = copy.execute("PRAGMA quick_check(1)").fetchone()
        return "" if said == "ok" else str(said)
    except (gzip.BadGzipFile, zlib.error, EOFError, sqlite3.Error) as error:
        return str(error)
    finally:
        for path in source.parent.glob(f"{unpacked.name}*"):
            path.unlink(missing_ok=True)
