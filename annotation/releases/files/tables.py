"""The tables of a release for programs that read typed columns. Apps above register theirs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

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


class RowsOf(Protocol):
    def __call__(self, release: Release, /) -> Iterator[Mapping[str, object]]:
        """Yield the rows of a release, in the order of its instances: a value of the column's kind for each column
        that has one, by its name.
        """


class CountOf(Protocol):
    def __call__(self, release: Release, /) -> int:
        """Return the number of rows."""


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    words: str
    columns: tuple[Column, ...]
    rows: RowsOf
    count: CountOf


class LoadTables(Protocol):
    def __call__(self) -> Sequence[Table]:
        """Import and return the tables that an app offers. Called on use."""


_registered: list[LoadTables] = []


def register_tables(tables: LoadTables) -> None:
    """Offer tables that belong to a release."""
    _registered.append(tables)


def registered_tables() -> list[Table]:
    return [table for tables in _registered for table in tables()]
