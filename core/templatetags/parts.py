"""What most pages have: the head of a table."""

from functools import cache

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
@cache
def table_head(*names: str) -> SafeString:
    """The names of a table's columns: "#Calls" over numbers, "(Withdraw)" over buttons, to be heard and not seen."""
    heads = format_html_join("", "{}", ((_column_head(name),) for name in names))
    return format_html("<thead><tr>{}</tr></thead>", heads)


def _column_head(name: str) -> SafeString:
    if name.startswith("#"):
        return format_html('<th scope="col" class="number">{}</th>', name[1:])
    if name.startswith("("):
        return format_html('<th scope="col"><span class="visually-hidden">{}</span></th>', name[1:-1])
    return format_html('<th scope="col">{}</th>', name)
