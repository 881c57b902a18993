"""Compares sums kept by the database with the rows they are computed from, and repairs them."""

# ruff: noqa: S608 - all names and conditions come from migrations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader

from ..tables import TriggerOperation

# Sums of money are floating-point numbers on SQLite.
SAME = 1e-6


class KeepFromRows(TriggerOperation):
    """A migration operation whose triggers maintain numbers in rows of `keeper`. When applied, it fills them from the
    existing rows.
    """

    # Unique among all.
    name: str
    keeper: str
    makes_keepers: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns that identify a row of the keeper."""
        raise NotImplementedError

    @property
    def kept(self) -> list[str]:
        """The columns of the keeper with the numbers."""
        raise NotImplementedError

    @property
    def followed(self) -> str:
        """The table from whose rows the numbers are computed."""
        raise NotImplementedError

    def truth(self, vendor: str) -> str:
        """A query of `keys` and `kept`: the right values of each keeper, once; keepers that it lacks have zeros."""
        raise NotImplementedError

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        keeper = Keeper([self])
        for statement in keeper.repairs(schema_editor.connection.vendor, is_all=False):
            schema_editor.execute(statement, params=None)


class Wrong(NamedTuple):
    """Keepers of a table whose numbers differ from the rows, and one of them as an example."""

    table: str
    columns: Sequence[str]
    rows: int
    example: str


class Keeper:
    """The columns of a table that several operations maintain together.

    Args:
        operations: they have the same `keeper`, `keys` and `kept`.
    """

    def __init__(self, operations: Sequence[KeepFromRows]):
        self.operations = operations
        first = operations[0]
        self.table, self.keys, self.kept, self.makes = first.keeper, first.keys, first.kept, first.makes_keepers

    def _with_truth(self, vendor: str) -> str:
        parts = " UNION ALL ".join(each.truth(vendor) for each in self.operations)
        return f"WITH truth AS ({parts})"

    def _same_key(self, keeper: str) -> str:
        return " AND ".join(f"{keeper}.{key} = truth.{key}" for key in self.keys)

    def _differs(self, keeper: str) -> str:
        return " OR ".join(f"ABS({keeper}.{each} - COALESCE(truth.{each}, 0)) > {SAME}" for each in self.kept)

    def wrong(self) -> Wrong | None:
        """The keepers that differ from the rows; None if there are none."""
        columns = [*self.keys, *self.kept]
        is_missing = " OR ".join(f"ABS(truth.{each}) > {SAME}" for each in self.kept)
        should = ", ".join(f"COALESCE(truth.{each}, 0)" for each in self.kept)
        differing = (
            f"SELECT {', '.join(f'mine.{each}' for each in columns)}, {should} FROM {self.table} mine "
            f"LEFT JOIN truth ON {self._same_key('mine')} WHERE {self._differs('mine')}"
        )
        keys, zeros = (", ".join(some) for some in ([f"truth.{each}" for each in self.keys], ["0"] * len(self.kept)))
        missing = (
            f"SELECT {keys}, {zeros}, {should} "
            f"FROM truth WHERE ({is_missing}) AND NOT EXISTS "
            f"(SELECT 1 FROM {self.table} mine WHERE {self._same_key('mine')})"
        )
        with connection.cursor() as cursor:
            cursor.execute(f"{self._with_truth(connection.vendor)} {differing}")
            found = cursor.fetchall()
            if self.makes:
                cursor.execute(f"{self._with_truth(connection.vendor)} {missing}")
                found += cursor.fetchall()
        return Wrong(self.table, self.kept, len(found), self._described(found[0])) if found else None

    def _described(self, row: Sequence[Any]) -> str:
        keys, numbers = row[: len(self.keys)], row[len(self.keys) :]
        kept, true = numbers[: len(self.kept)], numbers[len(self.kept) :]
        where = ", ".join(f"{key} {value}" for key, value in zip(self.keys, keys, strict=True))
        differing = (
            f"{name} is {has}, the rows say {should}"
            for name, has, should in zip(self.kept, kept, true, strict=True)
            if abs(has - should) > SAME
        )
        return f"{where}: {'; '.join(differing)}"

    def repairs(self, vendor: str, *, is_all: bool = True) -> Iterable[str]:
        """Statements that repair the numbers. Without `is_all`, only of keepers that have rows."""
        truth, keys = self._with_truth(vendor), ", ".join(self.keys)
        if self.makes:
            there = f"EXISTS (SELECT 1 FROM {self.table} mine WHERE {self._same_key('mine')})"
            yield f"INSERT INTO {self.table} ({keys}) {truth} SELECT {keys} FROM truth WHERE NOT {there}"
        numbers = ", ".join(f"{each} = truth.{each}" for each in self.kept)
        is_mine = f"{self._same_key(self.table)} AND ({self._differs(self.table)})"
        yield f"{truth} UPDATE {self.table} SET {numbers} FROM truth WHERE {is_mine}"
        if is_all:
            zeros = ", ".join(f"{each} = 0" for each in self.kept)
            is_left = " OR ".join(f"{each} <> 0" for each in self.kept)
            there = f"EXISTS (SELECT 1 FROM truth WHERE {self._same_key(self.table)})"
            yield f"{truth} UPDATE {self.table} SET {zeros} WHERE ({is_left}) AND NOT {there}"

    def repair(self) -> None:
        """Repair the numbers, while nobody writes the rows."""
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                tables = dict.fromkeys([self.table, *(each.followed for each in self.operations)])
                cursor.execute(f"LOCK TABLE {', '.join(tables)} IN SHARE ROW EXCLUSIVE MODE")
            for statement in self.repairs(connection.vendor):
                cursor.execute(statement)


def keepers() -> list[Keeper]:
    """The kept numbers of all apps, from their migrations, in order of repair: a table comes before those whose
    numbers depend on it.
    """
    found: dict[str, KeepFromRows] = {}
    for migration in MigrationLoader(connection).disk_migrations.values():
        for each in migration.operations:
            if isinstance(each, KeepFromRows):
                found[each.name] = each

    def by_keeper(each: KeepFromRows) -> tuple[str, list[str], list[str]]:
        return each.keeper, each.keys, each.kept

    grouped = [list(some) for _, some in groupby(sorted(found.values(), key=by_keeper), key=by_keeper)]
    followed = {each.followed for some in grouped for each in some}
    return sorted(map(Keeper, grouped), key=lambda keeper: keeper.table not in followed)


def check_sums(*, repair: bool = False) -> list[Wrong]:
    """The kept numbers that differ from their rows, one entry per table; with `repair`, all are correct
    afterwards.
    """
    wrong = []
    for keeper in keepers():
        if found := keeper.wrong():
            wrong.append(found)
            if repair:
                keeper.repair()
    return wrong
