"""A migration operation that makes the database copy a column to referring rows, so that an index of these may begin
with it.

The copy follows each change, whichever way it comes.
"""

# ruff: noqa: S608 - all names come from migrations

from collections.abc import Iterator
from dataclasses import dataclass

from ..tables import Trigger
from .keepers import KeepFromRows


@dataclass
class CopyColumn(KeepFromRows):
    """Copies to `column` of each row of `table` the value in the row of `source` whose key is in `reference`, which
    never changes.
    """

    table: str
    column: str
    source: str
    reference: str

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.table}_{self.column}"

    @property
    def keeper(self) -> str:  # type: ignore[override]
        return self.table

    @property
    def keys(self) -> list[str]:
        return ["id"]

    @property
    def kept(self) -> list[str]:
        return [self.column]

    @property
    def followed(self) -> str:
        return self.source

    def truth(self, vendor: str) -> str:
        return (
            f"SELECT mine.id AS id, source.{self.column} AS {self.column} FROM {self.table} mine "
            f"JOIN {self.source} source ON source.id = mine.{self.reference}"
        )

    def triggers(self, vendor: str) -> Iterator[Trigger]:
        begins, follows = (f"{self.table}_{self.column}_{ending}" for ending in ("begins", "follows"))
        there = f"(SELECT {self.column} FROM {self.source} WHERE id = NEW.{self.reference})"
        copy = f"UPDATE {self.table} SET {self.column} = NEW.{self.column} WHERE {self.reference} = NEW.id;"
        changed = f"AFTER UPDATE OF {self.column} ON {self.source} FOR EACH ROW"
        inserted = f"INSERT ON {self.table} FOR EACH ROW"
        if vendor == "postgresql":
            yield Trigger(begins, f"BEFORE {inserted}", f"NEW.{self.column} := {there}; RETURN NEW;")
            differs = f"WHEN (OLD.{self.column} <> NEW.{self.column})"
            yield Trigger(follows, f"{changed} {differs}", f"{copy} RETURN NULL;")
        else:
            begin = f"UPDATE {self.table} SET {self.column} = {there} WHERE id = NEW.id;"
            yield Trigger(begins, f"AFTER {inserted} WHEN NEW.{self.column} <> {there}", begin)
            yield Trigger(follows, changed, copy)

    def describe(self) -> str:
        return f"Copy {self.column} of {self.source} to {self.table}"
