"""Values in SQL that is put together once: what stands for them then, and how they are filled in for each query."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection


class Numbers(tuple[int, ...]):
    """Any number of row numbers as one parameter, for `conditions.is_one_of`."""

    __slots__ = ()

    def written(self) -> str:
        """As the database is given them."""
        text = json.dumps(self)
        return f"{{{text[1:-1]}}}" if connection.vendor == "postgresql" else text


class Parameters:
    """The parameters of a prepared query by name, each with its type: int, str, datetime, UUID or Numbers."""

    def __init__(self, **kinds: type):
        self.stand_ins = {name: _stand_in(kind, number) for number, (name, kind) in enumerate(kinds.items())}

    def filling(self, made: Iterable[Any]) -> "Filling":
        """For the parameters of the SQL that was `made` with the stand-ins."""
        return Filling(self.stand_ins, made)


class Filling:
    """Puts values in the stead of their stand-ins among the parameters of a query."""

    def __init__(self, stand_ins: dict[str, Any], made: Iterable[Any]):
        names = {_adapted(stand_in): name for name, stand_in in stand_ins.items()}
        self._names = stand_ins.keys()
        self._order = [(names.get(each), each) for each in made]

    def filled(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """The parameters with these values. Raises TypeError unless there is a value for each."""
        if values.keys() != self._names:
            raise TypeError(f"values for {sorted(values)}, parameters {sorted(self._names)}")
        given = {name: _adapted(value) for name, value in values.items()}
        return tuple(each if name is None else given[name] for name, each in self._order)


def _stand_in(kind: type, number: int) -> int | str | datetime | UUID | Numbers:
    """A value that no query has beside it, another one for each number. It fits into the field: Django does not ask
    for a number that no row can have."""
    made: dict[type, int | str | datetime | UUID | Numbers] = {
        int: 2**31 - 1 - number,
        str: f"the value of parameter {number}",
        datetime: datetime(1, 1, 1, 1, 1, number, tzinfo=UTC),
        UUID: UUID(int=number),
        Numbers: Numbers([2**31 - 1 - number]),
    }
    return made[kind]


def _adapted(value: Any) -> Any:
    """As the database driver is given it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, Numbers):
        return value.written()
    return value
