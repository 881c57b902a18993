"""How the values of a report's table are printed on a page."""

from decimal import Decimal

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma

register = template.Library()


@register.filter
def shown(value: str | int | float | Decimal | None) -> str:
    """A whole number with its thousands apart, None as a dash, anything else as it is."""
    if value is None:
        return "–"
    return intcomma(value) if isinstance(value, int) else str(value)
