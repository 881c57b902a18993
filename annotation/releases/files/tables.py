"""The tables of a release for programs that read typed columns. Apps above register theirs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ...models import Release


class Kind(Enum):
    TEXT = "text"
    TEXTS = "list of texts"
    WHOLE_NUMBER = "whole number"
    NUMBER = "number"
    YES_NO = "true or false"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; any but the first of a table may be empty (null)."""

    name: str
    words: str
    kind: Kind = Kind.TEXT


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    words: str
    columns: tuple[Column, ...]
    # A value for each column that has one, by its name.
    rows: Callable[[Release], Iterator[Mapping[str, Any]]]
    count: Callable[[Release], int]


_registered: list[Callable[[], Sequence[Table]]] = []


def register_tables(tables: Callable[[], Sequence[Table]]) -> None:
    """Offer tables that belong to a release; `tables` imports them on use."""
    _registered.append(tables)


def registered_tables() -> list[Table]:
    return [table for tables in _registered for table in tables()]
