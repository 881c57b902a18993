"""Names of people as they are stored and compared: user names, first and last names, email addresses.

One name can be written in several ways: é is one character or two, depending on the keyboard. Everything that stores
or compares a name uses one form, Unicode's NFKC; the columns convert automatically, so no query can forget it.
"""

import unicodedata
from typing import Any

from django.db import models
from django.db.models import lookups


def composed(name: str) -> str:
    """The name in the form in which it is stored (NFKC)."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def name_key(name: str) -> str:
    """A key that is equal for two spellings of one name, regardless of case and of how accents were typed."""
    return composed(composed(name).strip().casefold()).strip()


class _Composed(models.CharField):
    """A column whose values, and the texts compared with it, are composed."""

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return composed(value) if isinstance(value, str) else value

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = super().pre_save(model_instance, add)
        if isinstance(value, str):
            value = composed(value)
            setattr(model_instance, self.attname, value)
        return value


def _composing(lookup: type[models.Lookup]) -> type[models.Lookup]:
    """The lookup with its text composed; Django would use the text unchanged."""

    def get_prep_lookup(self: models.Lookup) -> Any:
        return composed(self.rhs) if isinstance(self.rhs, str) else self.rhs

    return type(lookup.__name__, (lookup,), {"get_prep_lookup": get_prep_lookup})


for _lookup in (lookups.IExact, lookups.Contains, lookups.IContains, lookups.StartsWith, lookups.IStartsWith):
    _Composed.register_lookup(_composing(_lookup))


class NameField(_Composed):
    """A user name, or a first or last name."""


class AddressField(_Composed, models.EmailField):
    """An email address."""
