"""Conditions on a query's rows whose SQL is compiled once per process. See `instances.py` for whole queries."""

from collections.abc import Iterable

from django.db.models import BooleanField, F, Func, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from .parameters import Numbers, Prepared, Statement


class PreparedSet(Prepared[QuerySet, Statement]):
    """The values of one column of a query, for conditions of other queries. `make` returns that query."""

    def has(self, name: str, **values: object) -> "_IsAmong":
        """The condition that a column of another query is among the values for these arguments. All values are found
        first: for sums over many rows.
        """
        return _IsAmong(F(name), found=self, values=values)

    def has_each(self, name: str, **values: object) -> "_IsAmong":
        """The same condition, checked row by row: for the rows of a page, however many values there are."""
        return _IsFoundThere(F(name), found=self, values=values)

    def filled(self, values: dict[str, object]) -> tuple[str, Iterable[object]]:
        """SQL and parameters of the query with these values."""
        plain = self.plain(values)
        if plain is not None:
            return plain.query.sql_with_params()
        statement = self.compiled()
        return statement.sql, statement.filled(values)

    def _compile(self, made: QuerySet) -> Statement:
        return self._parameters.statement(*made.query.sql_with_params())


class _Among(Func):
    """The condition that a column is among some values."""

    output_field = BooleanField()
    conditional = True

    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        among, values = self.among(connection.vendor == "postgresql")
        return f"({column} {among})", [*parameters, *values]

    def among(self, is_postgresql: bool) -> tuple[str, Iterable[object]]:
        """The SQL after the column, and its parameters."""
        raise NotImplementedError


class _IsAmong(_Among):
    def __init__(self, column: object, *, found: PreparedSet, values: dict[str, object]):
        super().__init__(column)
        self.found, self.values = found, values

    def among(self, is_postgresql: bool) -> tuple[str, Iterable[object]]:
        sql, values = self.found.filled(self.values)
        return f"IN ({sql})", values


class _IsFoundThere(_IsAmong):
    def as_sql(self, compiler, connection, **extra):  # type: ignore[override]
        column, parameters = compiler.compile(self.source_expressions[0])
        sql, values = self.found.filled(self.values)
        # With the names of its columns given here, a set need not say how it names its own.
        named = f"WITH found(value) AS ({sql}) SELECT TRUE FROM found WHERE value = {column}"  # noqa: S608 - Django's
        # Asked whether there is any, PostgreSQL might find them all first.
        there = f"COALESCE(({named} LIMIT 1), FALSE)" if connection.vendor == "postgresql" else f"EXISTS ({named})"
        return there, [*values, *parameters]


def there_is_one(rows: QuerySet) -> Coalesce:
    """The condition that a query with an `OuterRef` finds a row, checked row by row: with an ordinary EXISTS,
    PostgreSQL might find all rows first.
    """
    return Coalesce(Subquery(rows.order_by().values(there=Value(True))[:1]), False)


def is_one_of(column: str, numbers: Numbers) -> Func:
    """The condition that the number in this column is one of these: with the same SQL for any number of values."""
    return _IsOneOf(F(column), numbers=numbers)


class _IsOneOf(_Among):
    def __init__(self, column: object, *, numbers: Numbers):
        super().__init__(column)
        self.numbers = numbers

    def among(self, is_postgresql: bool) -> tuple[str, Iterable[object]]:
        among = "= ANY(%s::bigint[])" if is_postgresql else "IN (SELECT value FROM json_each(%s))"
        return among, [self.numbers.written()]


def is_found(column: str, rows: QuerySet) -> Func:
    """The condition that this column is among the values of a query of one column, which runs first. (PostgreSQL
    might otherwise begin with all rows that meet the other conditions, however few are found.)
    """
    return _IsFound(F(column), rows=rows)


class _IsFound(_Among):
    def __init__(self, column: object, *, rows: QuerySet):
        super().__init__(column)
        self.rows = rows

    def among(self, is_postgresql: bool) -> tuple[str, Iterable[object]]:
        sql, values = self.rows.query.sql_with_params()
        return f"= ANY(ARRAY({sql}))" if is_postgresql else f"IN ({sql})", values
