"""The fields of a form, each with its label, help and errors."""

from django import template
from django.forms import BaseForm

register = template.Library()


@register.inclusion_tag("_fields.html")
def fields(form: BaseForm, names: str = "") -> dict[str, object]:
    """The fields of a form with these names, in this order; all of them if no name is given."""
    return {"fields": [form[name] for name in names.split()] if names else form}
