"""Updates whose SQL is compiled once per process. See `instances.py` for rows of a model."""

from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.sql import UpdateQuery

from .cursors import prepared_cursor
from .inserts import table_of
from .parameters import Prepared, Statement


class PreparedUpdate(Prepared[tuple[QuerySet, dict[str, Any]], Statement]):
    """`make` returns the rows to update and their new values."""

    def run(self, **values: object) -> int:
        """Update the rows for these values; returns the number of rows."""
        plain = self.plain(values)
        if plain is not None:
            rows, changed = plain
            return rows.order_by().update(**changed)
        statement = self.compiled()
        with prepared_cursor() as cursor:
            cursor.execute(statement.sql, statement.filled(values))
            return cursor.rowcount

    def _compile(self, made: tuple[QuerySet, dict[str, object]]) -> Statement:
        rows, values = made
        query: Any = rows.order_by().query.chain(UpdateQuery)
        query.add_update_values(values)
        return self._parameters.statement(*query.get_compiler(connection=connection).as_sql())


def update_as_read(row: Model, *read: str, **values: Any) -> bool:
    """Write these values, by attribute, to the row if the given attributes are unchanged since it was read; returns
    whether they were. The object stays as it is.
    """
    if not settings.PREPARED:
        same_row = type(row)._base_manager.filter(pk=row.pk, **{name: getattr(row, name) for name in read})
        return bool(same_row.update(**values))
    table, quote = table_of(type(row), False), connection.ops.quote_name
    columns = {field.attname: quote(field.column) for field in table.fields}
    as_read = [(name, getattr(row, name)) for name in read]
    same = "".join(f" AND {columns[name]} {'IS NULL' if value is None else '= %s'}" for name, value in as_read)
    written = ", ".join(f"{columns[name]} = %s" for name in values)
    given = [table.prepared(table.numbers[name], value) for name, value in values.items()]
    there = [table.prepared(table.numbers[name], value) for name, value in as_read if value is not None]
    sql = f"UPDATE {quote(table.name)} SET {written} WHERE id = %s{same}"  # noqa: S608 - names come from the model
    with prepared_cursor() as cursor:
        cursor.execute(sql, [*given, row.pk, *there])
        return bool(cursor.rowcount)
