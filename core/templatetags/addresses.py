"""Django's `{% url %}` with cached addresses: a page has dozens, most of them on every page."""

from functools import lru_cache

from django import template
from django.template.base import Parser, Token
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as djangos_url
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape

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
