"""What most pages have: the head of a table, and a button that changes something."""

from functools import cache, lru_cache
from typing import Any

from django import template
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from .addresses import address_of

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


@register.simple_block_tag(takes_context=True)
def button_to(context: template.Context, content: str, page: str, *arguments: Any, **attributes: str) -> SafeString:
    """A button that posts to the page of this name; its words stand within, and `attributes` are its own."""
    address = address_of(context, page, arguments)
    token = CsrfTokenNode().render(context)
    return format_html(
        '<form method="post" action="{}">{}{}{}</button></form>', address, token, _button(**attributes), content
    )


@lru_cache(
    maxsize=500, typed=True
)  # a list has the same one in each row; safe text is another type than what is escaped
def _button(**attributes: str) -> SafeString:
    return format_html('<button type="submit"{}>', format_html_join("", ' {}="{}"', attributes.items()))
