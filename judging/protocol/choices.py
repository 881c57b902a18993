"""Choices of a model field. The protocol's modules are also copied into tasks that run where there is no Django."""

try:
    from django.db.models import TextChoices
except ImportError:
    from enum import StrEnum

    class Choices(StrEnum):
        """The part of Django's choices that the protocol uses: texts, each with a label."""

        label: str

        def __new__(cls, value: str, label: str) -> "Choices":
            choice = str.__new__(cls, value)
            choice._value_, choice.label = value, label
            return choice

    TextChoices = Choices  # type: ignore[misc, assignment]

__all__ = ["TextChoices"]
