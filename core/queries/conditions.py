"""Conditions on a query's rows whose SQL is put together once a process. See `instances.py`, for whole queries."""

from collections.abc import Callable
from typing import Any

from django.db.models import BooleanField, F, Func, QuerySet

from .parameters import Numbers, Parameters, Statement


class PreparedSet:
    """The values of one column that a query finds, for conditions of other queries. `make` returns that query for one
    argument for each of the `Parameters`. It must not look at the arguments."""

    def __init__(self, make: Callable[..., QuerySet], **parameters: type):
        self._make, self._parameters = make, Parameters(**parameters)
        self._compiled: dict[str, Statement] = {}

    def has(self, name: str, **values: Any) -> "_IsAmong":
        """Whether this column of another query is among the values that are found for these arguments. They are all
        found first: for sums over many rows."""
        return _IsAmong(F(name), found=self, values=values)

    def has_each(self, name: str, **values: Any) -> "_IsAmong":
        """The same, looked up for each row: for the rows of a page, however many values there are."""
        return _IsFoundThere(F(name), found=self, values=values)

    def sql(self, vendor: str, values: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
        if vendor not in self._compiled:
            made = self._parameters.made(self._make).query.sql_with_params()
            self._compiled[vendor] = self._parameters.statement(*made)
        statement = self._compiled[vendor]
        return statement.sql, statement.filled(values)


class _IsAmong(Func):
    output_field = BooleanField()
    conditional = True

    def __init__(self, column: Any, *, found: PreparedSet, values: dict[str, Any]):
        super().__init__(column)
        self.found, self.values = found, values

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        sql, values = self.found.sql(connection.vendor, self.values)
        return f"({column} IN ({sql}))", [*parameters, *values]


class _IsFoundThere(_IsAmong):
    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        sql, values = self.found.sql(connection.vendor, self.values)
        # With the names of its columns given here, a set need not say how it names its own.
        named = f"WITH found(value) AS ({sql}) SELECT TRUE FROM found WHERE value = {column}"  # noqa: S608 - Django's
        # Asked whether there is any, PostgreSQL might find them all first.
        there = f"COALESCE(({named} LIMIT 1), FALSE)" if connection.vendor == "postgresql" else f"EXISTS ({named})"
        return there, [*values, *parameters]


def is_one_of(column: str, numbers: Numbers) -> Func:
    """Whether the number in this column is one of these: by the same SQL for however many there are."""
    return _IsOneOf(F(column), numbers=numbers)


class _IsOneOf(Func):
    output_field = BooleanField()
    conditional = True

    def __init__(self, column: Any, *, numbers: Numbers):
        super().__init__(column)
        self.numbers = numbers

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        among = "IN (SELECT value FROM json_each(%s))"
        if connection.vendor == "postgresql":
            among = "= ANY(%s::bigint[])"
        return f"({column} {among})", [*parameters, self.numbers.written()]


def is_found(column: str, rows: QuerySet) -> Func:
    """Whether this column is among the values of a query of one column, which is asked first. (PostgreSQL may rather
    begin with all rows that meet the other conditions, however few are found.)"""
    return _IsFound(F(column), rows=rows)


class _IsFound(Func):
    output_field = BooleanField()
    conditional = True

    def __init__(self, column: Any, *, rows: QuerySet):
        super().__init__(column)
        self.rows = rows

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        sql, values = self.rows.query.sql_with_params()
        among = f"= ANY(ARRAY({sql}))" if connection.vendor == "postgresql" else f"IN ({sql})"
        return f"({column} {among})", [*parameters, *values]
