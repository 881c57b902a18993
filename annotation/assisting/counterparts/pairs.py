"""Pairs of texts that may contradict each other, where no text is tagged: much alike, and different in one value, in
a denial or in opposites. Texts in, pairs out, in time that grows with the number of texts.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..clashes import clash_between
from ..values import DATE, NAME, NUMBER
from .features import clashing_numbers, opposed
from .words import Words, denies, stems_of, words_of

# A beginning that more texts have says too little to bring two together, and costs too much time.
_OFTEN = 8
# How many pairs are looked at closely, the most alike first.
_CLOSELY = 25
_LEAST_WORDS = 2
# Added to the likeness for each kind of difference.
NUMBERS = "numbers"
_EXTRA = {"opposites": 0.3, "denial": 0.3, DATE: 0.2, NUMBER: 0.2, NAME: 0.0, NUMBERS: 0.0}
# Of the two texts, how much the shorter one counts in their likeness.
_SHORTER = 0.8
# The least score with which a pair becomes a candidate.
FLOOR = 0.6


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts by their positions, a score of about 0 to 1.5, and the kind of difference."""

    one: int
    two: int
    score: float
    kind: str


def pairs_in(texts: Sequence[str]) -> list[Pair]:
    """The pairs of these texts that may contradict each other, the likeliest first."""
    words = [words_of(text) for text in texts]
    weights = _weights(words)
    alike = [
        (likeness, one, two)
        for one, two in _meeting(words)
        if (likeness := _likeness(words[one], words[two], weights)) > 0
    ]
    alike.sort(key=lambda each: (-each[0], each[1], each[2]))
    found = []
    for likeness, one, two in alike[:_CLOSELY]:
        if kind := _difference(texts[one], texts[two], words[one], words[two]):
            found.append(Pair(one, two, likeness + _EXTRA[kind], kind))
    return sorted(found, key=lambda pair: (-pair.score, pair.one, pair.two))


def _weights(words: Sequence[Words]) -> dict[str, float]:
    counts = Counter(beginning for each in words for beginning in each.beginnings)
    return {word: math.log((len(words) + 1) / (count + 0.5)) for word, count in counts.items()}


def _meeting(words: Sequence[Words]) -> Iterator[tuple[int, int]]:
    """Each pair of texts that share a beginning that few others have, once."""
    having: dict[str, list[int]] = defaultdict(list)
    for at, each in enumerate(words):
        for beginning in each.beginnings:
            having[beginning].append(at)
    met: set[tuple[int, int]] = set()
    for positions in having.values():
        if 2 <= len(positions) <= _OFTEN:
            met.update((one, two) for at, one in enumerate(positions) for two in positions[at + 1 :])
    yield from sorted(met)


def _likeness(one: Words, two: Words, weights: dict[str, float]) -> float:
    """The share of rare words that two texts have in common, mostly of the shorter one; 0 if they say the same."""
    shared = one.beginnings & two.beginnings
    if len(shared) < _LEAST_WORDS or (one.beginnings == two.beginnings and one.numbers == two.numbers):
        return 0.0
    least, most = sorted(math.fsum(weights[word] for word in sorted(each.beginnings)) for each in (one, two))
    whole = least**_SHORTER * most ** (1 - _SHORTER)
    return math.fsum(weights[word] for word in sorted(shared)) / whole if whole > 0 else 0.0


def _difference(one: str, two: str, words_1: Words, words_2: Words) -> str:
    """The kind of difference between two texts; "" if no rule sees one."""
    if clash := clash_between(one, two):
        return clash.kind
    if opposed(stems_of(one), stems_of(two)):
        return "opposites"
    if denies(one) != denies(two):
        return "denial"
    return NUMBERS if clashing_numbers(words_1, words_2) else ""
