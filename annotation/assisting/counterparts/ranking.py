"""Ranks an article's texts by how likely each is the counterpart of a tagged one. Texts in, positions out."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from .features import FAR, NAMES, Numbers, features, shares
from .words import Words, words_of

# The least chance of the best text for anything to be suggested, and of the others beside it: `speed.counterparts`
# prints how often suggestions are right from which chance on.
FLOOR, FLOOR_OF_OTHERS = 0.2, 0.05
_MANY = 20_000
_FEW = 20


@dataclass(frozen=True, slots=True)
class Ranked:
    """A text by its position, and its chance of being the counterpart, from 0 to 1, among at least 20 texts."""

    position: int
    chance: float


@lru_cache(maxsize=1)
def weights() -> Numbers:
    """The weights of the features, in the order of `NAMES`."""
    stored = json.loads((Path(__file__).parent / "weights.json").read_text())
    return np.array([stored["weights"][name] for name in NAMES])


def rank(
    query: str, texts: Sequence[str], at: Sequence[int] = (), *, reason: str = "", headings: Sequence[str] = ()
) -> list[Ranked]:
    """All texts that may be the counterpart, the likeliest first; of two alike, the earlier.

    Texts that only repeat the query are none, nor are those without words.

    Args:
        query: the tagged text.
        texts: the texts of the article in order: sentences, rows, captions. Beyond 20,000 they are not looked at.
        at: the positions of the tagged text itself; empty if it is from another article.
        reason: the reason that the tag gives: a text with its words is likelier.
        headings: the heading that each text is below, for reasons that name a section.
    """
    words = [words_of(text) for text in texts[:_MANY]]
    return rank_words(
        words_of(query), words, at, reason=reason, headings=headings, repeats=_letters(query), texts=texts
    )


def rank_words(
    query: Words,
    words: Sequence[Words],
    at: Sequence[int] = (),
    *,
    reason: str = "",
    headings: Sequence[str] = (),
    repeats: str = "",
    texts: Sequence[str] = (),
) -> list[Ranked]:
    """As `rank`, for texts whose words are known."""
    own = set(at)
    positions = [
        position
        for position, each in enumerate(words)
        if position not in own
        and (each.beginnings or each.numbers)
        and not (texts and repeats == _letters(texts[position]))
    ]
    if not positions or not query.beginnings:
        return []
    scores = features(query, words, positions, at) @ weights()
    scores += weights()[0] * _named(query, reason, words, positions, headings)
    chances = np.exp(scores - scores.max())
    # A short article lacks the texts that have nothing in common with the query, and would make its only other
    # sentence certain.
    chances /= chances.sum() + max(_FEW - len(positions), 0) * np.exp(_score_of_a_neighbour() - scores.max())
    order = np.argsort(-chances, kind="stable")
    return [Ranked(positions[at], float(chances[at])) for at in order]


def _score_of_a_neighbour() -> float:
    """The score of the next sentence where it has nothing in common with the query."""
    _, near, after, _ = weights()
    return math.exp(-1 / FAR) * float(near + after)


def likely(ranked: Sequence[Ranked], most: int = 3) -> list[Ranked]:
    """The best of them, where the first is likely enough to be suggested: none rather than wrong ones."""
    if not ranked or ranked[0].chance < FLOOR:
        return []
    return [one for one in ranked[:most] if one.chance >= FLOOR_OF_OTHERS]


def _named(
    query: Words, reason: str, words: Sequence[Words], positions: Sequence[int], headings: Sequence[str]
) -> Numbers:
    """The share that each text has of what the reason says beyond the query: its words, its numbers, its section."""
    said = words_of(reason)
    wanted = (said.beginnings - query.beginnings) | (said.numbers - query.numbers)
    if not wanted:
        return np.zeros(len(positions))
    above = {heading: words_of(heading).beginnings for heading in set(headings)}
    sets = [
        each.beginnings | each.numbers | (above[headings[position]] if position < len(headings) else frozenset())
        for position, each in enumerate(words)
    ]
    return shares(wanted, sets, positions)


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))
