"""Names of subjects and objects: two names are the same if they differ only in case, white space, composition of
characters, or in the backslash that the released files keep before a slash. Text in, text out.
"""

import unicodedata
from collections.abc import Iterable


def plain_name(name: str) -> str:
    """The form of a name in which equal names are equal."""
    folded = unicodedata.normalize("NFKC", name.replace("\\/", "/")).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def plain_names(names: Iterable[str]) -> frozenset[str]:
    """The plain forms of several names; empty ones are left out."""
    return frozenset(filter(None, map(plain_name, names)))
