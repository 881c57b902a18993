"""Counts the rows of several queries in one query whose SQL is compiled once per process."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import F, Func, QuerySet, Value
from django.db.models.functions import Coalesce

from .parameters import Prepared, Statement

K = TypeVar("K")


@dataclass(frozen=True)
class Different:
    """The distinct rows of several queries of one column."""

    of: list[QuerySet]


@dataclass(frozen=True)
class Single:
    """The value of a query of one column and at most one row; None without a row."""

    of: QuerySet


@dataclass(frozen=True)
class Less:
    """The rows of a query minus those of others, which are all among them and have no row in common. For cases where
    an index gives the total and the others are few.
    """

    of: "Counted"
    without: "list[Counted]"


@dataclass(frozen=True)
class Either:
    """The first value if a query finds any row, else the second."""

    if_any: QuerySet
    then: "Counted"
    otherwise: "Counted"


Counted = QuerySet | Different | Single | Less | Either


def sum_of(rows: QuerySet, *columns: str) -> Single:
    """The sum of these columns over these rows."""
    sums = (Coalesce(Func(F(column), function="SUM"), 0) for column in columns)
    return Single(rows.order_by().annotate(all_of_them=sum(sums, Value(0))).values("all_of_them"))


class PreparedCounts(Prepared[Mapping[K, Counted], tuple[list[K], Statement]]):
    """Counts rows by key. `make` returns the querysets. A queryset with a limit is counted up to that limit; its
    order, if it has one, is kept, so that the database takes the first rows by an index.
    """

    def now(self, **values: object) -> dict[K, Any]:
        """The number of rows by key."""
        plain = self.plain(values)
        if plain is not None:
            return count_now(plain)
        keys, statement = self.compiled()
        if not keys:
            return {}
        [found] = statement.rows(values)
        return dict(zip(keys, found, strict=True))

    def _compile(self, made: Mapping[K, Counted]) -> tuple[list[K], Statement]:
        return list(made), self._parameters.statement(*_together(made.values()))


def count_now(counted: Mapping[K, Counted]) -> dict[K, Any]:
    """The same without a prepared query: for queries whose SQL differs each time."""
    if not counted:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(*_together(counted.values()))
        return dict(zip(counted, cursor.fetchone(), strict=True))


def _together(counted: Iterable[Counted]) -> tuple[str, list[Any]]:
    parts, values = [], []
    for each in counted:
        sql, given = _part(each)
        parts.append(sql)
        values += given
    return f"SELECT {', '.join(parts)}", values


def _part(counted: Counted) -> tuple[str, list[object]]:
    if isinstance(counted, Single):
        sql, values = _sql(counted.of)
        return f"({sql})", values
    if isinstance(counted, Less):
        terms, given = zip(*map(_part, [counted.of, *counted.without]), strict=True)
        return f"({' - '.join(terms)})", [*chain(*given)]
    if isinstance(counted, Either):
        any_sql, values = _sql(counted.if_any)
        (then, then_values), (otherwise, other_values) = _part(counted.then), _part(counted.otherwise)
        chosen = f"(CASE WHEN EXISTS ({any_sql}) THEN {then} ELSE {otherwise} END)"
        return chosen, [*values, *then_values, *other_values]
    if isinstance(counted, Different):
        found = [_sql(each) for each in counted.of]
        # In parentheses each may have an order and a limit of its own, which SQLite takes in a subquery only.
        sql = " UNION ".join(f"SELECT * FROM ({sql}) part_{number}" for number, (sql, _) in enumerate(found))  # noqa: S608
        values = [value for _, given in found for value in given]
    else:
        sql, values = _sql(counted if counted.query.values_select else counted.values("pk"))
    return f"(SELECT COUNT(*) FROM ({sql}) AS counted)", values  # noqa: S608 - Django made it


def _sql(rows: QuerySet) -> tuple[str, list[object]]:
    try:
        sql, values = rows.query.sql_with_params()
    except EmptyResultSet:
        return "SELECT 1 WHERE 1 = 0", []
    return sql, list(values)
