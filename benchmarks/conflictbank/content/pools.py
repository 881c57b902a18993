"""Draws the object that replaces a true one: from the objects of the same relation, never a true one."""

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

# After this many draws, the possible replacements are listed, so that a draw always ends.
MOST_DRAWS = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object of a relation: its row, its names in the form in which alike ones are equal, and the number of facts
    that have it, by which it is drawn more often.
    """

    number: int
    key: str
    name: str
    names: frozenset[str]
    types: frozenset[str] = frozenset()
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Truth:
    """The objects that are true of a subject and a relation, by their keys and by all their names; the subject is
    included, because no claim relates a subject to itself.
    """

    keys: frozenset[str]
    names: frozenset[str]

    def has(self, one: Candidate) -> bool:
        """Return whether this object is or may be true: a person who lives in "New York City" lives in "New York"."""
        if one.key in self.keys or not self.names.isdisjoint(one.names):
            return True
        return any(f" {name} " in f" {own} " or f" {own} " in f" {name} " for name in self.names for own in one.names)


class Pool:
    """The objects of one relation, in an order that does not depend on the order of facts."""

    def __init__(self, candidates: Iterable[Candidate]):
        self.candidates = sorted(candidates, key=lambda each: each.key)
        self.by_types: dict[frozenset[str], Drawing] = {}

    def draw(self, chance: Random, truth: Truth, types: frozenset[str]) -> Candidate | None:
        """An object that is not true; None if there is none. Where the types of the true object are known, only
        objects with one of them are drawn; if none has known types, objects without types.
        """
        if types not in self.by_types:
            self.by_types[types] = Drawing(self.of_types(types))
        return self.by_types[types].draw(chance, truth)

    def of_types(self, types: frozenset[str]) -> list[Candidate]:
        if not types:
            return self.candidates
        of_type = [each for each in self.candidates if not types.isdisjoint(each.types)]
        # The true object itself is of its own type.
        return of_type if len(of_type) > 1 else [*of_type, *(each for each in self.candidates if not each.types)]


class Drawing:
    """Draws among these candidates by their weights."""

    def __init__(self, candidates: Sequence[Candidate]):
        self.candidates = candidates
        self.sums = list(accumulate(each.weight for each in candidates))

    def draw(self, chance: Random, truth: Truth) -> Candidate | None:
        for _ in range(MOST_DRAWS if self.candidates else 0):
            drawn = self.one(chance)
            if not truth.has(drawn):
                return drawn
        left = [each for each in self.candidates if not truth.has(each)]
        return Drawing(left).one(chance) if left else None

    def one(self, chance: Random) -> Candidate:
        return self.candidates[bisect(self.sums, int(chance.random() * self.sums[-1]))]
