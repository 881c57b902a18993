"""Renders documents with a marked edit in one pass."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ..maker.maker import MAKER
from ..making.components import NAMES
from ..making.listing import Piece

register = template.Library()

MARKED = {
    "": "{text}",
    "original": '<mark class="statement-original"><span class="mark-name">Original</span> {text}</mark>',
    "goes on": '<mark class="statement-original">{text}</mark>',
    "replaced": '<del class="statement-original"><span class="mark-name">Original, replaced</span> {text}</del> ',
    "introduced": '<mark class="statement-introduced"><span class="mark-name">Introduced</span> {text}</mark>',
}


@register.simple_tag
def edited_document(pieces: Iterable[Piece]) -> SafeString:
    """The document with its edit."""
    written = ((format_html(MARKED[piece.kind], text=piece.text),) for piece in pieces)
    return format_html('<div class="document" dir="auto">{}</div>', format_html_join("", "{}", written))


@register.filter
def stretch(text: str, ends: object) -> str:
    """The part of a text that a refused statement gives as the nearest sentence; "" without one."""
    start, end = getattr(ends, "near_start", None), getattr(ends, "near_end", None)
    return text[start:end] if start is not None and end is not None else ""


register.filter("measure_name", lambda measure: NAMES.get(measure, measure))

TONES = {
    "passed": "good", "failed": "bad", "not_checked": "warn", "waiting": "",
    "chosen": "good", "verified": "good", "rejected": "bad", "negative": "warn", "left_out": "", "made": "",
}  # fmt: skip
SIGNS = {"good": "●", "bad": "✕", "warn": "▲", "": "○"}


@register.filter
def tone(value: str) -> str:
    """The tone of the chip of an outcome or of a candidate's state."""
    return TONES.get(value, "")


@register.filter
def sign(value: str) -> str:
    """The sign with the same meaning, without colour."""
    return SIGNS[tone(value)]


@register.filter
def method_name(code: str) -> str:
    """The name of a method by which statements are written; its code if it is unknown."""
    method = MAKER.methods.get(code)
    return method.name if method else code
