"""Puts other people's HTML into our pages: allowed only here."""

from functools import lru_cache

from django import template
from django.utils.safestring import SafeString, mark_safe

from ..content.word_changes import Change, word_changes
from ..reading.page_sentences import page_sentences
from ..reading.readable import as_read as text_as_read
from ..reading.sanitise import safe
from ..reading.sentences import LANGUAGE

register = template.Library()
# The same page is opened again, by its annotator and then by reviewers; cleaning 300 kB takes 20 ms.
_safe = lru_cache(maxsize=8)(safe)


@register.filter
def sanitised(html: str) -> SafeString:
    """Evidence as markup. It was sanitised when it was stored, and is again here, so that nothing can bypass that."""
    return mark_safe(_safe(html))  # noqa: S308  # what `safe` lets through is a page's reading text and nothing else


@lru_cache(maxsize=8)
def _sentences(html: str, language: str) -> str:
    return " ".join(f"{start}-{end}" for start, end in page_sentences(html, language or LANGUAGE))


@register.filter
def sentences_of(html: str, language: str) -> str:
    """The offsets of a page's sentences, for the keys that select them."""
    return _sentences(html, language or "")


@register.filter
def as_read(paragraph: str) -> str:
    """A stored paragraph without its wikitext markup."""
    return text_as_read(paragraph or "")


@register.filter
def changes_to(before: str, after: str) -> list[Change]:
    """The changes from one text to the other, word by word."""
    return word_changes(before or "", after or "")
