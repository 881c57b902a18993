"""Copies a whole SQLite database into an empty PostgreSQL database with the same tables."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from ..languages import say
from ..refusals import Refusal

# Both have had the same migrations.
NOT_COPIED = "django_migrations"
MOVED = say("This site has moved to PostgreSQL. This is the old database.")
COLUMNS = (
    "SELECT table_name, column_name, data_type FROM information_schema.columns "
    "WHERE table_schema = current_schema() AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position"
)


class Column(NamedTuple):
    name: str
    type: str


def tables_at(login: dict[str, Any]) -> int:
    """The number of tables in the PostgreSQL database with this login. Raises Refusal if it cannot be reached."""
    try:
        with closing(psycopg.connect(**{"connect_timeout": 10} | login)) as server:
            row = server.execute("SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema()").fetchone()
            return int(row[0]) if row else 0
    except psycopg.Error as error:
        # The message of a wrong password may repeat the address.
        raise Refusal(f"The new database cannot be reached ({type(error).__name__}). Nothing was changed.") from None


def copy_rows(source: Path, login: dict[str, Any], tell: Callable[[str], object]) -> dict[str, int]:
    """Copy all rows of the SQLite file into the database with this login, in one transaction, and reset its
    sequences. Nobody can write to the file meanwhile, and nothing goes out from it afterwards.

    Returns the number of rows of each table. Raises Refusal; then the new database has no rows of it.
    """
    with (
        closing(sqlite3.connect(source, isolation_level=None, timeout=30)) as old,
        closing(psycopg.connect(**login)) as new,
    ):
        old.execute("BEGIN IMMEDIATE")
        try:
            with new.transaction():
                copied = _copy(old, new, tell)
            new.autocommit = True
            new.execute("ANALYZE")
        except (psycopg.Error, sqlite3.Error) as error:
            old.execute("ROLLBACK")
            raise Refusal(
                f"The rows could not be copied: {error} Nothing was changed in the old database; the new one has its "
                "tables, and no rows of the old one."
            ) from error
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        old.execute("UPDATE core_datafolder SET held_at = ?, held_because = ?", (now, MOVED))
        old.execute("COMMIT")
    return copied


def _copy(old: sqlite3.Connection, new: psycopg.Connection, tell: Callable[[str], object]) -> dict[str, int]:
    new.execute("SET TIME ZONE 'UTC'")  # SQLite has times without a zone, in UTC
    columns = _columns(new)
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    for table in columns:
        new.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(sql.Identifier(table)))
    new.execute(sql.SQL("TRUNCATE {}").format(names))
    copied = {table: _copy_table(old, new, table, some, tell) for table, some in columns.items()}
    new.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table, some in columns.items():
        new.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(sql.Identifier(table)))
        if some[0].name == "id":
            _reset_sequence(old, new, table)
    for table, rows in copied.items():
        query = sql.SQL("SELECT COUNT(*) FROM {}").format(sql.Identifier(table))
        found = (new.execute(query).fetchone() or (0,))[0]
        if found != rows:
            raise psycopg.DataError(f"{table} has {found:,} rows instead of {rows:,}.")
    return copied


def _columns(new: psycopg.Connection) -> dict[str, list[Column]]:
    found: dict[str, list[Column]] = {}
    for table, name, kind in new.execute(COLUMNS).fetchall():
        if table != NOT_COPIED:
            found.setdefault(table, []).append(Column(name, kind))
    return found


def _copy_table(
    old: sqlite3.Connection, new: psycopg.Connection, table: str, columns: list[Column], tell: Callable[[str], object]
) -> int:
    names = ", ".join(f'"{column.name}"' for column in columns)
    rows = old.execute(f'SELECT {names} FROM "{table}"')  # noqa: S608 # names of our tables
    into = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(sql.Identifier(column.name) for column in columns)
    )
    number = 0
    with new.cursor() as cursor, cursor.copy(into) as copy:
        for row in _converted(rows, columns):
            copy.write_row(row)
            number += 1
    if number:
        tell(f"{table}: {number:,} rows")
    return number


def _converted(rows: Iterable[tuple[Any, ...]], columns: list[Column]) -> Iterator[tuple[Any, ...]]:
    """The rows with values that PostgreSQL reads: SQLite has no type for yes and no, nor one for decimal numbers."""
    converters: list[Callable[[Any], Any] | None] = [CONVERTERS.get(column.type) for column in columns]
    for row in rows:
        yield tuple(
            value if value is None or convert is None else convert(value)
            for value, convert in zip(row, converters, strict=True)
        )


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "boolean": bool,
    "bytea": bytes,
    "numeric": _text,
    "text": _text,
    "character varying": _text,
    "jsonb": _text,
}


def _reset_sequence(old: sqlite3.Connection, new: psycopg.Connection, table: str) -> None:
    """Let the next row get a number that no row has had, in the old database either."""
    had = old.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    seq = sql.Literal(had[0] if had else 0)
    query = sql.SQL(
        "SELECT setval(pg_get_serial_sequence({name}, 'id'), GREATEST(MAX(id), {had}, 1), "
        "GREATEST(MAX(id), {had}) > 0) FROM {table} HAVING pg_get_serial_sequence({name}, 'id') IS NOT NULL"
    )
    new.execute(query.format(name=sql.Literal(f'"{table}"'), had=seq, table=sql.Identifier(table)))
