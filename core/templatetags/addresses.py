"""Django's `{% url %}` with cached addresses: a page has dozens, most of them on every page. And `{% href %}`, for
links to pages that may be closed to the reader.
"""

from functools import lru_cache
from urllib.parse import urlencode

from django import template
from django.template.base import Parser, Token
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as djangos_url
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from ..models import User
from ..navigation.closing import why_closed

register = template.Library()


class Address(URLNode):
    """An address with positional arguments, as this project's are; others are resolved by Django."""

    def render(self, context: template.Context) -> str:
        if self.kwargs:
            return super().render(context)
        name, arguments = self.view_name.resolve(context), tuple(each.resolve(context) for each in self.args)
        if not self.asvar:
            return address_of(context, name, arguments)
        try:
            context[self.asvar] = _address(get_urlconf(), get_script_prefix(), name, arguments)
        except NoReverseMatch:
            context[self.asvar] = ""
        return ""


def address_of(context: template.Context, name: str, arguments: tuple) -> str:
    """The address of this name, as shown on the page."""
    address = _address(get_urlconf(), get_script_prefix(), name, arguments)
    return conditional_escape(address) if context.autoescape else address


@lru_cache(maxsize=2_000)
def _address(urlconf: object, prefix: str, name: str, arguments: tuple) -> str:
    return reverse(name, args=arguments)


@register.tag
def url(parser: Parser, token: Token) -> Address:
    made = djangos_url(parser, token)
    return Address(made.view_name, made.args, made.kwargs, made.asvar)


def _reasons_of(person: User) -> dict[str, None]:
    """The reasons why links of this answer are closed, in their order. Each request has a `User` of its own."""
    return person.__dict__.setdefault("_reasons_of_closed_links", {})


@register.simple_tag(takes_context=True)
def reasons_of_closed_links(context: template.Context) -> list[str]:
    person = context.get("user")
    return list(_reasons_of(person)) if person else []


@register.simple_tag(takes_context=True)
def href(context: template.Context, page: str, *arguments: object, **query: object) -> SafeString:
    """The attributes of a link to a page that may be closed to the reader: `<a {% href "responses" run=run.pk %}>`.

    While it is closed, the words stay and say on hover why they lead nowhere; the end of the page says it, too.
    """
    person = context.get("user")
    if person and (reason := why_closed(person, page, *arguments)):
        _reasons_of(person).setdefault(reason)
        return format_html('aria-disabled="true" title="{}"', reason)
    asked = f"?{urlencode(query)}" if query else ""
    return format_html('href="{}{}"', address_of(context, page, arguments), asked)
