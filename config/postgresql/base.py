"""Prepares statements on PostgreSQL.

PostgreSQL plans an unprepared query anew each time: planning a read of an annotation with its tag takes ten times as
long as running it. A prepared statement is planned once per connection, for any values. The settings ask for this
explicitly, because the server would otherwise keep planning the longest queries.
"""

from typing import Any

from django.db.backends.postgresql import base, operations

PREPARED = "prepared"


class DatabaseOperations(operations.DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        """The query with its values, as the log shows other queries."""
        if isinstance(cursor, base.ServerBindingCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations

    def prepared_cursor(self) -> Any:
        """A cursor whose statements are prepared, for queries repeated with different values."""
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
