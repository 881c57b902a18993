"""Parts of a page that are rendered once per process: see `core/engine/fragments.py`."""

from collections.abc import Mapping

from django import template
from django.template.base import Parser, Token

from ..engine.fragments import Fragment, Named

register = template.Library()


@register.tag
def once(parser: Parser, token: Token) -> Fragment:
    """`{% once number shown=question label? **more own annotation.pk if is_blank %}…{% endonce %}`

    Renders the content with the named values and nothing else, and caches it by these. A name with `?` may be missing
    from the page. `**` takes the values from a mapping. The values after `own` differ from page to page; they are put
    into the finished text, as the form's token is, and the part can only show them. Where the condition after `if` is
    false, the part is rendered each time, with all values of the page.

    If the page's `parts` say that the browser holds the part, a mark stands for it.
    """
    bits = token.split_contents()[1:]
    condition = bits[-1] if bits[-2:-1] == ["if"] else None
    named = bits[:-2] if condition else bits
    values, own = (named[: named.index("own")], named[named.index("own") + 1 :]) if "own" in named else (named, [])
    pairs = [bit.split("=", 1) if "=" in bit else [bit.rstrip("?")] * 2 for bit in values if not bit.startswith("**")]
    spread = next((parser.compile_filter(bit[2:]) for bit in values if bit.startswith("**")), None)
    node = Fragment(
        parser.parse(("endonce",)),
        Named(
            {name: parser.compile_filter(value) for name, value in pairs},
            frozenset(bit[:-1] for bit in values if bit.endswith("?")),
            spread,
            {name: parser.compile_filter(name) for name in own},
            parser.compile_filter(condition) if condition else None,
        ),
    )
    parser.delete_first_token()
    return node


@register.filter
def only(entries: Mapping[str, object] | None, name: str) -> dict[str, object] | None:
    """A mapping reduced to the entry of this name; None if there is no mapping."""
    return None if entries is None else {name: entries[name]} if name in entries else {}
