"""Protocol `text`: a reply that names exactly one option, by its letter or its words. Text in, an option out."""

import re
from collections.abc import Sequence

from core.languages import say
from judging.protocol.tasks import Read

from ..content.names import plain_name
from ..items import LETTERS

EMPTY = say("the reply is empty")
NAMES_NONE, NAMES_SEVERAL = say("it names none of the four options"), say("it names more than one option")

# A reply that is nothing but a letter, in any case and with any marks around it.
ALONE = re.compile(r"[\W_]*([a-d])[\W_]*", re.IGNORECASE)
# A capital letter that stands alone. "A" before a small word is an article, except before a word that goes with a
# choice; "D'Artagnan", "B-side" and "U.S.A" are no letters.
LETTER = re.compile(
    r"(?<![\w'’.-])(?:"
    r"A(?=\s+(?:or|and|nor|is|was|because|since|as|would|must|seems|fits|if|not)\b)"
    r"|A(?!\s+[^\W\d_A-Z])"
    r"|[B-D]"
    r")(?![\w'’]|[-‐‑]\w|\.\w)"
)


def read_text(text: str, options: Sequence[str]) -> Read:
    """`{"letter": the option named}` from a reply about these four options, or why there is no such option.

    Options that are named by their words come first, the longest before the others, so that "New Esk" does not name
    "Esk"; letters are looked for in what is left.
    """
    if not text.strip():
        return Read(problem=EMPTY)
    if alone := ALONE.fullmatch(text):
        return Read({"letter": alone[1].upper()})
    named, rest = _by_words(text, options)
    named |= {match[0] for match in LETTER.finditer(rest)}
    if len(named) == 1:
        return Read({"letter": named.pop()})
    return Read(problem=NAMES_SEVERAL if named else NAMES_NONE)


def _by_words(text: str, options: Sequence[str]) -> tuple[set[str], str]:
    """The letters of the options whose words are in the text, and the text without these words."""
    named: set[str] = set()
    for letter, words in sorted(zip(LETTERS, options, strict=True), key=lambda each: -len(each[1])):
        if plain_name(words).upper() in LETTERS:
            continue  # such an option cannot be told from a letter
        pattern = r"\s+".join(map(re.escape, words.replace("\\/", "/").split()))
        text, count = re.subn(rf"(?<!\w){pattern}(?!\w)", " , ", text, flags=re.IGNORECASE)
        if count:
            named.add(letter)
    return named, text
