"""Practice runs: the comparison of each step with its reference."""

from collections.abc import Mapping

from django import template

from ..practice.comparing import ComparedStep

register = template.Library()


@register.filter
def of_step(compared: Mapping[int, ComparedStep], number: int) -> ComparedStep | None:
    """The step of this number, if it was compared."""
    return compared.get(number)


@register.filter
def minutes(seconds: int) -> str:
    return f"{round(seconds / 60)} min" if seconds >= 60 else "under a minute"
