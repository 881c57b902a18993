"""Pairs of texts that may contradict each other, where no text is tagged: much alike, and different in one value, in
a denial or in opposites. Texts in, pairs out, in time that grows with the number of texts.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..clashes import clash_between
from ..values import DATE, NAME, NUMBER
from .features import clashing_numbers, opposed
from .words import Words, denies, stems_of, words_of

# A beginning that more texts have says too little to bring two together, and costs too much time.
_OFTEN = 8
# How many pairs are looked at closely, the most alike first: of a text without a tag, and of a tagged one.
_CLOSELY, _CLOSELY_IF_TAGGED = 25, 100
_LEAST_WORDS = 2
# Added to the likeness for each kind of difference.
NUMBERS = "numbers"
_EXTRA = {"opposites": 0.3, "denial": 0.3, DATE: 0.2, NUMBER: 0.2, NAME: 0.0, NUMBERS: 0.0}
# Added for the whole of what the tag's reason says.
_FOR_THE_REASON = 0.5
# Of the two texts, how much the shorter one counts in their likeness.
_SHORTER = 0.8
# The least score with which a pair becomes a candidate. A tag says that there is one, so less is enough.
FLOOR, FLOOR_IF_TAGGED = 0.6, 0.4


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts by their positions, a score of about 0 to 1.5, and the kind of difference ("" if none is seen)."""

    one: int
    two: int
    score: float
    kind: str


def pairs_in(texts: Sequence[str]) -> list[Pair]:
    """The pairs of these texts that may contradict each other, the likeliest first."""
    words = [words_of(text) for text in texts]
    alike = _alike(words, [frozenset()] * len(texts), lambda one, two: True)
    return _ranked(pair for pair in _compared(texts, words, alike[:_CLOSELY]) if pair.kind)


def tagged_pairs(
    texts: Sequence[str],
    within: Sequence[int] = (),
    *,
    others: Sequence[str] = (),
    reason: str = "",
    headings: Sequence[str] = (),
    most: int = 10,
) -> list[Pair]:
    """The likeliest pairs below a banner, which says that there is a contradiction: texts that are alike, also where
    no rule sees a difference.

    Args:
        texts: the article's texts in order.
        within: the positions of the section below the banner, which has at least one text of each pair; empty for
            the whole article.
        others: the texts of the other article: then each pair has one text of each, `two` being a position in it.
        reason: the reason that the tag gives: pairs with its words and sections are likelier.
        headings: the heading that each text is below, those of `others` after those of `texts`.
        most: the most pairs to return.
    """
    every = [*texts, *others]
    words = [words_of(text) for text in every]
    own, count = set(within or range(len(texts))), len(texts)

    def may_meet(one: int, two: int) -> bool:
        if others:
            return one in own and two >= count
        return one in own or two in own

    alike = _alike(words, _named(words, reason, headings), may_meet)
    found = _ranked(_compared(every, words, alike[:_CLOSELY_IF_TAGGED]))
    return [
        Pair(pair.one, pair.two - count if others else pair.two, pair.score, pair.kind)
        for pair in found[:most]
        if pair.score >= FLOOR_IF_TAGGED
    ]


def _named(words: Sequence[Words], reason: str, headings: Sequence[str]) -> list[frozenset[str]]:
    """The words and numbers of the reason that each text or its heading has."""
    said = words_of(reason)
    wanted = said.beginnings | said.numbers
    if not wanted:
        return [frozenset()] * len(words)
    above = {heading: words_of(heading).beginnings & wanted for heading in set(headings)}
    named = [(each.beginnings | each.numbers) & wanted for each in words]
    for at, heading in enumerate(headings):
        named[at] |= above[heading]
    return named


def _alike(
    words: Sequence[Words], named: Sequence[frozenset[str]], may_meet: Callable[[int, int], bool]
) -> list[tuple[float, int, int]]:
    """The likeness of each pair that shares rare words, with the share of the reason that it has; the most first."""
    weights = _weights(words)
    said = Counter(word for each in named for word in each)
    whole = math.fsum(1 / said[word] for word in sorted(said)) or 1.0
    found = []
    for one, two in _meeting(words):
        if may_meet(one, two) and (likeness := _likeness(words[one], words[two], weights)) > 0:
            share = math.fsum(1 / said[word] for word in sorted(named[one] | named[two])) / whole
            found.append((likeness + _FOR_THE_REASON * share, one, two))
    return sorted(found, key=lambda each: (-each[0], each[1], each[2]))


def _compared(
    texts: Sequence[str], words: Sequence[Words], alike: Sequence[tuple[float, int, int]]
) -> Iterator[Pair]:
    for likeness, one, two in alike:
        kind = _difference(texts[one], texts[two], words[one], words[two])
        yield Pair(one, two, likeness + _EXTRA.get(kind, 0.0), kind)


def _ranked(pairs: Iterator[Pair]) -> list[Pair]:
    return sorted(pairs, key=lambda pair: (-pair.score, pair.one, pair.two))


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
