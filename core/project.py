"""The settings that hold for the whole project."""

from collections.abc import Callable
from decimal import Decimal

from django.db import transaction

from .models import CoreAction, Event, Project, User

# Names of the models that may make suggestions at the desk, registered by the app that knows models.
_models_that_suggest: list[Callable[[], list[str]]] = []


def register_models_that_suggest(names: Callable[[], list[str]]) -> None:
    _models_that_suggest[:] = [names]


def models_that_suggest() -> list[str]:
    return _models_that_suggest[0]() if _models_that_suggest else []


@transaction.atomic
def change_settings(*, admin: User, **values: object) -> list[str]:
    """Change these settings, and only these; returns the names of those that are now different.

    `values` are checked by the caller's form or by `Project.full_clean`, which raises ValidationError.
    """
    project = lock_project()
    before = {name: getattr(project, name) for name, value in values.items() if getattr(project, name) != value}
    if not before:
        return []
    after = {name: values[name] for name in before}
    for name, value in after.items():
        setattr(project, name, value)
    project.full_clean()
    project.save(update_fields=list(after))
    Event.record(CoreAction.CHANGED_SETTINGS, project, actor=admin, before=_in_log(before), after=_in_log(after))
    return list(after)


def _in_log(values: dict[str, object]) -> dict[str, object]:
    return {name: f"{value:f}" if isinstance(value, Decimal) else value for name, value in values.items()}


def lock_project() -> Project:
    """The settings, locked until the transaction ends: one import, release or change of settings at a time."""
    Project.get()
    return Project.objects.select_for_update().get(pk=1)
