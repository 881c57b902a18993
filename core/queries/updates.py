"""Updates whose SQL is put together once a process. See `instances.py`, for rows of a model."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.sql import UpdateQuery

from .cursors import prepared_cursor
from .parameters import Prepared, Statement


class PreparedUpdate(Prepared[tuple[QuerySet, dict[str, Any]], Statement]):
    """`make` returns the rows to update and their new values."""

    def run(self, **values: Any) -> int:
        """Update the rows for these values; returns how many there were."""
        statement = self.compiled()
        with prepared_cursor() as cursor:
            cursor.execute(statement.sql, statement.filled(values))
            return cursor.rowcount

    def _compile(self, made: tuple[QuerySet, dict[str, Any]]) -> Statement:
        rows, values = made
        query: Any = rows.order_by().query.chain(UpdateQuery)
        query.add_update_values(values)
        return self._parameters.statement(*query.get_compiler(connection=connection).as_sql())
