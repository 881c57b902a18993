"""Rows written while the triggers of the database do nothing: by a restore, by hand, or to cover up."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def without_triggers(like: str = "%") -> Iterator[None]:
    """Switch off the triggers of tables with such names, and on again afterwards."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(
                "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger "
                "WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE %s",
                [like],
            )
            tables = [table for (table,) in cursor.fetchall()]
            off = [f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in tables]
            on = ["SET CONSTRAINTS ALL IMMEDIATE", *(f"ALTER TABLE {table} ENABLE TRIGGER USER" for table in tables)]
        else:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE %s", [like])
            made = cursor.fetchall()
            off, on = [f"DROP TRIGGER {name}" for name, _ in made], [sql for _, sql in made]
        for statement in off:
            cursor.execute(statement)
        try:
            yield
        finally:
            for statement in on:
                cursor.execute(statement)
