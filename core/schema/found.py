"""The tables, columns, triggers and migrations that the database has."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass

from django.db import connection

COLUMNS_ON_SQLITE = (
    "SELECT tables.name, columns.name FROM sqlite_master tables, pragma_table_xinfo(tables.name) columns "
    "WHERE tables.type = 'table'"
)
COLUMNS_ON_POSTGRESQL = (
    "SELECT tables.relname, columns.attname FROM pg_class tables "
    "JOIN pg_attribute columns ON columns.attrelid = tables.oid AND columns.attnum > 0 AND NOT columns.attisdropped "
    "WHERE tables.relkind IN ('r', 'p') AND tables.relnamespace = current_schema()::regnamespace"
)
TRIGGERS_ON_SQLITE = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
# A trigger that was switched off counts as missing.
TRIGGERS_ON_POSTGRESQL = (
    "SELECT triggers.tgname, tables.relname, functions.prosrc FROM pg_trigger triggers "
    "JOIN pg_class tables ON tables.oid = triggers.tgrelid JOIN pg_proc functions ON functions.oid = triggers.tgfoid "
    "WHERE NOT triggers.tgisinternal AND triggers.tgenabled <> 'D' "
    "AND tables.relnamespace = current_schema()::regnamespace"
)


def digest(source: str) -> str:
    """A short digest of a trigger's text, whatever its spaces."""
    return hashlib.sha256(" ".join(source.split()).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class FoundTrigger:
    name: str
    table: str
    digest: str


def found_columns() -> dict[str, set[str]]:
    """The columns of each table of the database. Raises DatabaseError."""
    found: dict[str, set[str]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS_ON_POSTGRESQL if connection.vendor == "postgresql" else COLUMNS_ON_SQLITE)
        for table, column in cursor.fetchall():
            found[table].add(column)
    return dict(found)


def found_triggers() -> list[FoundTrigger]:
    """The triggers of the database. Raises DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute(TRIGGERS_ON_POSTGRESQL if connection.vendor == "postgresql" else TRIGGERS_ON_SQLITE)
        return [FoundTrigger(name, table, digest(source)) for name, table, source in cursor.fetchall()]


def applied_migrations() -> set[tuple[str, str]]:
    """The app and name of each migration that the database has had. Raises DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return {(app, name) for app, name in cursor.fetchall()}


def last_migration() -> int:
    """The number of the row of the last migration: it rises with each. Raises DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT MAX(id) FROM django_migrations")
        return cursor.fetchone()[0] or 0
