"""Properties of a text of evidence that need no model: whether it ends mid-sentence, is a refusal or contains names,
and its windows. Text in, text out.
"""

import re
from collections.abc import Iterable, Sequence

from annotation.reading.sentences import sentences

from ..content.names import alike_name

ENDS_A_SENTENCE = re.compile(r"[.!?…。！？؟]['\"”’»)\]*_]*\s*\Z")
# Quotation marks in pairs; a refusal within a quotation is a person's words.
QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|‘[^’]*’(?!\w)")


def ends_within_a_sentence(text: str) -> bool:
    return bool(text.strip()) and ENDS_A_SENTENCE.search(text.strip()) is None


def without_last_sentence(text: str) -> str:
    """The text up to the last full sentence, if it ends mid-sentence; the whole text if it has no other."""
    if not ends_within_a_sentence(text):
        return text
    spans = sentences(text)
    return text[: spans[-2].end] if len(spans) > 1 else text


def refusal_in(text: str, features: Iterable[str], *, fewest_characters: int) -> str:
    """Why a text is taken for a refusal; "" if it is none. Features count regardless of case and the form of
    apostrophes, and not within quotation marks.
    """
    if len(text.strip()) < fewest_characters:
        return f"It has fewer than {fewest_characters} characters."
    outside = plain(QUOTED.sub(" ", text))
    found = next((feature for feature in features if plain(feature) and plain(feature) in outside), "")
    return f"It says “{found}”." if found else ""


def plain(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("‘", "'").casefold().split())


def has_names(text: str, names: Sequence[str]) -> bool:
    """Return whether all of these names stand in a text, as words, regardless of case, accents and punctuation."""
    there = f" {alike_name(text)} "
    return all(f" {alike_name(name)} " in there for name in names)


def windows_of(text: str, most: int) -> list[str]:
    """The text in windows of whole sentences, at most `most` characters each where its sentences allow that, each
    beginning half a window after the previous one; the whole text if `most` is 0 or it is no longer.
    """
    if not most or len(text) <= most:
        return [text]
    spans = sentences(text)
    found, first = [], 0
    while first < len(spans):
        last = first
        while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= most:
            last += 1
        found.append(text[spans[first].start : spans[last].end][:most])
        if last == len(spans) - 1:
            break
        half = spans[first].start + most // 2
        step = next((number for number in range(first + 1, last + 1) if spans[number].start >= half), last + 1)
        first = step
    return found
