"""Queries for rows of a model with the rows they refer to, or for values, whose SQL is compiled once per process.

Building such a query takes Django several times as long as the database takes to answer it, and pages that people
open hundreds of times an hour ask the same ones each time.
"""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import get_related_populators

from .parameters import Parameters, Prepared, Statement

M = TypeVar("M", bound=Model)
# Converts a database value to a Python value: the number of a column, a function, its expression.
Converter = tuple[int, Any, Any]


class PreparedInstances(Prepared[QuerySet[M], "_Compiled[M]"], Generic[M]):
    """`make` returns the query."""

    def all(self, **values: Any) -> list[M]:
        """The rows for these values, as the query returns them."""
        plain = self.plain(values)
        return self.compiled().rows(values) if plain is None else list(plain)

    def first(self, **values: Any) -> M | None:
        return next(iter(self.all(**values)), None)

    def _compile(self, made: QuerySet[M]) -> "_Compiled[M]":
        return _Compiled(made, self._parameters)


class _Compiled(Generic[M]):
    """A query's SQL and Django's steps for each row of its result, as in `ModelIterable`."""

    def __init__(self, made: QuerySet[M], parameters: Parameters):
        compiler: Any = made.query.get_compiler(connection.alias)
        self.statement = parameters.statement(*compiler.as_sql())
        found, select = compiler.klass_info, compiler.select
        self.model: type[M] = found["model"]
        self.own = slice(found["select_fields"][0], found["select_fields"][-1] + 1)
        self.columns = [column.target.attname for column, *_ in select[self.own]]
        # Django 6 wants the queryset's way of fetching deferred fields as well.
        fetching = [made._fetch_mode] if hasattr(made, "_fetch_mode") else []
        self.related = get_related_populators(found, select, connection.alias, *fetching)
        for each in self.related:
            _make_directly(each)
        self.annotations = list((compiler.annotation_col_map or {}).items())
        self.converters = _converters(compiler)

    def rows(self, values: dict[str, Any]) -> list[M]:
        return [self._row(list(row), connection) for row in self.statement.rows(values)]

    def _row(self, row: list[Any], database: Any) -> M:
        for number, convert, expression in self.converters:
            row[number] = convert(row[number], expression, database)
        made = instance_of(self.model, self.columns, row[self.own], database.alias)
        for each in self.related:
            each.populate(row, made)
        for name, number in self.annotations:
            setattr(made, name, row[number])
        return made


def instance_of(model: type[M], columns: Iterable[str], values: Iterable[object], database: str) -> M:
    """A database row as an instance with these columns, the others deferred: `from_db` at a fifth of its cost,
    without the signals, which this program does not use.
    """
    made = model.__new__(model)
    made.__dict__.update(zip(columns, values, strict=True))
    state = made._state = ModelState()
    state.adding, state.db = False, database
    return made


class _Maker:
    """A stand-in for a model where Django makes instances of it."""

    def __init__(self, model: type[Model]):
        self._model = model

    def from_db(self, database: str, columns: Iterable[str], values: Iterable[object]) -> Model:
        return instance_of(self._model, columns, values, database)


def _make_directly(populator: Any) -> None:
    populator.model_cls = _Maker(populator.model_cls)
    for each in populator.related_populators:
        _make_directly(each)


class PreparedValues(Prepared[QuerySet, tuple[Statement, list[Converter]]]):
    """Values of rows. `make` returns a `values_list`: columns first, then counts and computed values."""

    def all(self, **values: Any) -> list[tuple]:
        """The values for these arguments, as the query returns them."""
        plain = self.plain(values)
        if plain is not None:
            return list(plain)
        statement, converters = self.compiled()
        found = statement.rows(values)
        if not converters:
            return found
        rows = [list(row) for row in found]
        for number, convert, expression in converters:
            for row in rows:
                row[number] = convert(row[number], expression, connection)
        return [tuple(row) for row in rows]

    def _compile(self, made: QuerySet) -> tuple[Statement, list[Converter]]:
        compiler: Any = made.query.get_compiler(connection.alias)
        return self._parameters.statement(*compiler.as_sql()), _converters(compiler)


class FoundValues:
    """The values of a `values_list` as the database returned them, in `rows`: for callers that scan a thousand and
    need few, because converting a time takes longer than finding it.
    """

    def __init__(self, found: QuerySet):
        compiler: Any = found.query.get_compiler(connection.alias)
        try:
            statement = compiler.as_sql()
        except EmptyResultSet:
            self.rows: list[tuple] = []
            return
        self._converters = _converters(compiler)
        with connection.cursor() as cursor:
            cursor.execute(*statement)
            self.rows = cursor.fetchall()

    def converted(self, row: tuple) -> list[object]:
        """One of the rows as the query returns it."""
        values = list(row)
        for number, convert, expression in self._converters:
            values[number] = convert(values[number], expression, connection)
        return values


def _converters(compiler: Any) -> list[Converter]:
    by_column = compiler.get_converters([each[0] for each in compiler.select])
    return [
        (number, convert, expression)
        for number, (converters, expression) in by_column.items()
        for convert in converters
    ]
