"""The fields of a form, each with its label, help and errors."""

from django import template
from django.forms import BaseForm, BoundField

from ..lists.missing import Missing, missing_in

register = template.Library()


@register.filter
def missing(field: BoundField) -> Missing | None:
    """The words for a choice that is empty, and the page where options are added."""
    return missing_in(field.field)


@register.inclusion_tag("_fields.html")
def fields(form: BaseForm, names: str = "") -> dict[str, object]:
    """The fields of a form with these names, in this order; all of them if no name is given."""
    return {"fields": [form[name] for name in names.split()] if names else form}
