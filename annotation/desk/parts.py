"""The parts of the desk's page that are the same for all tags. A browser keeps those that it was brought once and
says so in a cookie; the next page has a mark in place of each. See `static/scripts/desk/parts.js`.

A part goes by a hash of its text: what has changed since, by a new version of the program for instance, has another
name, and is brought again.
"""

from collections.abc import Collection
from hashlib import sha256

COOKIE = "desk-parts"
# What stands for the annotation's key and the form's token in a part that is kept.
KEY, TOKEN = 7_000_000_000_000_000_007, "the-token-of-whoever-sees-this-part"
# Shorter parts come with each page: fewer names to keep.
FEWEST_CHARACTERS = 1_500


class Parts:
    """Which parts the browser holds, and which ones the page at hand brings: their texts by name."""

    def __init__(self, held: Collection[str] = ()):
        self.held = held
        self.brought: dict[str, str] = {}

    @classmethod
    def in_cookie(cls, cookie: str) -> "Parts":
        return cls(frozenset(filter(None, cookie.split("."))))

    def bring(self, name: str, text: str) -> bool:
        """Whether the page has to bring this part."""
        if name in self.held:
            return False
        self.brought[name] = text
        return True


def name_of(text: str) -> str:
    """The name of a part with this text; "" if it always comes with the page."""
    return sha256(text.encode()).hexdigest()[:10] if len(text) >= FEWEST_CHARACTERS else ""
