"""Parts that most pages have: tables, and buttons that change something."""

from functools import cache, lru_cache

from django import template
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from ..languages import in_words_of
from .addresses import address_of

register = template.Library()


@register.simple_tag
def table_head(*names: str) -> SafeString:
    """The names of a table's columns: "#Calls" for columns of numbers, "(Withdraw)" for columns of buttons, whose
    names are heard and not seen.
    """
    return _head(get_language(), *names)


@cache
def _head(language: str | None, *names: str) -> SafeString:
    heads = format_html_join("", "{}", ((_column_head(name),) for name in names))
    return format_html("<thead><tr>{}</tr></thead>", heads)


def _column_head(name: str) -> SafeString:
    if name.startswith("#"):
        return format_html('<th scope="col" class="number">{}</th>', in_words_of(name[1:]))
    if name.startswith("("):
        return format_html('<th scope="col"><span class="visually-hidden">{}</span></th>', in_words_of(name[1:-1]))
    return format_html('<th scope="col">{}</th>', in_words_of(name))


@register.simple_block_tag
def table(
    content: str, *names: str, label: str = "", heading: str = "", cursor: bool = False, **attributes: str
) -> str:
    """A table with columns of these names; its rows are the content of the tag. If it is too wide it scrolls, as a
    region named by `label` or by the heading with this id; with `cursor`, keys move from row to row.
    """
    return format_html(
        '<div class="scroll-x" tabindex="0" role="region"{}><table{}{}>{}<tbody>{}</tbody></table></div>',
        _written({"aria-labelledby": heading} if heading else {"aria-label": label}),
        " data-cursor" if cursor else "",
        _written(attributes),
        table_head(*names),
        content,
    )


@register.simple_block_tag(takes_context=True)
def button_to(
    context: template.Context, content: str, page: str, *arguments: object, **attributes: str
) -> SafeString:
    """A button that posts to the page of this name; its words are the content of the tag, and `attributes` are its
    own.
    """
    address = address_of(context, page, arguments)
    token = CsrfTokenNode().render(context)
    return format_html(
        '<form method="post" action="{}">{}{}{}</button></form>', address, token, _button(**attributes), content
    )


@lru_cache(maxsize=500, typed=True)  # a list has the same one in each row; safe text is another type
def _button(**attributes: str) -> SafeString:
    return format_html('<button type="submit"{}>', _written(attributes))


def _written(attributes: dict[str, str]) -> SafeString:
    return format_html_join("", ' {}="{}"', attributes.items())
