"""A migration operation that makes the database keep sums over many rows where it would else have to count them.

Each statement that changes the rows changes the sums with it, whichever way it comes. PostgreSQL adds up what one
statement changed, so that many rows at once cost one update. On SQLite schema changes lose the triggers, as with
`frozen.py`.
"""

# ruff: noqa: S608 - all names and conditions come from migrations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation

# What each kind of statement takes away and adds, by SQL's names of the rows.
CHANGES = {"INSERT": [("+", "NEW")], "DELETE": [("-", "OLD")], "UPDATE": [("-", "OLD"), ("+", "NEW")]}


@dataclass
class KeepSums(Operation):
    """Keep in rows of `keeper` sums over the rows of `table` that belong to them.

    `key` has the columns of `table` by the columns of `keeper` that they equal; a row without one of them belongs to
    none. `sums` has, by column of `keeper`, SQL for what a row adds to it, its columns written `{row}.name`; `reads`
    names the columns that this depends on. Sums are never empty.
    """

    table: str
    keeper: str
    key: dict[str, str]
    sums: dict[str, str]
    reads: list[str] = field(default_factory=list)

    reversible = True

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Nothing to do: Django's model state does not change."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        made = self._on_postgresql() if schema_editor.connection.vendor == "postgresql" else self._on_sqlite()
        for statement in made:
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        on_postgresql = schema_editor.connection.vendor == "postgresql"
        for name in [*map(self._name, CHANGES), f"{self.keeper}_begins"]:
            table = self.keeper if name.endswith("_begins") else self.table
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}" + (f" ON {table}" if on_postgresql else ""))
            if on_postgresql:
                schema_editor.execute(f"DROP FUNCTION IF EXISTS {name}()")

    def describe(self) -> str:
        return f"Keep sums over {self.table} in {self.keeper}"

    def _name(self, change: str) -> str:
        return f"{self.table}_{change.lower()}_summed"

    def _begins(self) -> str:
        """Sums over the rows that are there already when their keeper comes."""
        of = " AND ".join(f"summed.{column} = NEW.{own}" for own, column in self.key.items())
        sums = ", ".join(
            f"{name} = (SELECT COALESCE(SUM({sql.format(row='summed')}), 0) FROM {self.table} summed WHERE {of})"
            for name, sql in self.sums.items()
        )
        return f"UPDATE {self.keeper} SET {sums} WHERE id = NEW.id"

    def _on_sqlite(self) -> Iterator[str]:
        for change, steps in CHANGES.items():
            of = f" OF {', '.join([*self.key.values(), *self.reads])}" if change == "UPDATE" else ""
            updates = []
            for sign, row in steps:
                sums = ", ".join(f"{name} = {name} {sign} ({sql.format(row=row)})" for name, sql in self.sums.items())
                mine = " AND ".join(f"{own} = {row}.{column}" for own, column in self.key.items())
                updates.append(f"UPDATE {self.keeper} SET {sums} WHERE {mine};")
            begin = f"CREATE TRIGGER {self._name(change)} AFTER {change}{of} ON {self.table}"
            yield f"{begin} BEGIN {' '.join(updates)} END"
        yield f"CREATE TRIGGER {self.keeper}_begins AFTER INSERT ON {self.keeper} BEGIN {self._begins()}; END"

    def _on_postgresql(self) -> Iterator[str]:
        columns = ", ".join(self.key.values())
        for change, steps in CHANGES.items():
            changed = " UNION ALL ".join(
                f"SELECT {columns}, "
                + ", ".join(f"{sign}({sql.format(row='each')}) AS {name}" for name, sql in self.sums.items())
                + f" FROM {row.lower()}_rows each"
                for sign, row in steps
            )
            added = ", ".join(f"SUM({name}) AS {name}" for name in self.sums)
            differs = " OR ".join(f"SUM({name}) <> 0" for name in self.sums)
            sums = ", ".join(f"{name} = kept.{name} + added.{name}" for name in self.sums)
            mine = " AND ".join(f"kept.{own} = added.{column}" for own, column in self.key.items())
            yield (
                f"CREATE FUNCTION {self._name(change)}() RETURNS trigger AS $$ BEGIN "
                f"UPDATE {self.keeper} kept SET {sums} FROM (SELECT {columns}, {added} FROM ({changed}) changed "
                f"GROUP BY {columns} HAVING {differs}) added WHERE {mine}; RETURN NULL; END $$ LANGUAGE plpgsql"
            )
            seen = " ".join(f"{row} TABLE AS {row.lower()}_rows" for _, row in steps)
            yield (
                f"CREATE TRIGGER {self._name(change)} AFTER {change} ON {self.table} REFERENCING {seen} "
                f"FOR EACH STATEMENT EXECUTE FUNCTION {self._name(change)}()"
            )
        yield (
            f"CREATE FUNCTION {self.keeper}_begins() RETURNS trigger AS $$ BEGIN {self._begins()}; "
            "RETURN NULL; END $$ LANGUAGE plpgsql"
        )
        yield (
            f"CREATE TRIGGER {self.keeper}_begins AFTER INSERT ON {self.keeper} "
            f"FOR EACH ROW EXECUTE FUNCTION {self.keeper}_begins()"
        )
