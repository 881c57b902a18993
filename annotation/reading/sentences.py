"""Splits a text into sentences. The only splitter, for everything that counts or offers sentences: the desk's keys,
chance rates, gaps for an insertion, clicks. Text in, offsets out.

It is sentencex, which did best on the documents of a benchmark (docs/ has the figures).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import sentencex

from core.outside import storable

# The released documents are English. Its marks and abbreviations serve other languages, too: "." ends a sentence in
# most, and text without any mark is one sentence.
LANGUAGE = "en"
SPLITTER = "sentencex"
# Abbreviations that never end a sentence, and that the splitter does not know.
NEVER_LAST = re.compile(r"\b(?:approx|eds?|vols?)\.$", re.IGNORECASE)


class Span(NamedTuple):
    """A range of a text, from the character at `start` up to the one before `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@lru_cache(maxsize=4)
def sentences(text: str, language: str = LANGUAGE) -> Sequence[Span]:
    """The sentences of a text in their order, without the blanks around them; only blanks are between them. Cached
    for the next request about the same document: one of 2 MB has 20,000.
    """
    spans: list[Span] = []
    at = 0
    # The splitter takes no half of a surrogate pair; what stands for one is as long. Its sentences join to the text
    # again, and to ask it for their offsets would take five times as long.
    for part in sentencex.segment(language, storable(text)):
        said = part.rstrip()
        if said:
            goes_on = bool(spans) and NEVER_LAST.search(spans[-1].of(text)[-8:]) is not None
            start = spans.pop().start if goes_on else at + len(said) - len(said.lstrip())
            spans.append(Span(start, at + len(said)))
        at += len(part)
    return tuple(spans)


def gaps(text: str) -> list[int]:
    """The offsets at which a sentence can be inserted: before the first one, and after each."""
    found = sentences(text)
    return [found[0].start if found else 0, *(span.end for span in found)]
