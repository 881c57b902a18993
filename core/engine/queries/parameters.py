"""Parameters of compiled SQL: stand-ins during compilation, and the values of each query."""

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Generic, NoReturn, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import connection

from .cursors import prepared_cursor


class Numbers(tuple[int, ...]):
    """Any number of row numbers as one parameter, for `conditions.is_one_of`."""

    __slots__ = ()

    def written(self) -> str:
        """The numbers in the form in which the database takes them."""
        text = json.dumps(self)
        return f"{{{text[1:-1]}}}" if connection.vendor == "postgresql" else text


T = TypeVar("T")


class Parameters:
    """The parameters of a prepared query by name, each with its type: int, str, datetime, UUID or Numbers."""

    def __init__(self, **kinds: type):
        self._stand_ins = {name: _stand_in(kind, number) for number, (name, kind) in enumerate(kinds.items())}

    def made(self, make: Callable[..., T]) -> T:
        """The result of `make` for the stand-ins. It may not query the database, which would answer for the stand-ins
        and not for later values.
        """
        with connection.execute_wrapper(_refuse_to_ask):
            return make(**self._stand_ins)

    def statement(self, sql: str, made: Iterable[Any]) -> "Statement":
        """The statement for these parameters: the SQL of the query `made` with the stand-ins."""
        return Statement(self._stand_ins, sql, made)


def _refuse_to_ask(*asked: Any) -> NoReturn:
    raise AssertionError(f"a query that is put together once depends on what the database says now: {asked[1]}")


C = TypeVar("C")


class Prepared(Generic[T, C]):
    """A query repeated with different values, its SQL compiled once for each kind of database.

    With the setting `PREPARED` off, it is an ordinary query, made anew each time: for tests and measurements.

    Args:
        make: returns the query for one argument for each of the `parameters`. It must not look at the arguments,
            which stand for values to come.
        parameters: the type of each argument, by name.
    """

    def __init__(self, make: Callable[..., T], **parameters: type):
        self._make, self._parameters = make, Parameters(**parameters)
        self._compiled: dict[str, C] = {}

    def plain(self, values: dict[str, Any]) -> T | None:
        """The query with these values, built by Django, where `PREPARED` is off; None where it is on."""
        return None if settings.PREPARED else self._make(**values)

    def compiled(self) -> C:
        """The compiled query for the current database."""
        vendor = connection.vendor
        if vendor not in self._compiled:
            self._compiled[vendor] = self._compile(self._parameters.made(self._make))
        return self._compiled[vendor]

    def _compile(self, made: T) -> C:
        raise NotImplementedError


class Statement:
    """SQL whose parameters get their values later. Constants are part of the text: a database that keeps a plan must
    know that a state is "draft" to use an index of drafts, and that a page has fifty rows.
    """

    def __init__(self, stand_ins: dict[str, Any], sql: str, made: Iterable[Any]):
        names = {_adapted(stand_in): name for name, stand_in in stand_ins.items()}
        self._names = stand_ins.keys()
        self._order: list[tuple[str | None, Any]] = []
        given = iter(made)

        def written(mark: re.Match[str]) -> str:
            if mark[0] == "%%":
                return mark[0]
            value = next(given)
            name = names.get(value)
            text = None if name else _literal(value)
            if text is None:
                self._order.append((name, value))
            return mark[0] if text is None else text

        self.sql = MARK.sub(written, sql)

    def filled(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """The parameters with these values. Raises TypeError unless there is a value for each."""
        if values.keys() != self._names:
            raise TypeError(f"values for {sorted(values)}, parameters {sorted(self._names)}")
        given = {name: _adapted(value) for name, value in values.items()}
        return tuple(each if name is None else given[name] for name, each in self._order)

    def rows(self, values: dict[str, Any]) -> list[tuple]:
        """The rows for these values, as the database returns them, without Django's conversions."""
        with prepared_cursor() as cursor:
            cursor.execute(self.sql, self.filled(values))
            return cursor.fetchall()


MARK = re.compile("%[s%]")
# Other text, with quotes for instance, stays a parameter.
PLAIN_TEXT = re.compile(r"[A-Za-z0-9_ .,:-]*")


def _literal(value: Any) -> str | None:
    """A value as SQL text; None if it has to be a parameter."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, str) and PLAIN_TEXT.fullmatch(value):
        return f"'{value[:]}'"  # also of a choice, which is not written as its value
    return None


def _stand_in(kind: type, number: int) -> int | str | datetime | UUID | Numbers:
    """A unique value that no real query uses, one for each number. It fits the field: Django would skip the query for
    a number that no row can have.
    """
    made: dict[type, int | str | datetime | UUID | Numbers] = {
        int: 2**31 - 1 - number,
        str: f"the value of parameter {number}",
        datetime: datetime(1, 1, 1, 1, 1, number, tzinfo=UTC),
        UUID: UUID(int=number),
        Numbers: Numbers([2**31 - 1 - number]),
    }
    return made[kind]


def _adapted(value: Any) -> Any:
    """The value in the form in which the database driver takes it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, Numbers):
        return value.written()
    return value
