"""Who judges which response: two different people each, dealt when the round starts.

All is dealt beforehand, so that what a person is shown, and in which order, depends on nobody else. Only who has
finished takes over what others left lying open, and an admin can hand open responses over.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TypeVar

from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from .choosing import LeftOut, choose_responses, untouched_items
from .models import Item, ItemKind, Judgment, KnownUse, KnownVerdict, Round, RoundReviewer, RoundState
from .order import deal_pairs, spread

T = TypeVar("T")
CHUNK = 1000
DEALING_LEASE = timedelta(minutes=2)
# response, instance, whether it is a training or check item
Dealt = tuple[int, int]


def rounds_to_deal() -> models.QuerySet[Round]:
    """Rounds that wait to be dealt, or whose worker has gone."""
    lapsed = Q(dealing_until=None) | Q(dealing_until__lte=timezone.now())
    return Round.objects.filter(lapsed, state=RoundState.DEALING)


def deal_round(round_id: int) -> bool:
    """Deal a round and open it. False where that is done, or another worker is at it.

    Written piece by piece, so that other people's saves get in between. A worker that dies leaves a round in which
    nobody can judge yet; the next one starts anew, with the same result.
    """
    if not rounds_to_deal().filter(pk=round_id).update(dealing_until=timezone.now() + DEALING_LEASE):
        return False
    round = Round.objects.get(pk=round_id)
    for items in _chunks(list(round.items.values_list("pk", flat=True))):
        Item.objects.filter(pk__in=items).delete()
        _go_on(round)
    chosen, left_out = choose_responses(round.runs.all(), sample_size=round.sample_size, seed=round.seed)
    random.Random(round.seed).shuffle(chosen)  # noqa: S311 - numbers of rows shall tell nothing of their origin
    left_out[LeftOut.ELSEWHERE] = left_out.get(LeftOut.ELSEWHERE, 0) + _deal(round, chosen)
    counts = {reason: count for reason, count in left_out.items() if count}
    return bool(
        Round.objects.filter(pk=round_id, state=RoundState.DEALING).update(
            state=RoundState.OPEN, left_out=counts, dealing_until=None
        )
    )


def _go_on(round: Round) -> None:
    Round.objects.filter(pk=round.pk).update(dealing_until=timezone.now() + DEALING_LEASE)


def _chunks(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), CHUNK):
        yield rows[start : start + CHUNK]


def _deal(round: Round, chosen: list[Dealt]) -> int:
    """Write the items and places of a round. Returns how many responses another round took meanwhile."""
    reviewers = list(round.reviewers.order_by("pk"))
    pairs = deal_pairs(len(chosen), len(reviewers), seed=round.seed)
    training = _known_items(round, KnownUse.TRAINING)
    checks = _known_items(round, KnownUse.CHECK)
    hands: list[list[int]] = [[] for _ in reviewers]
    for place, pair in enumerate(pairs):
        for person in pair:
            hands[person].append(place)
    positions: list[dict[int, int]] = []
    for reviewer, hand in zip(reviewers, hands, strict=True):
        kinds = [chosen[place][1] for place in hand] + [item.instance_id for item in checks]
        order = spread(kinds, seed=_seed(round, reviewer))
        position_of = {number: len(training) + position for position, number in enumerate(order)}
        positions.append({place: position_of[number] for number, place in enumerate(hand)})
        check_positions = [position_of[len(hand) + number] for number in range(len(checks))]
        _deal_known(round, reviewer, training, checks, check_positions)
    taken = 0
    for places in _chunks(range(len(chosen))):
        taken += _write(round, chosen, places, pairs, positions, reviewers)
        _go_on(round)
    return taken


def _seed(round: Round, reviewer: RoundReviewer) -> str:
    return f"{round.seed}:{reviewer.pk}"


@transaction.atomic
def _write(
    round: Round,
    chosen: list[Dealt],
    places: Sequence[int],
    pairs: list[tuple[int, int]],
    positions: list[dict[int, int]],
    reviewers: list[RoundReviewer],
) -> int:
    responses = [chosen[place][0] for place in places]
    untouched_items().filter(response__in=responses).delete()
    ordinary = Item.objects.filter(response__in=responses, kind=ItemKind.ORDINARY)
    taken = set(ordinary.values_list("response", flat=True))
    free = [place for place in places if chosen[place][0] not in taken]
    items = Item.objects.bulk_create(
        Item(round=round, response_id=chosen[place][0], instance_id=chosen[place][1]) for place in free
    )
    Judgment.objects.bulk_create(
        Judgment(
            round=round,
            item=item,
            number=number,
            reviewer_id=reviewers[person].person_id,
            position=positions[person][place],
        )
        for place, item in zip(free, items, strict=True)
        for number, person in enumerate(pairs[place], start=1)
    )
    return len(taken)


def _known_items(round: Round, use: KnownUse) -> list[Item]:
    """The round's training or check items, made where they are not there yet."""
    kind = ItemKind(use)
    if there := list(round.items.filter(kind=kind).order_by("pk")):
        return there
    known = list(KnownVerdict.objects.filter(use=use, is_offered=True).select_related("response").order_by("pk"))
    if use == KnownUse.CHECK:
        known = random.Random(round.seed).sample(known, min(round.check_items, len(known)))  # noqa: S311
    elif not round.with_training:
        known = []
    return Item.objects.bulk_create(
        Item(round=round, response=each.response, instance_id=each.response.instance_id, kind=kind, known=each)
        for each in known
    )


def _deal_known(
    round: Round, reviewer: RoundReviewer, training: list[Item], checks: list[Item], positions: list[int]
) -> None:
    """A place at each training item, in an own order before all else, and at each check item at the positions."""
    order = spread([item.instance_id for item in training], seed=f"training {_seed(round, reviewer)}")
    places = [(training[number], position) for position, number in enumerate(order)]
    Judgment.objects.bulk_create(
        Judgment(round=round, item=item, reviewer_id=reviewer.person_id, position=position)
        for item, position in [*places, *zip(checks, positions, strict=True)]
    )


def deal_known_to(*, round: Round, reviewer: RoundReviewer) -> None:
    """For somebody who joins a round that runs: the training set, and the check items in an order of their own."""
    training = _known_items(round, KnownUse.TRAINING)
    checks = _known_items(round, KnownUse.CHECK)
    order = spread([item.instance_id for item in checks], seed=_seed(round, reviewer))
    _deal_known(round, reviewer, training, checks, [len(training) + position for position in order])
