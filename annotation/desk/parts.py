"""The parts of the desk's page that are the same for all tags. A browser keeps those that it was brought once and
says so in a cookie; the next page has a mark in place of each. See `static/scripts/desk/parts.js`.

A part goes by a hash of its text: what has changed since, by a new version of the program for instance, has another
name, and is brought again.
"""

from dataclasses import dataclass
from hashlib import sha256

COOKIE = "desk-parts"
# Placeholders for the annotation's key, the form's token and the article's title in a part that this process keeps.
KEY, TOKEN = 7_000_000_000_000_000_007, "the-token-of-whoever-sees-this-part"
TITLE = "the-title-of-the-article-of-this-tag"
# Shorter parts come with each page: fewer names to keep.
FEWEST_CHARACTERS = 1_500


@dataclass(frozen=True)
class Parts:
    """The names of the parts that the browser holds."""

    held: frozenset[str] = frozenset()

    @classmethod
    def in_cookie(cls, cookie: str) -> "Parts":
        return cls(frozenset(filter(None, cookie.split("."))))

    def shown(self, name: str, text: str) -> str:
        """A mark in place of a part that the browser holds; otherwise the part, between comments with its name."""
        return (
            f'<template data-part="{name}"></template>'
            if name in self.held
            else f"<!--part {name}-->{text}<!--/part-->"
        )


def name_of(text: str) -> str:
    """The name of a part with this text; "" if it always comes with the page."""
    return sha256(text.encode()).hexdigest()[:10] if len(text) >= FEWEST_CHARACTERS else ""
