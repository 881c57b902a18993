"""Values in SQL that is put together once: what stands for them then, and how they are filled in for each query."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection


class Parameters:
    """The parameters of a prepared query by name, each with its type: int, str, datetime or UUID."""

    def __init__(self, **kinds: type):
        self.stand_ins = {name: _stand_in(kind, number) for number, (name, kind) in enumerate(kinds.items())}

    def filled(self, made: Iterable[Any], values: dict[str, Any]) -> tuple[Any, ...]:
        """The parameters of the SQL that was `made` with the stand-ins, with these values in their stead. Raises
        TypeError unless there is a value for each."""
        if values.keys() != self.stand_ins.keys():
            raise TypeError(f"values for {sorted(values)}, parameters {sorted(self.stand_ins)}")
        given = {_adapted(self.stand_ins[name]): _adapted(value) for name, value in values.items()}
        return tuple(given.get(each, each) for each in made)


def _stand_in(kind: type, number: int) -> int | str | datetime | UUID:
    """A value that no row has, another one for each number."""
    made: dict[type, int | str | datetime | UUID] = {
        int: -(10**15) - number,
        str: f"the value of parameter {number}",
        datetime: datetime(1, 1, 1, 1, 1, number, tzinfo=UTC),
        UUID: UUID(int=number),
    }
    return made[kind]


def _adapted(value: Any) -> Any:
    """As the database driver is given it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return value
