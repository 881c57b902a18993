"""Migration operations beyond single tables: tables made together, and triggers by which the database keeps rules and
sums.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.migrations import Migration
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation


@dataclass(frozen=True, slots=True)
class Trigger:
    """`when` it runs and its `body`, in the current database's SQL. On PostgreSQL the body is that of a function with
    the trigger's name, unless `function` gives another, and with these `settings`.
    """

    name: str
    when: str
    body: str
    function: str = ""
    settings: str = ""

    def made_on(self, vendor: str) -> list[str]:
        """The statements that make or replace the trigger."""
        if vendor != "postgresql":
            return [*self.dropped_on(vendor), f"CREATE TRIGGER {self.name} {self.when} BEGIN {self.body} END"]
        function = f"{self.function or self.name}()"
        return [
            f"CREATE OR REPLACE FUNCTION {function} RETURNS trigger AS $$ BEGIN {self.body} END $$ "
            # A restore has an empty search path, and the body names tables without their schema.
            f"LANGUAGE plpgsql {self.settings} SET search_path FROM CURRENT",
            f"CREATE OR REPLACE TRIGGER {self.name} {self.when} EXECUTE FUNCTION {function}",
        ]

    def dropped_on(self, vendor: str) -> list[str]:
        if vendor == "postgresql":
            return [f"DROP FUNCTION IF EXISTS {self.function or self.name}() CASCADE"]
        return [f"DROP TRIGGER IF EXISTS {self.name}"]


class TriggerOperation(Operation):
    """Makes triggers. Only the database knows of them: Django's model state does not change."""

    reversible = True
    # Whether the triggers are dropped instead.
    removes = False

    def triggers(self, vendor: str) -> Iterable[Trigger]:
        raise NotImplementedError

    def state_forwards(self, app_label: str, state: object) -> None:
        """Nothing to do."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        vendor = schema_editor.connection.vendor
        for trigger in self.triggers(vendor):
            for statement in trigger.made_on(vendor):
                schema_editor.execute(statement, params=None)  # a percent sign stands for itself

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        vendor = schema_editor.connection.vendor
        for trigger in self.triggers(vendor):
            for statement in trigger.dropped_on(vendor):
                schema_editor.execute(statement)


class CreateModels(Operation):
    """Makes the tables of several models.

    After each `CreateModel` Django renders again all models that are related to the new one, and here every model is
    related to people, so a first start rendered thousands of models. This operation renders each once.
    """

    def __init__(self, models: Iterable[CreateModel]) -> None:
        self.models = list(models)

    def state_forwards(self, app_label: str, state: Any) -> None:
        state.__dict__.pop("apps", None)  # what is rendered; Django renders it again when it is asked for
        for each in self.models:
            each.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for each in self.models:
            each.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for each in reversed(self.models):
            each.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return "; ".join(each.describe() for each in self.models)


def models_together(operations: Iterable[Operation]) -> list[Operation]:
    """The same operations, with neighbouring `CreateModel` operations combined."""
    found: list[Operation] = []
    for are_models, neighbours in groupby(operations, key=lambda each: isinstance(each, CreateModel)):
        some: list[Any] = list(neighbours)
        found += [CreateModels(some)] if are_models else some
    return found


def triggers_of(replaced: Iterable[type[Migration]]) -> list[TriggerOperation]:
    """Return the operations on triggers that several migrations leave, in order, for the one that replaces them."""
    left: dict[str, TriggerOperation] = {}
    for migration in replaced:
        for operation in migration.operations:
            if isinstance(operation, TriggerOperation):
                made = "".join(trigger.name for trigger in operation.triggers("postgresql"))
                left.pop(made, None)
                if not operation.removes:
                    left[made] = operation
    return list(left.values())
