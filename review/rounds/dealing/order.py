"""Seeded randomness: proportional samples, pairs of reviewers, and orders that separate items of one kind.

Numbers in, numbers out. The same seed gives the same result on every machine.
"""

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import cycle, islice
from typing import TypeVar

T = TypeVar("T")


def stratified_sample(strata: Sequence[Hashable], size: int, *, seed: int) -> list[int]:
    """Indexes in `strata` of a sample of this size, ascending, each stratum in proportion to its size.

    Shares are rounded by the largest remainder (Hamilton's method), ties by the seed, so that the sample has exactly
    the requested size, or everything if there is less.
    """
    if size >= len(strata):
        return list(range(len(strata)))
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    members: dict[Hashable, list[int]] = defaultdict(list)
    for index, stratum in enumerate(strata):
        members[stratum].append(index)
    groups = list(members.values())
    chance.shuffle(groups)
    quotas = [divmod(len(group) * size, len(strata)) for group in groups]
    missing = size - sum(whole for whole, _ in quotas)
    by_remainder = sorted(range(len(groups)), key=lambda number: -quotas[number][1])
    rounded_up = set(by_remainder[:missing])
    chosen: list[int] = []
    for number, group in enumerate(groups):
        chosen += chance.sample(group, quotas[number][0] + (number in rounded_up))
    return sorted(chosen)


def deal_pairs(count: int, people: int, *, seed: int) -> list[tuple[int, int]]:
    """Two different people (0 .. people - 1) for each of `count` responses, at random.

    Loads differ by one at most, and so do the numbers of times that two people meet. Raises ValueError if there are
    fewer than two people.
    """
    if people < 2:
        raise ValueError("two judgments take two people")
    chance = random.Random(seed)  # noqa: S311
    names = list(range(people))
    chance.shuffle(names)
    meetings = islice(cycle(all_meetings(people)), count)
    dealt = [(names[one], names[other]) for one, other in meetings]
    dealt = [pair if chance.random() < 0.5 else pair[::-1] for pair in dealt]
    chance.shuffle(dealt)
    return dealt


def deal_groups(count: int, people: int, size: int, *, seed: int) -> list[tuple[int, ...]]:
    """`size` different people (0 .. people - 1) for each of `count` responses, at random: two as in `deal_pairs`.

    With more than two, each response goes to the people with the fewest responses; among equals to the one who has
    met those already chosen the least often, then by chance. So loads differ by one at most. Raises ValueError if
    there are too few people.
    """
    if size == 2:
        return list(deal_pairs(count, people, seed=seed))
    if people < size:
        raise ValueError(f"{size} judgments take {size} people")
    chance = random.Random(seed)  # noqa: S311
    load = [0] * people
    met = [[0] * people for _ in range(people)]
    dealt = []
    for _ in range(count):
        group: list[int] = []
        names = chance.sample(range(people), people)
        for _ in range(size):
            free = (person for person in names if person not in group)
            group.append(min(free, key=lambda person: (load[person], sum(met[person][other] for other in group))))
        for person in group:
            load[person] += 1
            for other in group:
                met[person][other] += person != other
        dealt.append(tuple(chance.sample(group, size)))
    chance.shuffle(dealt)
    return dealt


def all_meetings(people: int) -> list[tuple[int, int]]:
    """Every pair of people once, in an order in which nobody is ever two meetings ahead of anyone else.

    An even number meets as in a tournament, round by round (the circle method); an odd one along Walecki's
    Hamiltonian cycles (Lucas 1883, Récréations mathématiques II), on each first every other edge, then the rest.
    """
    last, ring = people - 1, people - 1
    if people % 2 == 0:
        return [
            pair
            for turn in range(ring)
            for pair in [
                (last, turn),
                *(((turn + step) % ring, (turn - step) % ring) for step in range(1, people // 2)),
            ]
        ]
    meetings = []
    for start in range(ring // 2):
        zigzag = [(start + (step + 1) // 2 * (1 if step % 2 else -1)) % ring for step in range(ring)]
        around = [last, *zigzag]
        edges = list(zip(around, [*around[1:], around[0]], strict=True))
        meetings += edges[::2] + edges[1::2]
    return meetings


def spread(kinds: Sequence[Hashable], *, seed: str | int, after: Hashable = None) -> list[int]:
    """The indexes 0 .. len(kinds) - 1 in a random order in which neighbours are of different kinds.

    Each kind is scattered over the whole order. `after` is the kind of the item before the first. If one kind makes
    up more than half, some of its members have to be neighbours.
    """
    chance = random.Random(seed)  # noqa: S311
    indexes: dict[Hashable, list[int]] = defaultdict(list)
    for index, kind in enumerate(kinds):
        indexes[kind].append(index)
    when: list[tuple[float, int]] = []
    for members in indexes.values():
        chance.shuffle(members)
        when += [((turn + chance.random()) / len(members), index) for turn, index in enumerate(members)]
    return _parted([index for _, index in sorted(when)], kinds, after)


def _parted(order: list[int], kinds: Sequence[Hashable], after: Hashable) -> list[int]:
    """The order with neighbours of one kind moved apart: forward to the next gap, otherwise back to an earlier
    one.
    """
    parted: list[int] = []
    held: list[int] = []  # all of one kind
    last = after
    for index in order:
        if kinds[index] == last:
            held.append(index)
            continue
        parted.append(index)
        last = kinds[index]
        if held and kinds[held[0]] != last:
            parted.append(held.pop(0))
            last = kinds[parted[-1]]
    return _put_back(parted, held, kinds, after)


def _put_back(order: list[int], left: list[int], kinds: Sequence[Hashable], after: Hashable) -> list[int]:
    """The order with the items in `left` put into gaps between other kinds, from the end; the rest stays at an
    end.
    """
    if not left:
        return order
    kind = kinds[left[0]]
    put: list[int] = []
    following: Hashable = None
    for index in reversed(order):
        if left and kind not in (kinds[index], following):
            put.append(left.pop())
        put.append(index)
        following = kinds[index]
    if left and kind not in (after, following):
        put.append(left.pop())
    return left + put[::-1] if kind != after else put[::-1] + left
