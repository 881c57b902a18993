"""A migration operation that makes the database copy a column to the rows that refer to it, so that an index of these
may begin with it.

The copy follows each change, whichever way it comes. On SQLite schema changes lose the triggers, as with `frozen.py`.
"""

# ruff: noqa: S608 - all names come from migrations

from dataclasses import dataclass
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from .tables import DatabaseOperation


@dataclass
class CopyColumn(DatabaseOperation):
    """Each row of `table` has in `column` what the row of `source` has there whose key is in `reference`, which never
    changes."""

    table: str
    column: str
    source: str
    reference: str

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        there = f"(SELECT {self.column} FROM {self.source} WHERE id = NEW.{self.reference})"
        copy = f"UPDATE {self.table} SET {self.column} = NEW.{self.column} WHERE {self.reference} = NEW.id"
        follows = f"AFTER UPDATE OF {self.column} ON {self.source} FOR EACH ROW"
        if schema_editor.connection.vendor == "postgresql":
            body = f"NEW.{self.column} := {there}; RETURN NEW;"
            self._trigger(schema_editor, self._begins, f"BEFORE INSERT ON {self.table} FOR EACH ROW", body)
            changed = f"WHEN (OLD.{self.column} <> NEW.{self.column})"
            self._trigger(schema_editor, self._follows, f"{follows} {changed}", f"{copy}; RETURN NULL;")
            return
        begins = f"AFTER INSERT ON {self.table} FOR EACH ROW WHEN NEW.{self.column} <> {there}"
        begin = f"UPDATE {self.table} SET {self.column} = {there} WHERE id = NEW.id"
        schema_editor.execute(f"CREATE TRIGGER {self._begins} {begins} BEGIN {begin}; END")
        schema_editor.execute(f"CREATE TRIGGER {self._follows} {follows} BEGIN {copy}; END")

    def _trigger(self, schema_editor: BaseDatabaseSchemaEditor, name: str, when: str, body: str) -> None:
        schema_editor.execute(f"CREATE FUNCTION {name}() RETURNS trigger AS $$ BEGIN {body} END $$ LANGUAGE plpgsql")
        schema_editor.execute(f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION {name}()")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for name in (self._begins, self._follows):
            if schema_editor.connection.vendor == "postgresql":
                schema_editor.execute(f"DROP FUNCTION IF EXISTS {name}() CASCADE")
            else:
                schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")

    @property
    def _begins(self) -> str:
        return f"{self.table}_{self.column}_begins"

    @property
    def _follows(self) -> str:
        return f"{self.table}_{self.column}_follows"

    def describe(self) -> str:
        return f"Copy {self.column} of {self.source} to {self.table}"
