"""Choices with nothing to choose yet: what is missing, and the page where it is added."""

from dataclasses import dataclass

from django import forms


@dataclass(frozen=True, slots=True)
class Missing:
    """The words where a choice is empty, and a link: its words, and the name of its address; "" without one."""

    what: str
    act: str = ""
    page: str = ""


def if_empty(field: forms.Field, what: str, act: str = "", page: str = "") -> None:
    """Show these words in place of the field's choice, for as long as it has no option."""
    field.missing = Missing(what, act, page)  # type: ignore[attr-defined]


def missing_in(field: forms.Field) -> Missing | None:
    """The words for a field that has them and no option besides "none"; None otherwise."""
    words: Missing | None = getattr(field, "missing", None)
    if words is None or any(str(value) for value, _ in field.choices):  # type: ignore[attr-defined]
        return None
    return words
