"""Inserts many new rows: Python prepares them before the lock is taken, and under it they are only handed over."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, models, transaction

# Field classes whose values of this type (most are) go to the database unchanged.
PLAIN: dict[str, type] = {
    "BooleanField": bool,
    "CharField": str,
    "TextField": str,
    "ForeignKey": int,
    "BigAutoField": int,
    "BigIntegerField": int,
    "IntegerField": int,
    "PositiveIntegerField": int,
    "PositiveSmallIntegerField": int,
}


def give_keys(rows: Iterable[models.Model]) -> None:
    """Give unsaved rows their primary keys, so that others can refer to them before they are saved."""
    by_model: dict[type[models.Model], list[models.Model]] = {}
    for row in rows:
        by_model.setdefault(type(row), []).append(row)
    if by_model:
        with transaction.atomic():
            keys = {model: new_keys(model, len(mine)) for model, mine in by_model.items()}
        for model, mine in by_model.items():
            for row, key in zip(mine, keys[model], strict=True):
                row.pk = key


def new_keys(model: type[models.Model], count: int) -> Sequence[int]:
    """`count` primary keys that no other row has or will get. Call it in a transaction."""
    table, column = model._meta.db_table, model._meta.pk.column
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sequence = [connection.ops.quote_name(table), column]
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, %s)) FROM generate_series(1, %s)", [*sequence, count]
            )
            return [key for (key,) in cursor.fetchall()]
        # Where SQLite keeps the last key of a table with AUTOINCREMENT: https://www.sqlite.org/autoinc.html
        cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s", [count, table])
        if not cursor.rowcount:
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, count])
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = cursor.fetchone()[0]
    return range(last - count + 1, last + 1)


class Insert:
    """The values to insert for one row as it is now; without a key, the database assigns one."""

    __slots__ = ("table", "values")

    def __init__(self, row: models.Model):
        self.table = _table(type(row), row.pk is not None)
        self.values = self.table.values(row)


class _Table:
    """The INSERT into a model's table."""

    def __init__(self, model: type[models.Model], has_keys: bool):
        fields: list[Any] = [field for field in model._meta.concrete_fields if has_keys or not field.primary_key]
        quote = connection.ops.quote_name
        columns = ", ".join(quote(field.column) for field in fields)
        marks = ", ".join(["%s"] * len(fields))
        self.fields = fields
        self.plain = [PLAIN.get(field.get_internal_type()) for field in fields]
        # Names come from the model, values go as parameters.
        self.sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})"  # noqa: S608

    def values(self, row: models.Model) -> list[Any]:
        database = connections[DEFAULT_DB_ALIAS]
        values = []
        for field, plain in zip(self.fields, self.plain, strict=True):
            value = getattr(row, field.attname)
            values.append(value if type(value) is plain else field.get_db_prep_save(value, database))
        return values


_table = lru_cache(maxsize=None)(_Table)


def insert(rows: Iterable[Insert]) -> None:
    """Insert rows; consecutive rows of one model go through one prepared statement."""
    with connection.cursor() as cursor:
        for table, run in groupby(sorted_by_table(rows), key=lambda row: row.table):
            cursor.executemany(table.sql, [row.values for row in run])


def sorted_by_table(rows: Iterable[Insert]) -> list[Insert]:
    """The rows grouped by table. Foreign keys are checked when the transaction ends, so any order will do."""
    return sorted(rows, key=lambda row: row.table.sql)
