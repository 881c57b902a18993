"""Documents in pieces: text as it is, marked statements, and spots that can be clicked. Written in one pass, as a
document may have thousands of them."""

from collections.abc import Iterable

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from ..kinds.contradoc.documents import Piece

register = template.Library()

MARKED = {
    "": "{text}",
    "original": '<mark id="original-{key}" class="statement-original"><span class="mark-name">Original</span>'
    " {text}</mark>",
    "replaced": '<del id="original-{key}" class="statement-original"><span class="mark-name">Original, replaced'
    "</span> {text}</del> ",
    "goes on": '<mark class="statement-original">{text}</mark>',
    "introduced": '<mark id="introduced-{key}" class="statement-introduced"><span class="mark-name">Introduced</span>'
    " {text}</mark>",
    "sentence": '<label class="sentence"><input type="checkbox" name="{name}" value="{number}" form="answers-{key}">'
    "<span>{text}</span></label>",
    "gap": '<label class="gap" data-only-if="feasible" data-is="no" title="Insert it here instead">'
    '<input type="radio" name="{name}" value="{number}" form="answers-{key}">'
    '<span class="visually-hidden">Insert it here instead: gap {which}</span></label>',
}


@register.simple_tag
def document_pieces(pieces: Iterable[Piece], key: str, name: str) -> SafeString:
    """The document; what is clicked is sent under this name with the form of this key."""
    sent = {"name": escape(name), "key": escape(key)}
    # A document of 2 MB has 20,000 sentences: only the text of each is escaped.
    written = "".join(
        MARKED[piece.kind].format(text=escape(piece.text), number=piece.number, which=piece.number + 1, **sent)
        for piece in pieces
    )
    # It scrolls by itself: the keyboard has to get there even where nothing in it can be clicked.
    box = '<div class="document" dir="auto" tabindex="0" role="region" aria-label="Text of the document">{}</div>'
    return format_html(box, SafeString(written))
