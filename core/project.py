"""The settings that hold for the whole project."""

from typing import Protocol

from django.db import transaction

from .models import CoreAction, Project, User
from .writing.changes import change_values


class NamesOfModels(Protocol):
    def __call__(self) -> list[str]:
        """Return the names of the models that may make suggestions at the desk, in order."""


# Registered by the app that knows models.
_models_that_suggest: list[NamesOfModels] = []


def register_models_that_suggest(names: NamesOfModels) -> None:
    _models_that_suggest[:] = [names]


def models_that_suggest() -> list[str]:
    return _models_that_suggest[0]() if _models_that_suggest else []


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
