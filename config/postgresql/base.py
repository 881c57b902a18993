"""PostgreSQL plans a query anew each time it is asked in full: reading an annotation with its tag takes ten times as
long to plan as to do. A statement that is prepared is planned once for each connection, for any values: the settings
say so, or the server would go on planning the longest ones."""

from typing import Any

from django.db.backends.postgresql import base, operations

PREPARED = "prepared"


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        """With its values, as the log of queries has the others."""
        if isinstance(cursor, base.ServerBindingCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations

    def prepared_cursor(self) -> Any:
        """A cursor whose statements are prepared: for those whose text comes again and again, with values apart."""
        return self._cursor(PREPARED)  # type: ignore[attr-defined]

    def create_cursor(self, name: str | None = None) -> Any:
        if name != PREPARED:
            return super().create_cursor(name)
        usual = self.connection.cursor_factory
        self.connection.cursor_factory = base.ServerBindingCursor
        try:
            return super().create_cursor()
        finally:
            self.connection.cursor_factory = usual
