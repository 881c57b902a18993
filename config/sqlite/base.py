"""Queues threads and processes before they ask SQLite for its write lock. SQLite makes a waiting writer sleep, longer
each time, and gives the lock to whichever writer tries next: among fifty writers, one can wait for seconds.
"""

from collections.abc import Callable
from functools import lru_cache
from sqlite3 import OperationalError
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.base import FORMAT_QMARK_REGEX
from django.db.backends.sqlite3.operations import DatabaseOperations
from django.db.backends.sqlite3.schema import DatabaseSchemaEditor
from django.db.models import Model

from .turns import Turns

_turns: dict[str, Turns] = {}
WRITES = ("INSERT", "UPDATE", "DELETE")
# Longer queries are hardly asked twice.
MOST_CHARACTERS = 20_000


class SchemaEditor(DatabaseSchemaEditor):
    """Keeps triggers when Django alters a table. Django recreates the table: its own triggers would be dropped with
    the old one, and triggers that name it would fail while it is missing.
    """

    def _remake_table(self, model: type[Model], **changes: Any) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
        for name, _ in triggers:
            self.execute(f"DROP TRIGGER {name}")
        super()._remake_table(model, **changes)  # type: ignore[misc]
        for _, made in triggers:
            self.execute(made, params=None)  # a percent sign stands for itself


class Operations(DatabaseOperations):
    """Writes conditions as they are, as Django 5.2 does. Django 6 appends `= TRUE` to most, and SQLite then uses no
    index for them.
    """

    def conditional_expression_supported_in_where_clause(self, expression: Any) -> bool:
        return True


class DatabaseWrapper(base.DatabaseWrapper):
    """Holds the turn from BEGIN to the end of the transaction, or for one writing statement outside a transaction."""

    SchemaEditorClass = SchemaEditor
    ops_class = Operations
    _turn: Turns | None = None

    def take_turn(self) -> None:
        database = str(self.settings_dict["NAME"])
        turns = _turns.get(database) or _turns.setdefault(database, Turns(database))
        if not turns.take(self.settings_dict["OPTIONS"].get("timeout", 5)):
            raise OperationalError("database is locked")
        self._turn = turns

    def end_turn(self) -> None:
        turns, self._turn = self._turn, None
        if turns is not None:
            turns.end()

    def create_cursor(self, name: str | None = None) -> base.SQLiteCursorWrapper:
        cursor = self.connection.cursor(factory=Cursor)
        cursor.wrapper = self
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        with self.wrap_database_errors:
            self.take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self.end_turn()
            raise

    def _commit(self) -> Any:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            # Also where Ctrl+C or SIGTERM arrived during the commit: it comes up once that is over, and nothing is
            # rolled back then.
            if self.connection is None or not self.connection.in_transaction:
                self.end_turn()

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self.end_turn()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self.end_turn()

    def __del__(self) -> None:
        self.end_turn()  # of a thread that ended within a transaction


class Cursor(base.SQLiteCursorWrapper):
    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:
        return self._in_turn(super().execute, query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        return self._in_turn(super().executemany, query, param_list)

    def _in_turn(self, execute: Callable[[str, Any], Any], query: str, params: Any) -> Any:
        if self.connection.in_transaction or not query.lstrip()[:6].upper().startswith(WRITES):
            return execute(query, params)
        self.wrapper.take_turn()
        try:
            return execute(query, params)
        finally:
            self.wrapper.end_turn()

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None and len(query) <= MOST_CHARACTERS:
            return _with_question_marks(query)
        return super().convert_query(query, param_names=param_names)


@lru_cache(maxsize=512)
def _with_question_marks(query: str) -> str:
    """Django's "%s" placeholders in SQLite's form; the same queries are repeated often."""
    return FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")
