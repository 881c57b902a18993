"""Documents in pieces: plain text, marked statements, and positions that can be clicked. Rendered in one pass, as a
document may have thousands of them.
"""

from collections.abc import Mapping, Sequence

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from ..making.listing import Piece
from ..questionnaires.documents import stretches

register = template.Library()

MARKED = {
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
def document_pieces(pieces: Sequence[Piece], key: str, name: str) -> SafeString:
    """The document; clicks are sent under this name with the form of this key."""
    forms = {
        kind: form.replace("{name}", escape(name)).replace("{key}", escape(key)) for kind, form in MARKED.items()
    }
    written = [_written(forms, stretch) for stretch in stretches(pieces)]
    if len(written) > 1:
        written = [f'<div class="stretch">{stretch}</div>' for stretch in written]
    # It scrolls by itself: the keyboard has to get there even where nothing in it can be clicked.
    box = '<div class="document" dir="auto" tabindex="0" role="region" aria-label="Text of the document">{}</div>'
    return format_html(box, SafeString("".join(written)))


def _written(forms: Mapping[str, str], pieces: Sequence[Piece]) -> str:
    # A document of 2 MB has 20,000 sentences: many are escaped at once, with what no text holds between them.
    texts = escape("\0".join(piece.text for piece in pieces)).split("\0")
    return "".join(
        forms[kind].format(text=text, number=number, which=number + 1) if kind else text
        for (kind, _, number), text in zip(pieces, texts, strict=True)
    )
