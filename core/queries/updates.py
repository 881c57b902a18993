"""Updates whose SQL is put together once a process. See `instances.py`, for rows of a model."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.sql import UpdateQuery

from .cursors import prepared_cursor
from .parameters import Parameters, Statement


class PreparedUpdate:
    """`make` returns the rows to update and their new values for one argument for each of the
    `Parameters`. It must not look at the arguments."""

    def __init__(self, make: Callable[..., tuple[QuerySet, dict[str, Any]]], **parameters: type):
        self._make, self._parameters = make, Parameters(**parameters)
        self._compiled: dict[str, Statement] = {}

    def run(self, **values: Any) -> int:
        """Update the rows for these values; returns how many there were."""
        if connection.vendor not in self._compiled:
            self._compiled[connection.vendor] = self._compile()
        statement = self._compiled[connection.vendor]
        with prepared_cursor() as cursor:
            cursor.execute(statement.sql, statement.filled(values))
            return cursor.rowcount

    def _compile(self) -> Statement:
        rows, values = self._parameters.made(self._make)
        query: Any = rows.order_by().query.chain(UpdateQuery)
        query.add_update_values(values)
        sql, made = query.get_compiler(connection=connection).as_sql()
        return self._parameters.statement(sql, made)
