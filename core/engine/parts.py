"""Fragments that the browser keeps. A cookie lists those that it holds, and the next page has a mark in place of
each. See `static/scripts/desk/parts.js`.

A fragment's name is a hash of its text: one that has changed, by a new version of the program for instance, has
another name and is sent again.
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
        """A mark in the page for a fragment that the browser holds."""
        return f'<template data-part="{name}"></template>'

    def brought(self, name: str, text: str) -> str:
        """A fragment between comments with its name, so that the browser stores it."""
        return f"<!--part {name}-->{text}<!--/part-->"


def name_of(text: str) -> str:
    """The name of a fragment with this text; "" if it is always sent with the page."""
    return sha256(text.encode()).hexdigest()[:10] if len(text) >= FEWEST_CHARACTERS else ""
