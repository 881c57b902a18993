"""Updates whose SQL is put together once a process. See `instances.py`, for rows of a model."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.sql import UpdateQuery

from .cursors import prepared_cursor
from .parameters import Filling, Parameters


class PreparedUpdate:
    """`make` returns the rows to update and their new values for one argument for each of the
    `Parameters`. It must not look at the arguments."""

    def __init__(self, make: Callable[..., tuple[QuerySet, dict[str, Any]]], **parameters: type):
        self._make, self._parameters = make, Parameters(**parameters)
        self._compiled: dict[str, tuple[str, Filling]] = {}

    def run(self, **values: Any) -> int:
        """Update the rows for these values; returns how many there were."""
        if connection.vendor not in self._compiled:
            self._compiled[connection.vendor] = self._compile()
        sql, filling = self._compiled[connection.vendor]
        with prepared_cursor() as cursor:
            cursor.execute(sql, filling.filled(values))
            return cursor.rowcount

    def _compile(self) -> tuple[str, Filling]:
        rows, values = self._make(**self._parameters.stand_ins)
        query: Any = rows.order_by().query.chain(UpdateQuery)
        query.add_update_values(values)
        sql, made = query.get_compiler(connection=connection).as_sql()
        return sql, self._parameters.filling(made)
