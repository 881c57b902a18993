"""Migration operations by which the database itself refuses to change final rows, or to accept some rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ..engine.tables import Trigger, TriggerOperation


@dataclass
class FreezeRows(TriggerOperation):
    """Refuse every UPDATE of `table` with `message`, or only those for which the SQL condition `when` holds.

    `when` may use the columns of OLD and NEW, and `{differs}` for a NULL-safe comparison.
    """

    table: str
    message: str
    when: str = "1 = 1"

    # The refused operation, and the ending of the trigger's name.
    event: ClassVar[str] = "UPDATE"
    ending: ClassVar[str] = "frozen"
    # PostgreSQL's addition to the error, and the row with which it continues.
    using: ClassVar[str] = ""
    row: ClassVar[str] = "NEW"

    def triggers(self, vendor: str) -> Iterator[Trigger]:
        name, refused = f"{self.table}_{self.ending}", f"BEFORE {self.event} ON {self.table}"
        if vendor == "postgresql":
            condition = self.when.format(differs="IS DISTINCT FROM")
            refusal = f"IF {condition} THEN RAISE EXCEPTION '{self.message}'{self.using}; END IF;"
            body = f"{refusal} RETURN {self.row};"
            yield Trigger(name, f"{refused} FOR EACH ROW", body, function=f"{self.table}_is_{self.ending}")
        else:
            condition = self.when.format(differs="IS NOT")
            yield Trigger(name, f"{refused} WHEN {condition}", f"SELECT RAISE(ABORT, '{self.message}');")

    def describe(self) -> str:
        return f"Freeze rows of {self.table}"


class ThawRows(FreezeRows):
    """Remove what `FreezeRows` made of `table`, so that a migration may rewrite its rows."""

    removes = True

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        super().database_backwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        super().database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Thaw rows of {self.table}"


class RefuseNewRows(FreezeRows):
    """Refuse every INSERT into `table` for which the SQL condition `when` holds; it may use the columns of NEW. For
    rules that depend on another table, which a constraint cannot read."""

    event, ending = "INSERT", "refused"
    # An IntegrityError, as on SQLite: anyone who writes in the meantime is refused as by a constraint.
    using = " USING ERRCODE = 'check_violation'"

    def describe(self) -> str:
        return f"Refuse some new rows of {self.table}"


class KeepRows(FreezeRows):
    """Refuse every DELETE from `table` for which the SQL condition `when` holds; it may use the columns of OLD. On
    PostgreSQL a TRUNCATE is refused as well; SQLite has none."""

    event, ending, row = "DELETE", "kept", "OLD"

    def triggers(self, vendor: str) -> Iterator[Trigger]:
        yield from super().triggers(vendor)
        if vendor == "postgresql":
            name = f"{self.table}_never_empty"
            refused = f"BEFORE TRUNCATE ON {self.table} FOR EACH STATEMENT"
            yield Trigger(
                name, refused, f"RAISE EXCEPTION '{self.message}';", function=f"{self.table}_is_never_empty"
            )

    def describe(self) -> str:
        return f"Keep rows of {self.table}"


@dataclass
class RefuseReplacing(TriggerOperation):
    """Refuse every new row of `table` that has the value of another row in one of the unique `keys` (a column, or
    several as in `a, b`), with `message`: SQLite's REPLACE would delete that row, and runs no trigger of deletions.
    Other writers get the error that they would have got anyway, but for those with ON CONFLICT: leave out keys that
    these may meet. PostgreSQL has no REPLACE."""

    table: str
    message: str
    keys: tuple[str, ...] = ("id",)

    def triggers(self, vendor: str) -> Iterator[Trigger]:
        if vendor == "sqlite":
            keys = (" AND ".join(f"{name} = NEW.{name}" for name in key.split(", ")) for key in self.keys)
            same = " OR ".join(keys)
            exists = f"EXISTS (SELECT 1 FROM {self.table} WHERE {same})"  # noqa: S608  # names of our own
            when = f"BEFORE INSERT ON {self.table} WHEN {exists}"
            yield Trigger(f"{self.table}_not_replaced", when, f"SELECT RAISE(ABORT, '{self.message}');")

    def describe(self) -> str:
        return f"Refuse to replace rows of {self.table}"
