"""Properties of a text of evidence that need no model: whether it ends mid-sentence, is a refusal or contains names.
Text in, text out.
"""

import re
from collections.abc import Iterable, Sequence

from annotation.reading.sentences import sentences

from ..content.names import alike_name
from .quotations import without_quotations

ENDS_A_SENTENCE = re.compile(r"[.!?…。！？؟]['\"”’»)\]*_]*\s*\Z")
APOSTROPHES = re.compile("[’‘ʼ′`´＇]")


def ends_within_a_sentence(text: str) -> bool:
    return bool(text.strip()) and ENDS_A_SENTENCE.search(text.strip()) is None


def without_last_sentence(text: str) -> str:
    """The text up to the last full sentence, if it ends mid-sentence; the whole text if it has no other."""
    if not ends_within_a_sentence(text):
        return text
    spans = sentences(text)
    return text[: spans[-2].end] if len(spans) > 1 else text


def refusal_in(text: str, features: Iterable[str], *, fewest_characters: int) -> str:
    """Why a text is taken for a refusal; "" if it is none. Features count as whole words, regardless of case and the
    form of apostrophes, and not within a quotation.
    """
    if len(text.strip()) < fewest_characters:
        return f"It has fewer than {fewest_characters} characters."
    outside = plain(without_quotations(text))
    found = next((feature for feature in features if has_words(outside, plain(feature))), "")
    return f"It says “{found}”." if found else ""


def has_words(text: str, words: str) -> bool:
    """Return whether words stand in a text, with no letter or digit directly before or after them."""
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def plain(text: str) -> str:
    return " ".join(APOSTROPHES.sub("'", text).casefold().split())


def has_names(text: str, names: Sequence[str]) -> bool:
    """Return whether all of these names stand in a text, as words, regardless of case, accents and punctuation."""
    there = f" {alike_name(text)} "
    return all(f" {alike_name(name)} " in there for name in names)
