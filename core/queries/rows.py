"""Queries for plain rows whose SQL is put together once a process. See `instances.py`, for rows of a model."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from .cursors import prepared_cursor
from .parameters import Parameters, Statement


class PreparedRows:
    """One or more queries of the same columns, asked as one. `make` returns them for one argument for each of the
    `Parameters`. It must not look at the arguments."""

    def __init__(self, make: Callable[..., list[QuerySet]], **parameters: type):
        self._make, self._parameters = make, Parameters(**parameters)
        self._compiled: dict[tuple[str, str], Statement] = {}

    def all(self, **values: Any) -> list[tuple]:
        """All rows, those of the first query first; as the database returns them, without Django's conversions."""
        return self._ask(" UNION ALL ", "{}", values)

    def count(self, **values: Any) -> int:
        """The number of different rows."""
        return self._ask(" UNION ", "SELECT COUNT(*) FROM ({}) found", values)[0][0]

    def _ask(self, union: str, around: str, values: dict[str, Any]) -> list[tuple]:
        kind = connection.vendor, union
        if kind not in self._compiled:
            self._compiled[kind] = self._together(union, around)
        statement = self._compiled[kind]
        with prepared_cursor() as cursor:
            cursor.execute(statement.sql, statement.filled(values))
            return cursor.fetchall()

    def _together(self, union: str, around: str) -> Statement:
        found = [part.query.sql_with_params() for part in self._parameters.made(self._make)]
        # In parentheses each may have an order and a limit of its own, which SQLite takes in a subquery only.
        texts = [f"SELECT * FROM ({sql}) part_{number}" for number, (sql, _) in enumerate(found)]  # noqa: S608
        return self._parameters.statement(
            around.format(union.join(texts)), (each for _, given in found for each in given)
        )
