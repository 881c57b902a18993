"""Decides whether a quote hits the evidence: the rule of ContraDoc's released scorer, and extensions of it. Texts in,
hits out.

One contains the other, both of at least 20 characters, regardless of case and white space (`direct_find` in
eval_metric.py). A matcher that needs a model, BERTScore, comes from outside: see `Matcher`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from annotation.reading.sentences import Span, sentences

FEWEST_CHARACTERS = 20
# A quote longer than this many times the evidence says little of where the evidence is; a document handed back whole
# would always hit.
LONG = 5
CONTAINMENT = "containment"
# Characters that `nearest` compares in full, and how many candidates it compares.
MOST_COMPARED, CANDIDATES = 2_000, 20

# Of a reply with more quotes, only this many are shown to a matcher that needs a model, which takes a while for each.
MOST_MATCHED = 200
# From (quote, evidence) pairs, as they were written, to which of them hit.
Matcher = Callable[[Sequence[tuple[str, str]]], Sequence[bool]]


@dataclass(frozen=True, slots=True)
class Hit:
    """The first quote that hits: its rank from 1, and the name of the matcher."""

    rank: int
    matcher: str


def plain(text: str) -> str:
    """The text in its form for comparison: in lower case, with single blanks as white space, and none around it."""
    return " ".join(text.lower().split())


def contains(quote: str, evidence: str) -> bool:
    """Return whether one of two plain texts contains the other, both of at least 20 characters."""
    if min(len(quote), len(evidence)) < FEWEST_CHARACTERS:
        return False
    return quote in evidence or evidence in quote


def is_long(quote: str, evidence: str) -> bool:
    """Return whether a quote is more than five times as long as the evidence, white space aside."""
    return len(plain(quote)) > LONG * len(plain(evidence))


def hit_of(
    quotes: Iterable[str], evidence: str, *, matchers: Iterable[tuple[str, Matcher]] = (), without_long: bool = False
) -> Hit | None:
    """The first quote that hits the evidence; None if none does.

    The released rule is applied to all quotes before any other matcher, as it costs nothing and needs no component.
    `without_long` leaves out quotes over five times the evidence; the others keep their ranks.
    """
    wanted = plain(evidence)
    ranked = [(rank, quote, plain(quote)) for rank, quote in enumerate(quotes, start=1)]
    if without_long:
        ranked = [each for each in ranked if len(each[2]) <= LONG * len(wanted)]
    for rank, _, quote in ranked:
        if contains(quote, wanted):
            return Hit(rank, CONTAINMENT)
    shown = ranked[:MOST_MATCHED]
    for name, matcher in matchers:
        found = matcher([(quote, evidence) for _, quote, _ in shown])
        for (rank, _, _), is_hit in zip(shown, found, strict=True):
            if is_hit:
                return Hit(rank, name)
    return None


def where(quote: str, text: str) -> Span | None:
    """The offsets of a quote in a text, regardless of case and white space; None without a match."""
    wanted = plain(quote)
    if not wanted:
        return None
    squeezed, offsets = _squeezed(text)
    at = squeezed.find(wanted)
    return None if at < 0 else Span(offsets[at], offsets[at + len(wanted) - 1] + 1)


def shared(quote: str, evidence: str) -> Span | None:
    """The part of the evidence in a quote that hits by containment: the evidence in it, or all of it."""
    if not contains(plain(quote), plain(evidence)):
        return None
    return where(evidence, quote) or Span(0, len(quote))


def nearest(quote: str, text: str) -> Span | None:
    """The sentence of a text with the most words in common with a quote; None if the text has no sentence.

    Of several alike, such as all in a script without blanks, it is the one with most letters in common.
    """
    wanted = plain(quote)
    words = set(wanted.split())
    scored = [(_shared(words, others), sentence, span) for sentence, others, span in _plain_sentences(text)]
    best = max((score for score, _, _ in scored), default=0.0)
    close = [(sentence, span) for score, sentence, span in scored if score == best][:CANDIDATES]
    if len(close) > 1:
        close.sort(key=lambda each: -_likeness(wanted, each[0]))
    return close[0][1] if close else None


@lru_cache(maxsize=2)
def _plain_sentences(text: str) -> list[tuple[str, frozenset[str], Span]]:
    """The plain sentences, with their words. Cached for the next quote from the same document."""
    plains = [(plain(span.of(text)), span) for span in sentences(text)]
    return [(sentence, frozenset(sentence.split()), span) for sentence, span in plains]


def _shared(words: set[str], others: frozenset[str]) -> float:
    """The share of the words that are among the others, and the share of both that is in both."""
    both = len(words & others)
    return both / max(1, len(words)) + both / max(1, len(words | others))


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:MOST_COMPARED], other[:MOST_COMPARED], autojunk=False).ratio()


def _squeezed(text: str) -> tuple[str, list[int]]:
    """The plain text, and the offset in the text of each of its characters."""
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        if not character.isspace():
            lower = character.lower()
            characters.append(lower)
            offsets += [offset] * len(lower)
        elif characters and characters[-1] != " ":
            characters.append(" ")
            offsets.append(offset)
    return "".join(characters), offsets
