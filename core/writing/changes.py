"""Changes a row's values, with the previous values in the log."""

from decimal import Decimal
from typing import Any

from django.db.models import Model

from ..models import Event, User
from ..models.events import Action


def change_values(row: Model, action: Action, *, actor: User | None, values: dict[str, Any]) -> list[str]:
    """Change these values of a locked row, and only these; returns the names of the values that changed. Raises
    ValidationError, as `full_clean` does.
    """
    before = {name: getattr(row, name) for name, value in values.items() if getattr(row, name) != value}
    if not before:
        return []
    after = {name: values[name] for name in before}
    for name, value in after.items():
        setattr(row, name, value)
    row.full_clean()
    row.save(update_fields=list(after))
    Event.record(action, row, actor=actor, before=_in_log(before), after=_in_log(after))
    return list(after)


def _in_log(values: dict[str, object]) -> dict[str, object]:
    return {name: f"{value:f}" if isinstance(value, Decimal) else value for name, value in values.items()}
