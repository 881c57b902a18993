"""Texts of pages in the reader's language: `{% t %}Next tag{% endt %}`."""

from django import template
from django.template import defaultfilters
from django.template.base import Parser, Token

from ..languages import changed, in_sentence, in_words_of
from ..languages.blocks import TextBlock

register = template.Library()


@register.tag
def t(parser: Parser, token: Token) -> TextBlock:
    """`{% t %}{{ n }} tag{{ n|pluralize }} left{% endt %}`: see `core/languages/blocks.py`."""
    nodelist = parser.parse(("endt",))
    parser.delete_first_token()
    return TextBlock(nodelist)


@register.filter
def in_words(text: str) -> str:
    """The translation of a text that comes from the database, if the catalog has it."""
    return in_words_of(text)


@register.filter(is_safe=True)
def capfirst(text: str) -> str:
    """Django's filter, in the reader's language."""
    return changed(str(text), defaultfilters.capfirst)


@register.filter
def lower(text: str) -> str:
    """Django's filter in English; other languages keep their capitals, which nouns need within a sentence, too."""
    return in_sentence(str(text))
