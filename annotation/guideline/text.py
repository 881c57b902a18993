"""The markup of the guideline: paragraphs, lists, examples, strong and emphasised words. Anything else is plain text.

A blank line ends a paragraph. Lines that begin with `- ` are a list, a paragraph that begins with `> ` is an example,
`**two stars**` are strong and `*one star*` is emphasised.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
STRONG = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
EMPHASISED = re.compile(r"\*(?=[^\s*])(.+?)(?<=[^\s*])\*")
ITEM, EXAMPLE = "- ", "> "


def tidy(text: str) -> str:
    """The text with plain line ends, without blanks at the ends of lines, and with one blank line between blocks."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


@lru_cache(maxsize=200)
def as_html(text: str) -> SafeString:
    """The text of one step as HTML: everything in it is escaped, and only the five elements above are added."""
    blocks = BLANK_LINES.split(text)
    return mark_safe("".join(f"{line}\n" for block in blocks for line in _lines(block)))  # noqa: S308 - escaped


def as_read(text: str) -> str:
    """The text of one step without its marks, for comparisons that people read."""
    lines = (re.sub(r"^- ", "• ", line).removeprefix(EXAMPLE) for line in text.split("\n"))
    return EMPHASISED.sub(r"\1", STRONG.sub(r"\1", "\n".join(lines)))


def _lines(block: str) -> Iterator[str]:
    paragraph: list[str] = []
    items: list[str] = []
    for line in block.split("\n"):
        if line.startswith(ITEM):
            yield from _paragraph(paragraph)
            paragraph = []
            items.append(line.removeprefix(ITEM))
        else:
            yield from _list(items)
            items = []
            paragraph.append(line)
    yield from _paragraph(paragraph)
    yield from _list(items)


def _paragraph(lines: list[str]) -> Iterator[str]:
    text = " ".join(lines)
    if text.startswith(EXAMPLE):
        yield f'<p class="guide-example">{_inline(text.removeprefix(EXAMPLE))}</p>'
    elif text.strip():
        yield f"<p>{_inline(text)}</p>"


def _list(items: list[str]) -> Iterator[str]:
    if items:
        yield "<ul>"
        yield from (f"  <li>{_inline(item)}</li>" for item in items)
        yield "</ul>"


def _inline(text: str) -> str:
    return EMPHASISED.sub(r"<em>\1</em>", STRONG.sub(r"<strong>\1</strong>", _escaped(text)))


def _escaped(text: str) -> str:
    # Outside an attribute quotes need no escape, and the published text is the same byte for byte.
    return str(escape(text)).replace("&#x27;", "'").replace("&quot;", '"')
