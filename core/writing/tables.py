"""Tables that a migration makes, made together."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation


class DatabaseOperation(Operation):
    """What only the database is to know of: Django's model state does not change."""

    reversible = True

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Nothing to do."""


class CreateModels(Operation):
    """Makes the tables of several models.

    After each `CreateModel` Django renders again all models that are related to the new one, and here everything is
    related to people: so it rendered thousands of models for a first start. This way it renders each once.
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
    """The same operations, with neighbouring `CreateModel` as one."""
    found: list[Operation] = []
    for are_models, neighbours in groupby(operations, key=lambda each: isinstance(each, CreateModel)):
        some: list[Any] = list(neighbours)
        found += [CreateModels(some)] if are_models else some
    return found
