"""Queries for rows of a model, with the rows they refer to, whose SQL is put together once a process.

Building such a query takes Django several times as long as the database takes to answer it, and pages that people
open hundreds of times an hour ask the same ones each time.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import ModelIterable
from django.db.models.sql.compiler import SQLCompiler

from .parameters import Parameters

M = TypeVar("M", bound=Model)


class PreparedInstances(Generic[M]):
    """`make` returns the query for one argument for each of the `Parameters`. It must not look at the arguments: it
    is called once for each kind of database, with values that stand for those to come."""

    def __init__(self, make: Callable[..., QuerySet[M]], **parameters: type):
        self._make, self._parameters = make, Parameters(**parameters)
        self._compiled: dict[str, SQLCompiler] = {}

    def all(self, **values: Any) -> list[M]:
        """The rows for these values, as the query would return them."""
        compiler = self._compiler()
        compiler.connection = connection
        sql, made = compiler.as_sql()
        filled = self._parameters.filled(made, values)
        compiler.as_sql = lambda *_, **__: (sql, filled)  # type: ignore[method-assign]
        return list(ModelIterable(_Asked(compiler)))  # type: ignore[arg-type]

    def first(self, **values: Any) -> M | None:
        return next(iter(self.all(**values)), None)

    def _compiler(self) -> SQLCompiler:
        """A compiler that has done its work, to be used once: what it found out is only read from here on."""
        if connection.vendor not in self._compiled:
            compiler = self._make(**self._parameters.stand_ins).query.get_compiler(connection.alias)
            made = compiler.as_sql()
            compiler.as_sql = lambda *_, **__: made
            self._compiled[connection.vendor] = compiler
        return copy(self._compiled[connection.vendor])


class _Asked:
    """As much of a queryset as `ModelIterable` looks at."""

    _known_related_objects: dict = {}

    def __init__(self, compiler: SQLCompiler):
        self.query = self
        self.db = connection.alias
        self.get_compiler = lambda using: compiler
