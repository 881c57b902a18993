"""Chooses the options of an item so that exactly one is right, and the counterfactual twin of an item. Names in,
names out; the same seed makes the same choices for any order of the candidates.
"""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from core.languages import say

from .content.names import alike_name, alike_names
from .items import (
    CORRECT_OPTION,
    LETTERS,
    OPTIONS,
    REPLACE_OPTION,
    UNCERTAIN,
    UNCERTAIN_OPTION,
)

# The two versions of an item: with “uncertain” at D, as released, or with a fourth object, as in the published code.
WITH_UNCERTAIN, FOUR_OBJECTS = 1, 2
VERSIONS = {WITH_UNCERTAIN: say("three objects and “uncertain”"), FOUR_OBJECTS: say("four objects")}


@dataclass(frozen=True)
class Named:
    """A subject or an object: its label, its aliases, and its types where they are known."""

    label: str
    aliases: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()

    @cached_property
    def names(self) -> frozenset[str]:
        """The label and all aliases in a form in which similar names are equal."""
        return alike_names((self.label, *self.aliases))


@dataclass(frozen=True)
class Fact:
    """A subject, a relation, its object, and all objects that are true of the subject, this one among them."""

    relation: str
    subject: Named
    object: Named
    true: tuple[Named, ...] = ()

    @cached_property
    def true_names(self) -> frozenset[str]:
        return frozenset().union(self.object.names, *(each.names for each in self.true))

    def is_true(self, one: Named) -> bool:
        """Return whether this object is true of the subject, by any label or alias."""
        return not one.names.isdisjoint(self.true_names)


def chance_of(seed: int, *about: str) -> random.Random:
    """The random generator of one item: the same seed gives the same numbers on every machine."""
    return random.Random("/".join((str(seed), *about)))  # noqa: S311 - a draw for a benchmark, not a secret


# --- Options --------------------------------------------------------------------------------------------------------

# After this many draws the objects are tried one by one, so that drawing always ends.
MOST_DRAWS = 50


class Objects:
    """The objects of a relation, each label once, in an order that does not depend on the order of facts."""

    def __init__(self, objects: Iterable[Named]):
        found = {each.label: each for each in sorted(objects, key=_sort_key)}
        self.objects = sorted(found.values(), key=_sort_key)

    def drawn(self, chance: random.Random) -> Iterator[Named]:
        """The objects in a drawn order, each of them once."""
        if not self.objects:
            return
        seen: set[int] = set()
        for _ in range(MOST_DRAWS):
            number = int(chance.random() * len(self.objects))
            if number not in seen:
                seen.add(number)
                yield self.objects[number]
        left = [number for number in range(len(self.objects)) if number not in seen]
        chance.shuffle(left)
        yield from (self.objects[number] for number in left)


def more_options(
    fact: Fact, replaced: Named, objects: Objects, *, version: int = WITH_UNCERTAIN, seed: int
) -> list[Named] | None:
    """The other objects among the options, one or two: drawn from the objects of the relation, none of them true of
    the subject, and none with a name that is, or contains, a name of another option. None if there are too few.
    """
    taken = {alike_name(UNCERTAIN), *fact.subject.names, *fact.true_names, *replaced.names}
    drawn: list[Named] = []
    for candidate in objects.drawn(chance_of(seed, fact.relation, fact.subject.label, "options")):
        if not are_alike(taken, candidate.names):
            drawn.append(candidate)
            taken |= candidate.names
        if len(drawn) == version:
            return drawn
    return None


def are_alike(names: Collection[str], others: Collection[str]) -> bool:
    """Return whether any two of these are the same, or one contains the other as whole words."""
    return any(f" {one} " in f" {other} " or f" {other} " in f" {one} " for one in names for other in others)


def as_published(
    fact: Fact, replaced: Named, objects: Objects, *, version: int = FOUR_OBJECTS, seed: int
) -> list[Named]:
    """The other objects that the published code draws: any objects of the relation besides the object and the
    replaced one, whether or not they are true of the subject.
    """
    labels = {fact.object.label, replaced.label}
    drawn = objects.drawn(chance_of(seed, fact.relation, fact.subject.label, "published"))
    return list(islice((each for each in drawn if each.label not in labels), version))


def _sort_key(one: Named) -> tuple[str, tuple[str, ...]]:
    return one.label, one.aliases


def laid_out(fact: Fact, replaced: Named, others: Sequence[Named], *, seed: int) -> dict[str, list[str] | str]:
    """The fields of the options: all objects in a drawn order; with one other object, “uncertain” is at D."""
    labels = [fact.object.label, replaced.label, *(each.label for each in others)]
    options = sorted(labels)
    chance_of(seed, fact.relation, fact.subject.label, "order").shuffle(options)
    letter = {label: LETTERS[at] for at, label in enumerate(options)}
    has_uncertain = len(options) < len(LETTERS)
    return {
        OPTIONS: [*options, UNCERTAIN] if has_uncertain else options,
        CORRECT_OPTION: letter[fact.object.label],
        REPLACE_OPTION: letter[replaced.label],
        UNCERTAIN_OPTION: LETTERS[-1] if has_uncertain else "",
    }


def right_options(fact: Fact, options: Iterable[Named]) -> list[Named]:
    """The options that are true of the subject; exactly one in a sound item."""
    return [each for each in options if fact.is_true(each)]


# --- Twins ----------------------------------------------------------------------------------------------------------


def by_object(facts: Iterable[Fact]) -> Mapping[tuple[str, str], list[Fact]]:
    """The facts by relation and each name of their object, those of one sorted by their subject."""
    found: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        for name in fact.object.names:
            found.setdefault((fact.relation, name), []).append(fact)
    for some in found.values():
        some.sort(key=lambda fact: _sort_key(fact.subject))
    return found


def twin_of(
    fact: Fact, replaced: Named, facts: Mapping[tuple[str, str], Sequence[Fact]], *, seed: int
) -> Fact | None:
    """The fact of the twin: another subject, of a common type where both are known, of which the replaced object is
    the true one, and the object is not true. In the twin the two change their roles. None if there is no such fact.
    """
    candidates = facts.get((fact.relation, alike_name(replaced.label)), ())
    fitting = [each for each in candidates if _fits(fact, each)]
    return chance_of(seed, fact.relation, fact.subject.label, "twin").choice(fitting) if fitting else None


def _fits(fact: Fact, other: Fact) -> bool:
    one_type = not (fact.subject.types and other.subject.types) or fact.subject.types & other.subject.types
    return (
        bool(one_type)
        and fact.subject.names.isdisjoint(other.subject.names)
        and fact.object.names.isdisjoint(other.subject.names)
        and not other.is_true(fact.object)
    )
