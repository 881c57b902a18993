"""Django's `migrate`, all or nothing: if one migration fails, none is applied, and the version before still works.

On SQLite, a copy of a database that is not empty is made first, for the way back.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from ...files.commands import RuleCommand
from ...schema.old_database import refuse_an_old_database

COPY = "before-upgrade.sqlite3"


class Command(RuleCommand, migrate.Command):
    help = __doc__
    interrupted = "No migration was applied."
    needs_fitting_database = False  # it makes it fit

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--no-copy", action="store_true", help="on SQLite, make no copy of the database first")

    def handle(self, *args: Any, no_copy: bool = False, **options: Any) -> None:
        if options["database"] != DEFAULT_DB_ALIAS or options["plan"] or options["check_unapplied"]:
            super().handle(*args, **options)
            return
        refuse_an_old_database()
        if not no_copy:
            copy_first()
        is_sqlite = connection.vendor == "sqlite"
        if is_sqlite:
            connection.disable_constraint_checking()  # SQLite cannot do so within a transaction
        try:
            with transaction.atomic():
                super().handle(*args, **options)
        except Exception as error:
            if isinstance(error, CommandError):
                raise
            raise CommandError(
                f"A migration failed: {type(error).__name__}: {error} None was applied: the database is as it was, "
                "and the version before this one works on it."
            ) from error
        finally:
            if is_sqlite:
                connection.enable_constraint_checking()

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        # PostgreSQL alters no table for which a check of a key is still to come.
        if action in ("apply_start", "unapply_start") and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        super().migration_progress_callback(action, migration, fake)


def copy_first() -> None:
    """Copy SQLite's database into VAR_DIR if there is something in it and something to apply to it. Raises
    CommandError if there is no room for the copy.
    """
    name = Path(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or not name.is_file() or not connection.introspection.table_names():
        return
    executor = MigrationExecutor(connection)
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return
    path = Path(settings.VAR_DIR) / COPY
    part = path.with_suffix(".part")
    try:
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(name)) as source, closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
        part.replace(path)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        raise CommandError(
            f"The database could not be copied to {path}: {error}. Nothing was migrated. Make room, or back it up "
            "yourself and add --no-copy."
        ) from error
