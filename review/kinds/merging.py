"""Merges the answers of several people to one question. Values in, one value out; the order of the people never
matters.
"""

from collections.abc import Collection, Iterable, Sequence
from enum import Enum


class Differing(Enum):
    """Used instead of a value if people have to decide."""

    DIFFER = "differ"


DIFFER = Differing.DIFFER


def equal(values: Collection[str]) -> str | Differing:
    """The value, if all gave the same."""
    different = set(values)
    return different.pop() if len(different) == 1 else DIFFER


def both_yes(values: Iterable[Collection[str]]) -> bool | Differing:
    """Return whether all said yes to each question: `values` has the answers to each. False if all said no to one;
    people have to decide if they differ in any.
    """
    merged = [equal(each) for each in values]
    return DIFFER if DIFFER in merged else all(each == "yes" for each in merged)


def closer(values: Collection[str], order: Sequence[str]) -> str:
    """The value that comes first in `order`, which is from the closest to the farthest."""
    return min(values, key=order.index)


def union(values: Iterable[Collection[str]], order: Sequence[str]) -> list[str]:
    """All chosen values, in this order."""
    chosen = {each for one in values for each in one}
    return [each for each in order if each in chosen]
