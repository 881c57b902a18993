"""Parts of a page that are the same for everybody, rendered once a process."""

import re
from typing import NamedTuple

from django import template
from django.conf import settings
from django.template.base import FilterExpression, Node, NodeList, Parser, Token
from django.utils.safestring import SafeString, mark_safe

from ..desk.forms import with_placeholders, without_placeholders
from ..desk.parts import Parts, name_of

register = template.Library()

INDENTATION = re.compile(r"\n\s+")
MOST_KEPT = 1_000


class Part(NamedTuple):
    name: str
    text: str


class Once(Node):
    def __init__(self, parts: NodeList, values: list[FilterExpression]):
        self.nodelist, self.values = parts, values
        self.kept: dict[tuple, Part] = {}

    def render(self, context: template.Context) -> SafeString:
        key = tuple(value.resolve(context) for value in self.values)
        if not key[0]:
            return self.nodelist.render(context)
        # The desk and a practice run send their forms to different addresses.
        key = (*key, context.get("save_address"))
        part = (settings.PREPARED and self.kept.get(key)) or self._keep(key, context)
        parts: Parts | None = context.get("parts")
        text = parts.shown(*part) if part.name and parts else part.text
        # Rendered by these templates, and what is put in is escaped.
        own = without_placeholders(text, context["annotation"], str(context.get("csrf_token")))
        return mark_safe(own)  # noqa: S308

    def _keep(self, key: tuple, context: template.Context) -> Part:
        # Parts within this one come with it.
        with context.push(**with_placeholders(context.get("fields") or {})):
            text = INDENTATION.sub("\n", self.nodelist.render(context))
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        self.kept[key] = Part(name_of(text), text)
        return self.kept[key]


@register.tag
def once(parser: Parser, token: Token) -> Once:
    """`{% once key … %}…{% endonce %}`: the part in between, from memory if it was rendered for this key before. The
    key has all that the part depends on but the annotation's primary key, the form's token and the article's title.
    No other text that people write may be among that. If the first value is false, the part is rendered again. Where
    the page's `parts` say that the browser holds it, a mark stands for it."""
    values = [parser.compile_filter(bit) for bit in token.split_contents()[1:]]
    parts = parser.parse(("endonce",))
    parser.delete_first_token()
    return Once(parts, values)
