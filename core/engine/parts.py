"""The fragments that the browser keeps. It says in a cookie which ones it was brought, and the next page has a mark
in place of each. See `static/scripts/desk/parts.js`.

A fragment's name is a hash of its text: one that has changed, by a new version of the program for instance, has
another name and is brought again.
"""

from dataclasses import dataclass
from hashlib import sha256

COOKIE = "desk-parts"
# Shorter fragments come with each page: fewer names to keep.
FEWEST_CHARACTERS = 1_500


@dataclass(frozen=True)
class Parts:
    """The names of the fragments that the browser holds."""

    held: frozenset[str] = frozenset()

    @classmethod
    def in_cookie(cls, cookie: str) -> "Parts":
        return cls(frozenset(filter(None, cookie.split("."))))

    def mark(self, name: str) -> str:
        """Stands in the page for a fragment that the browser holds."""
        return f'<template data-part="{name}"></template>'

    def brought(self, name: str, text: str) -> str:
        """A fragment between comments with its name, so that the browser keeps it."""
        return f"<!--part {name}-->{text}<!--/part-->"


def name_of(text: str) -> str:
    """The name of a fragment with this text; "" if it always comes with the page."""
    return sha256(text.encode()).hexdigest()[:10] if len(text) >= FEWEST_CHARACTERS else ""
