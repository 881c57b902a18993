"""Compares the database with the program, and refuses to work where they differ.

Web server, worker and commands call this once as they start. A worker also looks, before each task, whether a
migration has come meanwhile: then another version is at work.
"""

import logging
import sys
from collections.abc import Iterable
from typing import NoReturn

from django.db import DatabaseError, InterfaceError, connection
from django.db.backends.signals import connection_created

from ..refusals import Refusal
from .expected import Name, expected_columns, expected_triggers, migration_files
from .found import applied_migrations, found_columns, found_triggers, last_migration
from .old_database import OLD_TABLE, old_database

log = logging.getLogger(__name__)

# By this exit code of its processes Gunicorn knows that starting them again is of no use.
NO_RESTART = 3
MOST_NAMED = 5
GUIDE = "docs/upgrading.md says more. Nothing was changed."


def difference() -> str:
    """Return how the database differs from the program and what to do, in sentences; "" if it fits. Raises
    DatabaseError if the database cannot be read.
    """
    columns = found_columns()
    if not columns:
        return "The database is empty: nothing has been set up here yet. Run `make run`, or `manage.py migrate`."
    if OLD_TABLE in columns:
        return old_database()
    applied = applied_migrations() if "django_migrations" in columns else set()
    known = migration_files()
    if unknown := sorted(Name(*each) for each in applied.difference(known)):
        return (
            f"The database was made by a newer version of this program, which knows {_named(unknown)}. Start that "
            f"version, or restore the backup that was made before the update. {GUIDE}"
        )
    if due := [each for each in known if each not in applied]:
        return (
            f"The database was made by an older version of this program: {_named(due)} must be applied first. Stop "
            f"the site, back it up, then run `manage.py migrate`; `make run` does so by itself. {GUIDE}"
        )
    if wrong := [*_wrong_columns(columns), *_wrong_triggers()]:
        return (
            f"The database does not have what this program needs: {_named(wrong)}. Its migrations are applied, so it "
            f"was changed by hand, restored in part, or made by a version that was never released. Restore a backup. "
            f"{GUIDE}"
        )
    return ""


def _wrong_columns(found: dict[str, set[str]]) -> list[str]:
    wrong = []
    for table, columns in sorted(expected_columns().items()):
        if table not in found:
            wrong.append(f"the table {table} is missing")
            continue
        wrong += [f"the column {table}.{column} is missing" for column in sorted(columns - found[table])]
        wrong += [f"the column {table}.{column} is unknown" for column in sorted(found[table] - columns)]
    return wrong


def _wrong_triggers() -> list[str]:
    expected, found = expected_triggers(connection.vendor), {each.name: each for each in found_triggers()}
    ours = expected_columns()
    wrong = [f"the trigger {name} is missing or switched off" for name in sorted(expected.keys() - found.keys())]
    for name, each in sorted(found.items()):
        if name not in expected:
            # Of a table that is not this program's, it is no concern of ours.
            wrong += [f"the trigger {name} is unknown"] if each.table in ours else []
        elif each.digest != expected[name]:
            wrong.append(f"the trigger {name} is not as the program makes it")
    return wrong


def _named(things: Iterable[object]) -> str:
    words = [str(each) for each in things]
    more = f" and {len(words) - MOST_NAMED:,} more" if len(words) > MOST_NAMED else ""
    return f"{', '.join(words[:MOST_NAMED])}{more}"


def refuse_another_schema() -> None:
    """Raise Refusal if the database does not fit the program, DatabaseError if it cannot be read."""
    if said := difference():
        raise Refusal(said)


class Checked:
    """The state of the check in this process: whether a command has made it; in a web server or a worker, the last
    migration at that time.
    """

    is_done = False
    migration: int | None = None


def check_for_command() -> None:
    """Raise Refusal if the database does not fit; once in a process. A database that is empty or away is left to the
    command: it may need none, and says so itself otherwise.
    """
    if Checked.is_done:
        return
    try:
        if connection.introspection.table_names():
            refuse_another_schema()
            Checked.is_done = True
    except (DatabaseError, InterfaceError):
        return


def check_at_start() -> None:
    """End this process of the web server or the worker, with a sentence, if the database does not fit. If it is
    away, that is checked by the first connection.
    """
    try:
        refuse_another_schema()
        Checked.migration = last_migration()
    except Refusal as refusal:
        end(refusal.message)
    except (DatabaseError, InterfaceError) as error:
        log.warning("The database cannot be reached, so it is checked later: %s", error)
        connection_created.connect(_check_connection, dispatch_uid="core.schema")
    finally:
        connection.close()


def end(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr, flush=True)
    sys.exit(NO_RESTART)


def _check_connection(**_kwargs: object) -> None:
    """Check the first connection of a process that began without one. Until the database fits, each is refused like
    one to a database that is away.
    """
    connection_created.disconnect(dispatch_uid="core.schema")
    said = "The database could not be read"
    try:
        said = difference()
        if not said:
            Checked.migration = last_migration()
    finally:
        if said:
            connection_created.connect(_check_connection, dispatch_uid="core.schema")
            connection.close()
    if said:
        log.error(said)
        raise InterfaceError(said)


def is_of_another_version() -> bool:
    """Return whether a migration has come since this process was checked, and the database no longer fits it. Costs
    one query. Raises DatabaseError.
    """
    if Checked.migration is None or last_migration() == Checked.migration:
        return False
    if said := difference():
        log.error("This worker does nothing: %s", said)
        return True
    Checked.migration = last_migration()
    return False
