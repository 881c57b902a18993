"""Inserts many new rows: Python prepares them before the lock is taken, and under it they are only handed over."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
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
    keys = keys_for({model: len(mine) for model, mine in by_model.items()})
    for model, mine in by_model.items():
        for row in mine:
            row.pk = next(keys[model])


def keys_for(counts: Mapping[type[models.Model], int]) -> dict[type[models.Model], Iterator[int]]:
    """So many primary keys of each model, that no other row has or will get."""
    wanted = {model: count for model, count in counts.items() if count}
    if not wanted:
        return dict.fromkeys(counts, iter(()))
    with transaction.atomic():
        return {model: iter(new_keys(model, count) if count else ()) for model, count in counts.items()}


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

    @classmethod
    def of(cls, model: type[models.Model], **given: Any) -> "Insert":
        """A new row with these values and its model's defaults, at a tenth of the cost of an instance. A foreign key
        goes by the name of its column."""
        insert = cls.__new__(cls)
        insert.table = _table(model, "id" in given)
        insert.values = insert.table.new(given)
        return insert

    def put(self, name: str, value: Any) -> None:
        """Set a value, if the model has such a field."""
        if (number := self.table.numbers.get(name)) is not None:
            self.values[number] = self.table.prepared(number, value)


class _Table:
    """The INSERT into a model's table."""

    def __init__(self, model: type[models.Model], has_keys: bool):
        fields: list[Any] = [field for field in model._meta.concrete_fields if has_keys or not field.primary_key]
        quote = connection.ops.quote_name
        columns = ", ".join(quote(field.column) for field in fields)
        marks = ", ".join(["%s"] * len(fields))
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
        prepare = _moment if type(value) is datetime else _prepared
        return prepare(self.fields[number], value)


def _prepared(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connections[DEFAULT_DB_ALIAS])


# The rows of a piece have the same few times.
_moment = lru_cache(maxsize=256)(_prepared)
_table = lru_cache(maxsize=None)(_Table)


def insert(rows: Iterable[Insert]) -> None:
    """Insert rows; consecutive rows of one model go through one prepared statement."""
    with connection.cursor() as cursor:
        for table, run in groupby(sorted_by_table(rows), key=lambda row: row.table):
            cursor.executemany(table.sql, [row.values for row in run])


def sorted_by_table(rows: Iterable[Insert]) -> list[Insert]:
    """The rows grouped by table. Foreign keys are checked when the transaction ends, so any order will do."""
    return sorted(rows, key=lambda row: row.table.sql)
