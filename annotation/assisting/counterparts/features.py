"""The features by which the counterpart of a text is found among others. Words in, numbers out."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .words import Words, opposites

Numbers = NDArray[np.float64]

# A sentence this far away counts 1/e of one that is at hand.
FAR = 2.0
# Each is named for the file of weights; what others added is printed by `speed.counterparts`.
NAMES = ("beginnings", "near", "after", "numbers")


def features(query: Words, texts: Sequence[Words], positions: Sequence[int], at: Sequence[int]) -> Numbers:
    """A row of `NAMES` for each text: the share of the query's words that it has, its nearness, its nearness if it is
    after the query, and the share again if both have numbers that the other lacks. The less any text has of the words
    of the query, the more nearness counts.

    Args:
        query: the text whose counterpart is sought.
        texts: all texts of the article, the query's own among them: they say which words are rare.
        positions: the texts to be ranked, by their position in `texts`.
        at: the positions of the query's own sentences; empty if it is from another article.
    """
    if not positions:
        return np.zeros((0, len(NAMES)))
    beginnings = shares(query.beginnings, [text.beginnings for text in texts], positions)
    near = nearness(positions, at) * (1 - beginnings.max())
    is_after = np.array([position > max(at, default=position) for position in positions])
    is_other_number = np.array([clashing_numbers(query, texts[position]) for position in positions])
    return np.stack([beginnings, near, near * is_after, beginnings * is_other_number], axis=1)


def shares(wanted: frozenset[str], sets: Sequence[frozenset[str]], positions: Sequence[int]) -> Numbers:
    """The share of what is wanted that each text has, from 0 to 1; the rarer a word among the texts, the more it
    counts.
    """
    counts = Counter(word for words in sets for word in words & wanted)
    weights = {word: math.log((len(sets) + 1) / (counts[word] + 0.5)) for word in sorted(wanted)}
    whole = math.fsum(weights.values()) or 1.0
    return np.array([math.fsum(weights[word] for word in wanted & sets[position]) / whole for position in positions])


def nearness(positions: Sequence[int], at: Sequence[int]) -> Numbers:
    """The closeness of each position to the query's sentences: 0 for those of another article."""
    if not at:
        return np.zeros(len(positions))
    first, last = min(at), max(at)
    away = np.array(
        [first - position if position < first else max(position - last, 1) for position in positions], dtype=float
    )
    return np.exp(-away / FAR)


def clashing_numbers(one: Words, other: Words) -> bool:
    """Return whether each has a number that the other lacks."""
    return bool(one.numbers - other.numbers) and bool(other.numbers - one.numbers)


def opposed(one: frozenset[str], other: frozenset[str]) -> list[tuple[str, str]]:
    """Pairs of stems that exclude each other, the first only in `one`, the second only in `other`."""
    table, only = opposites(), other - one
    return [
        (stem, against) for stem in sorted(one - other) for against in sorted(table.get(stem, frozenset()) & only)
    ]
