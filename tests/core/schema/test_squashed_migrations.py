"""A new database gets several migrations as one; it ends with the same models as one that had each in its turn."""

import pytest
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState
from django.db.migrations.writer import MigrationWriter

from core.engine.tables import TriggerOperation

LOADER = MigrationLoader(None)
SQUASHED = [key for key, migration in LOADER.disk_migrations.items() if migration.replaces]


class WithoutSquashed(MigrationLoader):
    def load_disk(self) -> None:
        super().load_disk()
        self.disk_migrations = {key: each for key, each in self.disk_migrations.items() if not each.replaces}


def state_of(model: ModelState) -> object:
    fields = {name: MigrationWriter.serialize(field)[0] for name, field in model.fields.items()}
    options = {name: value for name, value in model.options.items() if name not in ("constraints", "indexes")}
    rules = [
        sorted(repr(each.deconstruct()) for each in model.options.get(name, []))
        for name in ("constraints", "indexes")
    ]
    return fields, options, rules, model.bases, [name for name, _ in model.managers]


def test_both_ways_end_with_the_same_models():
    at_once, in_turn = LOADER.project_state(), WithoutSquashed(None).project_state()
    assert at_once.models.keys() == in_turn.models.keys()
    assert [key for key, model in at_once.models.items() if state_of(model) != state_of(in_turn.models[key])] == []


@pytest.mark.parametrize(("app", "name"), SQUASHED)
@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_both_ways_end_with_the_same_triggers(app, name, vendor):
    squashed = LOADER.disk_migrations[app, name]
    in_turn = {}
    for key in squashed.replaces:
        for operation in LOADER.disk_migrations[key].operations:
            if isinstance(operation, TriggerOperation):
                for each in operation.triggers(vendor):
                    in_turn.pop(each.name, None)
                    if not operation.removes:
                        in_turn[each.name] = each
    at_once = {
        each.name: each
        for operation in squashed.operations
        if isinstance(operation, TriggerOperation)
        for each in operation.triggers(vendor)
    }
    assert at_once == in_turn
