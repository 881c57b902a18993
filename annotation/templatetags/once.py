"""Parts of a page that are the same for everybody, rendered once a process."""

import re
from types import SimpleNamespace

from django import template
from django.template.base import FilterExpression, Node, NodeList, Parser, Token
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

# What stands for the annotation's key and the form's token in a part that is kept.
KEY, TOKEN = 7_000_000_000_000_000_007, "the-token-of-whoever-sees-this-part"
INDENTATION = re.compile(r"\n\s+")
MOST_KEPT = 1_000


class Once(Node):
    def __init__(self, parts: NodeList, values: list[FilterExpression]):
        self.nodelist, self.values = parts, values
        self.kept: dict[tuple, str] = {}

    def render(self, context: template.Context) -> SafeString:
        key = tuple(value.resolve(context) for value in self.values)
        if not key[0]:
            return self.nodelist.render(context)
        part = self.kept.get(key) or self._keep(key, context)
        pk, token = str(context["annotation"].pk), str(context.get("csrf_token"))
        return mark_safe(part.replace(str(KEY), pk).replace(TOKEN, token))  # noqa: S308  # rendered by these templates

    def _keep(self, key: tuple, context: template.Context) -> str:
        with context.push(annotation=SimpleNamespace(pk=KEY), csrf_token=TOKEN):
            part = INDENTATION.sub("\n", self.nodelist.render(context))
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        self.kept[key] = part
        return part


@register.tag
def once(parser: Parser, token: Token) -> Once:
    """`{% once key … %}…{% endonce %}`: the part in between, from memory if it was rendered for this key before. The
    key has all that the part depends on but the annotation's primary key and the form's token. No text that people
    write may be among that. If the first value is false, the part is rendered anew."""
    values = [parser.compile_filter(bit) for bit in token.split_contents()[1:]]
    parts = parser.parse(("endonce",))
    parser.delete_first_token()
    return Once(parts, values)
