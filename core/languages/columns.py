"""Columns for texts of the program: each reader sees them in their own language."""

from typing import TYPE_CHECKING, Any

from django.db import models

from .kept import as_column, from_column

if TYPE_CHECKING:
    Column = models.Field[Any, Any]
else:
    Column = object


class _Said(Column):
    def deconstruct(self) -> Any:
        # The database has a plain column: no migration needs to know more.
        name, _, args, kwargs = super().deconstruct()
        return name, f"django.db.models.{self.get_internal_type()}", args, kwargs

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        return value if value is None else from_column(value)

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return as_column(value, most=self.max_length) if isinstance(value, str) else value


class SaidField(_Said, models.TextField):
    """A text that `say` made, kept with its values. As a string it is the English text."""


class SaidCharField(_Said, models.CharField):
    """The same in a column of limited length, where a text that does not fit with its values is kept in English."""
