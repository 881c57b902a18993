"""The tables, columns, triggers and migrations that the program needs, from its models and migrations."""

import hashlib
import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.apps import apps
from django.conf import settings

from ..engine.tables import Trigger, TriggerOperation
from .found import digest

log = logging.getLogger(__name__)

HERE = Path(__file__).parents[1]
# Triggers are made by these files, and may change with them.
MAKERS = ("engine/tables.py", "engine/kept/*.py", "writing/frozen.py", "schema/*.py")


class Name(NamedTuple):
    """A migration: its app's label, and its name."""

    app: str
    name: str

    def __str__(self) -> str:
        return f"{self.app}.{self.name}"


def migration_files() -> dict[Name, Path]:
    """The migrations of the installed apps, by listing their folders: importing them takes twenty times as long."""
    return {
        Name(config.label, path.stem): path
        for config in apps.get_app_configs()
        for path in sorted((Path(config.path) / "migrations").glob("*.py"))
        if path.stem[0] not in "_~"
    }


def expected_columns() -> dict[str, set[str]]:
    """The columns of each table of the models."""
    return {
        model._meta.db_table: {str(field.column) for field in model._meta.local_concrete_fields}
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }


def expected_triggers(vendor: str) -> dict[str, str]:
    """The digest of each trigger that the migrations make, by its name.

    They are kept in a file of VAR_DIR for as long as no migration and nothing that makes triggers changes.
    """
    path = Path(settings.VAR_DIR) / "triggers.json"
    version = f"{vendor} {_version()}"
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text())
        if kept["version"] == version:
            return dict(kept["triggers"])
    triggers = {trigger.name: digest(source_of(trigger, vendor)) for trigger in declared_triggers(vendor).values()}
    _keep(path, {"version": version, "triggers": triggers})
    return triggers


def declared_triggers(vendor: str) -> dict[str, Trigger]:
    """The triggers that are there after all migrations, by name. A later migration of an app replaces or removes
    those of an earlier one.
    """
    from django.db.migrations.loader import MigrationLoader  # imports every migration

    found: dict[str, Trigger] = {}
    for _, migration in sorted(MigrationLoader(None).disk_migrations.items()):
        for operation in migration.operations:
            if isinstance(operation, TriggerOperation):
                for trigger in operation.triggers(vendor):
                    found.pop(trigger.name, None)
                    if not operation.removes:
                        found[trigger.name] = trigger
    return found


def source_of(trigger: Trigger, vendor: str) -> str:
    """The text that the database keeps of a trigger: SQLite all of it, PostgreSQL the body of its function."""
    if vendor == "postgresql":
        return f" BEGIN {trigger.body} END "
    return trigger.made_on(vendor)[-1]


def _version() -> str:
    """A digest that changes with the migrations and with what makes triggers."""
    files = [*migration_files().values(), *(path for pattern in MAKERS for path in sorted(HERE.glob(pattern)))]
    states = [(str(path), (state := path.stat()).st_size, state.st_mtime_ns) for path in files]
    return hashlib.sha256(repr(states).encode()).hexdigest()


def _keep(path: Path, content: dict[str, object]) -> None:
    part = path.with_suffix(".part")
    try:
        part.write_text(json.dumps(content))
        part.replace(path)
    except OSError as error:  # it is only worked out again
        log.info("%s cannot be written: %s", path, error)
