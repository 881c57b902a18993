"""Queries for plain rows whose SQL is compiled once per process. See `instances.py` for rows of a model."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet

from .parameters import Prepared, Statement


class PreparedRows(Prepared[list[QuerySet], Statement]):
    """`make` returns one or more queries of the same columns, which run as one."""

    def all(self, **values: Any) -> list[tuple]:
        """All rows, those of the first query first, as the database returns them, without Django's conversions."""
        plain = self.plain(values)
        return self.compiled().rows(values) if plain is None else rows_now(plain)

    def _compile(self, made: list[QuerySet]) -> Statement:
        return self._parameters.statement(*_as_one(made))


def rows_now(parts: list[QuerySet]) -> list[tuple]:
    """The same, unprepared."""
    with connection.cursor() as cursor:
        cursor.execute(*_as_one(parts))
        return cursor.fetchall()


def _as_one(parts: list[QuerySet]) -> tuple[str, list[Any]]:
    """SQL and parameters of several queries combined."""
    found = [part.query.sql_with_params() for part in parts]
    # In parentheses each may have an order and a limit of its own, which SQLite takes in a subquery only.
    texts = [f"SELECT * FROM ({sql}) part_{number}" for number, (sql, _) in enumerate(found)]  # noqa: S608
    return " UNION ALL ".join(texts), [each for _, given in found for each in given]
