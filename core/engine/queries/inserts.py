"""Inserts new rows by SQL that is compiled once per process. For many rows: `../writing/inserts.py`."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, models

from .cursors import prepared_cursor

M = TypeVar("M", bound=models.Model)

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


def insert_new(row: M) -> M:
    """Insert a row without a key as it is, at a fraction of the cost of `save`; the row then has its key. Sends no
    signals. Raises the database's errors.
    """
    if not settings.PREPARED:
        row.save(force_insert=True)
        return row
    _insert([row], [table_of(type(row), False)])
    return row


def insert_together(*rows: models.Model) -> None:
    """Insert rows that do not refer to each other, as `insert_new` does: in one statement where the database allows
    it.
    """
    if not settings.PREPARED:
        for each in rows:
            each.save(force_insert=True)
        return
    tables = [table_of(type(row), False) for row in rows]
    if connection.vendor == "postgresql":
        _insert(rows, tables)
    else:
        for row, table in zip(rows, tables, strict=True):
            _insert([row], [table])


def insert_or_change(rows: Sequence[models.Model], *, at: Sequence[str] = (), change: Sequence[str] = ()) -> None:
    """Insert a few rows of one model in one statement. If a row with the same values in the columns `at` exists, its
    columns `change` are updated instead. The objects do not get their keys.
    """
    if not rows:
        return
    if not settings.PREPARED:
        changes: dict[str, Any] = (
            {"update_conflicts": True, "unique_fields": at, "update_fields": change} if at else {}
        )
        type(rows[0])._base_manager.bulk_create(rows, **changes)
        return
    table = table_of(type(rows[0]), False)
    sql = table.sql + f", ({', '.join(['%s'] * len(table.fields))})" * (len(rows) - 1)
    if at:
        changed = ", ".join(f"{column} = excluded.{column}" for column in change)
        sql += f" ON CONFLICT ({', '.join(at)}) DO UPDATE SET {changed}"
    with prepared_cursor() as cursor:
        cursor.execute(sql, [value for row in rows for value in table.values(row)])


def _insert(rows: Sequence[models.Model], tables: Sequence["Table"]) -> None:
    sql = f"{tables[0].sql} RETURNING id"
    if len(rows) > 1:
        inserted = [f"row_{number} AS ({table.sql} RETURNING id)" for number, table in enumerate(tables)]
        keys = [f"(SELECT id FROM row_{number})" for number in range(len(rows))]  # noqa: S608
        sql = f"WITH {', '.join(inserted)} SELECT {', '.join(keys)}"
    with prepared_cursor() as cursor:
        cursor.execute(sql, [value for row, table in zip(rows, tables, strict=True) for value in table.values(row)])
        keys = cursor.fetchone()
    for row, key in zip(rows, keys, strict=True):
        row.pk, row._state.adding, row._state.db = key, False, connection.alias


class Table:
    """The INSERT into a model's table."""

    def __init__(self, model: type[models.Model], has_keys: bool):
        fields: list[Any] = [
            field
            for field in model._meta.concrete_fields
            if (has_keys or not field.primary_key) and not field.generated
        ]
        quote = connection.ops.quote_name
        self.name = model._meta.db_table
        # Models stand behind those that they refer to by class.
        self.rank = list(apps.get_models(include_auto_created=True)).index(model)
        columns = ", ".join(quote(field.column) for field in fields)
        marks = ", ".join(["%s"] * len(fields))
        # Looked up once: it only says how values are written, and is the same in all threads.
        self.connection = connections[DEFAULT_DB_ALIAS]
        self.fields = fields
        self.numbers = {field.attname: number for number, field in enumerate(fields)}
        self.plain = [PLAIN.get(field.get_internal_type()) for field in fields]
        # Of an empty list or dict, nothing but its text is stored: one serves all rows.
        self.called = [
            (number, field.default)
            for number, field in enumerate(fields)
            if field.has_default() and callable(field.default) and field.default not in (list, dict)
        ]
        called = {number for number, _ in self.called}
        self.defaults = [
            None if number in called else self.prepared(number, field.get_default())
            for number, field in enumerate(fields)
        ]
        # Names come from the model, values go as parameters.
        self.sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})"  # noqa: S608
        self.copy_sql = f"COPY {quote(model._meta.db_table)} ({columns}) FROM STDIN"

    def values(self, row: models.Model) -> list[Any]:
        return [self.prepared(number, getattr(row, field.attname)) for number, field in enumerate(self.fields)]

    def new(self, given: dict[str, Any]) -> list[Any]:
        values = self.defaults.copy()
        for number, default in self.called:
            if self.fields[number].attname not in given:
                values[number] = self.prepared(number, default())
        numbers, plain = self.numbers, self.plain
        for name, value in given.items():
            number = numbers[name]
            is_plain = value is None or type(value) is plain[number]
            values[number] = value if is_plain else self.prepared(number, value)
        return values

    def prepared(self, number: int, value: Any) -> Any:
        if value is None or type(value) is self.plain[number]:
            return value
        if type(value) is datetime:
            return _moment(self.fields[number], value)
        if type(value) in (list, dict):  # which only JSON fields hold
            return self.connection.ops.adapt_json_value(value, self.fields[number].encoder)
        return self.fields[number].get_db_prep_save(value, self.connection)


# The rows of a piece have the same few times.
@lru_cache(maxsize=256)
def _moment(field: Any, value: datetime) -> Any:
    return field.get_db_prep_save(value, connections[DEFAULT_DB_ALIAS])


table_of = lru_cache(maxsize=None)(Table)
