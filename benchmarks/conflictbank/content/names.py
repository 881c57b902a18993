"""Names of subjects and objects: tests for equality, similarity, containment, and names of months.

Equal names differ only in case, white space, composition of characters, or in the backslash that the released files
keep before a slash. Names that are alike may also differ in accents and punctuation: of such an object, it is better
not to say that it is another one.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
# As whole words: the released program also finds "May" in "Mayor" and "March" in "Marchand".
MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
NOT_WORDS = re.compile(r"[\W_]+")


def one_line(text: str) -> str:
    """The text on one line, with single blanks: a name with line breaks would change the form of a prompt."""
    return " ".join(text.split())


def plain_name(name: str) -> str:
    """The normal form of a name: equal names have the same."""
    folded = unicodedata.normalize("NFKC", name.replace("\\/", "/")).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def plain_names(names: Iterable[str]) -> frozenset[str]:
    """The plain forms of several names; empty ones are left out."""
    return frozenset(filter(None, map(plain_name, names)))


@lru_cache(maxsize=200_000)
def alike_name(name: str) -> str:
    """The loose form of a name: similar names have the same."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
    return NOT_WORDS.sub(" ", plain.casefold()).strip() or plain_name(name)


def alike_names(names: Iterable[str]) -> frozenset[str]:
    """The loose forms of several names; empty ones are left out."""
    return frozenset(filter(None, map(alike_name, names)))


def contain_each_other(one: str, other: str) -> bool:
    """Return whether one of the two names is a part of the other, regardless of case."""
    first, second = one_line(one).casefold(), one_line(other).casefold()
    return first in second or second in first


def has_month(name: str) -> bool:
    return MONTH.search(name) is not None
