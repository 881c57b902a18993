"""Other people's HTML into a page of ours: allowed here alone."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from ..content.word_changes import Change, word_changes
from ..reading.readable import as_read as text_as_read
from ..reading.sanitise import safe

register = template.Library()


@register.filter
def sanitised(html: str) -> SafeString:
    """Evidence as markup. It was sanitised when it was stored; here again, so that no way around that leads here."""
    return mark_safe(safe(html))  # noqa: S308  # what `safe` lets through is a page's reading text and nothing else


@register.filter
def as_read(paragraph: str) -> str:
    """A stored paragraph without the signs of its source."""
    return text_as_read(paragraph or "")


@register.filter
def changes_to(before: str, after: str) -> list[Change]:
    """What was changed from one text to the other, word by word."""
    return word_changes(before or "", after or "")
