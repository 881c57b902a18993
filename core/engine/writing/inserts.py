"""Inserts many new rows: Python prepares them before the lock is taken; only the insert itself holds it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db import connection, models, transaction

from ..queries.inserts import Table, table_of

# With more rows than this, COPY is worth its trips to the server.
FEW = 5


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
    """New primary keys of each model, in this number, that no other row has or will get."""
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
        self.table = table_of(type(row), row.pk is not None)
        self.values = self.table.values(row)

    @classmethod
    def of(cls, model: type[models.Model], **given: Any) -> "Insert":
        """A new row with these values and its model's defaults, at a tenth of the cost of an instance. Foreign keys
        are named by their column.
        """
        insert = cls.__new__(cls)
        insert.table = table_of(model, "id" in given)
        insert.values = insert.table.new(given)
        return insert

    def put(self, name: str, value: object) -> None:
        """Set a value, if the model has such a field."""
        if (number := self.table.numbers.get(name)) is not None:
            self.values[number] = self.table.prepared(number, value)


def insert(rows: Iterable[Insert], *, ignore_conflicts: bool = False) -> None:
    """Insert rows; consecutive rows of one model go through one prepared statement. With `ignore_conflicts`, rows
    that violate a unique constraint are left out.
    """
    unless = " ON CONFLICT DO NOTHING" if ignore_conflicts else ""
    can_copy = connection.vendor == "postgresql" and not ignore_conflicts
    with connection.cursor() as cursor:
        for table, run in groupby(sorted_by_table(rows), key=lambda row: row.table):
            values = [row.values for row in run]
            if can_copy and len(values) > FEW:
                copy(cursor, table, values)
            else:
                cursor.executemany(table.sql + unless, values)


def copy(cursor: Any, table: Table, rows: list[list[Any]]) -> None:
    """Insert rows of this table on PostgreSQL, at half the server time of INSERT."""
    with connection.wrap_database_errors, cursor.copy(table.copy_sql) as copying:
        for values in rows:
            copying.write_row(values)


def sorted_by_table(rows: Iterable[Insert]) -> list[Insert]:
    """The rows grouped by table, those that others refer to first: sums that the database keeps may read them."""
    return sorted(rows, key=lambda row: (row.table.rank, row.table.sql))
