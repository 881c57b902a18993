"""Fields that choose rows by their numbers or keys. Forms use these instead of Django's own."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from ..outside import whole_number


def _can_be_one(value: object, key: str) -> bool:
    """Return whether a row can have this primary key; other keys are left to the query."""
    return key != "pk" or whole_number(str(value)) is not None


class RowChoice(forms.ModelChoiceField):
    """One row. A number that no row can have is not a valid choice: databases refuse to compare it."""

    def to_python(self, value: object) -> Any:
        given = value if value in self.empty_values else getattr(value, "pk", value)
        if given not in self.empty_values and not _can_be_one(given, self.to_field_name or "pk"):
            raise ValidationError(
                self.error_messages["invalid_choice"], code="invalid_choice", params={"value": given}
            )
        return super().to_python(value)


class RowsChoice(forms.ModelMultipleChoiceField):
    """Several rows, by the same rule."""

    def _check_values(self, value: Iterable[object]) -> Any:
        key = self.to_field_name or "pk"
        for each in list(value):
            if not _can_be_one(getattr(each, "pk", each), key):
                raise ValidationError(
                    self.error_messages["invalid_pk_value"], code="invalid_pk_value", params={"pk": each}
                )
        return super()._check_values(value)  # type: ignore[misc]
