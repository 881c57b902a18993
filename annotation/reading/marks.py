"""Splits a page with a tag's marks into the page, which all tags of the article share, and the marks of this one.

Text in, text out. Put back where they were, the marks give the page as it was, to the byte.
"""

import re

from . import sanitise

Marks = list[tuple[int, str]]

_CLASSES = re.compile(r'(?<=<)[a-z][a-z0-9]*(?: [^<>]*?)??(?P<all> class="(?P<names>[^"<>]*)")')
_OF_A_TAG = re.compile(rf" ?\b(?:{sanitise.TAGGED}|{sanitise.THIS_TAG})(?![\w-])")


def without_marks(html: str) -> tuple[str, Marks]:
    """The page without the marks of a tag, and the marks: each an offset in that page and the text that was there."""
    pieces: list[str] = []
    marks: Marks = []
    behind = length = 0
    for start, end in _stretches(html):
        pieces.append(html[behind:start])
        length += start - behind
        marks.append((length, html[start:end]))
        behind = end
    pieces.append(html[behind:])
    return "".join(pieces), marks


def _stretches(html: str) -> list[tuple[int, int]]:
    found = []
    for match in _CLASSES.finditer(html):
        within = [mark.span() for mark in _OF_A_TAG.finditer(match["names"])]
        if sum(end - start for start, end in within) == len(match["names"]) and within:
            found.append(match.span("all"))  # no other class is left
        else:
            found += [(match.start("names") + start, match.start("names") + end) for start, end in within]
    return found
