"""Queries for plain rows whose SQL is put together once a process. See `instances.py`, for rows of a model."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from .cursors import prepared_cursor
from .parameters import Filling, Parameters


class PreparedRows:
    """One or more queries of the same columns, asked as one. `make` returns them for one argument for each of the
    `Parameters`. It must not look at the arguments."""

    def __init__(self, make: Callable[..., list[QuerySet]], **parameters: type):
        self._make, self._parameters = make, Parameters(**parameters)
        self._compiled: dict[str, tuple[list[str], Filling]] = {}

    def all(self, **values: Any) -> list[tuple]:
        """All rows, those of the first query first; as the database returns them, without Django's conversions."""
        return self._ask(" UNION ALL ", "{}", values)

    def count(self, **values: Any) -> int:
        """The number of different rows."""
        return self._ask(" UNION ", "SELECT COUNT(*) FROM ({}) found", values)[0][0]

    def _ask(self, union: str, around: str, values: dict[str, Any]) -> list[tuple]:
        if connection.vendor not in self._compiled:
            self._compiled[connection.vendor] = self._parts()
        parts, filling = self._compiled[connection.vendor]
        with prepared_cursor() as cursor:
            cursor.execute(around.format(union.join(parts)), filling.filled(values))
            return cursor.fetchall()

    def _parts(self) -> tuple[list[str], Filling]:
        found = [part.query.sql_with_params() for part in self._make(**self._parameters.stand_ins)]
        # In parentheses each may have an order and a limit of its own, which SQLite takes in a subquery only.
        texts = [f"SELECT * FROM ({sql}) part_{number}" for number, (sql, _) in enumerate(found)]  # noqa: S608
        return texts, self._parameters.filling(each for _, given in found for each in given)
