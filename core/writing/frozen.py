"""Migration operations that make the database itself refuse to change final rows, or to take rows that must not be.

SQLite's schema changes rebuild the table and lose its triggers: a migration that alters a frozen table must repeat
the operation afterwards, and the tests of frozen rows fail until it does.
"""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from .tables import DatabaseOperation


class FreezeRows(DatabaseOperation):
    """Refuse every UPDATE of `table` with `message`, or only those for which the SQL condition `when` holds.

    `when` may use the columns of OLD and NEW, and `{differs}` for a NULL-safe comparison.
    """

    # What is refused, and how the trigger's name ends.
    event, ending = "UPDATE", "frozen"
    # What PostgreSQL adds to the error.
    using = ""

    def __init__(self, table: str, message: str, when: str = "1 = 1"):
        self.table = table
        self.message = message
        self.when = when

    def database_forwards(self, app_label, schema_editor: BaseDatabaseSchemaEditor, from_state, to_state) -> None:
        table, message, event, name = self.table, self.message, self.event, f"{self.table}_{self.ending}"
        if schema_editor.connection.vendor == "postgresql":
            condition = self.when.format(differs="IS DISTINCT FROM")
            schema_editor.execute(
                f"CREATE OR REPLACE FUNCTION {table}_is_{self.ending}() RETURNS trigger AS $$ BEGIN "
                f"IF {condition} THEN RAISE EXCEPTION '{message}'{self.using}; END IF; RETURN NEW; END $$ "
                "LANGUAGE plpgsql"
            )
            schema_editor.execute(
                f"CREATE OR REPLACE TRIGGER {name} BEFORE {event} ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION {table}_is_{self.ending}()"
            )
        else:
            condition = self.when.format(differs="IS NOT")
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}")
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition} "
                f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )

    def database_backwards(self, app_label, schema_editor: BaseDatabaseSchemaEditor, from_state, to_state) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP FUNCTION IF EXISTS {self.table}_is_{self.ending}() CASCADE")
        else:
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {self.table}_{self.ending}")

    def describe(self) -> str:
        return f"Freeze rows of {self.table}"


class RefuseNewRows(FreezeRows):
    """Refuse every INSERT into `table` for which the SQL condition `when` holds; it may use the columns of NEW. For
    rules that depend on another table, which a constraint cannot read."""

    event, ending = "INSERT", "refused"
    # An IntegrityError, as on SQLite: anyone who writes in the meantime is refused as by a constraint.
    using = " USING ERRCODE = 'check_violation'"

    def describe(self) -> str:
        return f"Refuse some new rows of {self.table}"
