"""Matches the tags of an article's earlier revision with those of a later one. Values in, values out."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar


class Occurrence(Protocol):
    """A tag as it is, or was, in an article; both the rows and what extraction finds have these attributes."""

    raw: str
    family: str
    date: str
    section: str
    paragraph: str
    paragraph_clean: str


Old = TypeVar("Old", bound=Occurrence)
Key = Callable[[Any], tuple | None]

# From the surest sign to the weakest; None means no sign.
SIGNS: list[Key] = [
    lambda tag: (tag.raw, tag.paragraph),
    lambda tag: (tag.raw, tag.paragraph_clean) if tag.paragraph_clean else None,
    lambda tag: (tag.raw, tag.section),
    lambda tag: (tag.raw,),
    # A bot dated the tag, or an editor gave it a reason.
    lambda tag: (tag.family, tag.paragraph_clean) if tag.paragraph_clean else None,
    lambda tag: (tag.family, tag.section, tag.date) if tag.date else None,
]
# A tag that was removed comes back only at the same location: the same words elsewhere are a new tag.
SIGNS_OF_RETURN = 3


def match_tags(present: Sequence[Old], gone: Sequence[Old], found: Sequence[Occurrence]) -> list[Old | None]:
    """For each tag `found` in the new revision, its earlier counterpart, or None if it is new.

    `present` are the tags that the article had before, `gone` those it had lost, all in the order of the text. Each
    earlier tag is matched at most once. Identical tags are matched in order.
    """
    result: list[Old | None] = [None] * len(found)
    present_left, gone_left = list(present), list(gone)
    for number, sign in enumerate(SIGNS):
        present_left = _match_by(sign, present_left, found, result)
        if number < SIGNS_OF_RETURN:
            gone_left = _match_by(sign, gone_left, found, result)
    return result


def _match_by(sign: Key, old: list[Old], found: Sequence[Occurrence], result: list[Old | None]) -> list[Old]:
    """Fill in `result` where the signs agree; returns the old tags that are still without a counterpart."""
    waiting: dict[tuple, deque[Old]] = defaultdict(deque)
    for tag in old:
        key = sign(tag)
        if key is not None:
            waiting[key].append(tag)
    taken: set[int] = set()
    for position, new in enumerate(found):
        key = sign(new)
        if result[position] is None and key is not None and waiting.get(key):
            result[position] = match = waiting[key].popleft()
            taken.add(id(match))
    return [tag for tag in old if id(tag) not in taken]
