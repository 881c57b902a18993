"""The settings that hold for the whole project."""

from typing import Protocol

from django.db import transaction

from .models import CoreAction, Project, User
from .writing.changes import change_values


class NamesOfModels(Protocol):
    def __call__(self) -> list[str]:
        """Return the names of the models that may be chosen, in order."""


# By the setting that chooses one of them; registered by the apps that know models.
_models: dict[str, NamesOfModels] = {}


def register_models(setting: str, names: NamesOfModels) -> None:
    _models[setting] = names


def models_for(setting: str) -> list[str]:
    """The names of the models that this setting may choose."""
    return _models[setting]() if setting in _models else []


@transaction.atomic
def change_settings(*, admin: User, **values: object) -> list[str]:
    """Change these settings, and only these; returns the names of those that are now different.

    `values` are checked by the caller's form or by `Project.full_clean`, which raises ValidationError.
    """
    return change_values(lock_project(), CoreAction.CHANGED_SETTINGS, actor=admin, values=values)


def lock_project() -> Project:
    """The settings, locked until the transaction ends: one import, release or change of settings at a time."""
    Project.get()
    return Project.objects.select_for_update().get(pk=1)
