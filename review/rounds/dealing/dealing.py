"""Deals subjects to people: two to five different people each, when the round starts. A questionnaire may ask for
one.

Everything is dealt before judging begins, so a person's items and their order depend on nobody else. There are two
exceptions: people who have finished take over responses that others left open, and an admin can hand open responses
over.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.engine.writing.inserts import Insert, insert, keys_for
from core.engine.writing.pieces import in_pieces, summed_in_pieces
from core.writing.locking import lock

from ...models import (
    Item,
    ItemKind,
    Judgment,
    KnownUse,
    KnownVerdict,
    Round,
    RoundReviewer,
    RoundState,
    Saw,
    SeenJudgments,
)
from ...models.subjects import INSTANCE, RESPONSE
from ...statistics.gain import WAVES
from ..questionnaires import Questionnaire, Subject, Wanted, questionnaire_of
from ..turns.seen import hand_back_all_seen
from .choosing import LeftOut, responses_of, untouched_items
from .gain import waves_of
from .order import deal_groups, spread

CHUNK = 1000
DEALING_LEASE = timedelta(minutes=2)
# Primary keys of a person and a subject.
Barred = set[tuple[int, int]]


def rounds_to_deal() -> models.QuerySet[Round]:
    """Rounds waiting to be dealt, or whose worker died while dealing them."""
    lapsed = Q(dealing_until=None) | Q(dealing_until__lte=timezone.now())
    return Round.objects.filter(lapsed, state=RoundState.DEALING)


def deal_round(round_id: int) -> bool:
    """Deal a round and open it. Returns False if that is already done or another worker is doing it.

    Written in pieces, so that other people can save in between. If the worker dies, nobody can judge in the round
    yet; the next worker starts over with the same result.
    """
    if not rounds_to_deal().filter(pk=round_id).update(dealing_until=timezone.now() + DEALING_LEASE):
        return False
    round = Round.objects.get(pk=round_id)
    in_pieces(list(round.items.values_list("pk", flat=True)), partial(_delete, round), most=CHUNK)
    questionnaire, reviewers = questionnaire_of(round.questionnaire), list(round.reviewers.order_by("pk"))
    chosen, blind, left_out = planned_deal(_wanted(round))
    taken = _deal(round, reviewers, [each for each, _ in blind], [group for _, group in blind])
    left_out[LeftOut.ELSEWHERE] = left_out.get(LeftOut.ELSEWHERE, 0) + taken
    _note_knowing(round, questionnaire, chosen)
    counts = {reason: count for reason, count in left_out.items() if count}
    return bool(
        Round.objects.filter(pk=round_id, state=RoundState.DEALING).update(
            state=RoundState.OPEN, left_out=counts, dealing_until=None
        )
    )


def _wanted(round: Round) -> Wanted:
    people = round.reviewers.order_by("pk").values_list("person", flat=True)
    return Wanted(round, responses_of(round), list(people))


def planned_deal(wanted: Wanted) -> tuple[list[Subject], list[tuple[Subject, tuple[int, ...]]], dict[str, int]]:
    """The subjects chosen for a round; those dealt, each with the positions of its reviewers; and the number left
    out, by reason. Nothing is written.
    """
    round, people, questionnaire = wanted.round, wanted.people, questionnaire_of(wanted.round.questionnaire)
    chosen, left_out = questionnaire.choose(wanted)
    random.Random(round.seed).shuffle(chosen)  # noqa: S311 - row numbers must not reveal their origin
    groups = deal_groups(len(chosen), len(people), round.judgments_each, seed=round.seed)
    blind = _blind_groups(
        chosen, groups, people, questionnaire.barred(people, chosen) | questionnaire.knowing(chosen)
    )
    left_out[LeftOut.SEEN] = len(chosen) - len(blind)
    return chosen, blind, left_out


def _go_on(round: Round) -> None:
    Round.objects.filter(pk=round.pk).update(dealing_until=timezone.now() + DEALING_LEASE)


def _delete(round: Round, items: list[int]) -> None:
    Item.objects.filter(pk__in=items).delete()
    _go_on(round)


def _blind_groups(
    chosen: list[Subject], groups: list[tuple[int, ...]], people: list[int], barred: Barred
) -> list[tuple[Subject, tuple[int, ...]]]:
    """The subjects with the people who judge them. A barred person, such as one who has seen a judgment or has been
    dealt another subject of the same source, is replaced by the person with the fewest items who is not. A subject
    without enough such people is left out.
    """
    load = Counter(person for group in groups for person in group)
    had: defaultdict[str, set[int]] = defaultdict(set)
    dealt = []
    for subject, group in zip(chosen, groups, strict=True):
        blind = [
            number
            for number, person in enumerate(people)
            if (person, subject.number) not in barred and number not in had[subject.source]
        ]
        kept = [person for person in group if person in blind]
        others = [person for person in blind if person not in group]
        others.sort(key=lambda person: (load[person], person))
        new = kept + others[: len(group) - len(kept)]
        load.subtract(group)
        if len(new) == len(group):
            load.update(new)
            dealt.append((subject, tuple(new)))
            if subject.source:
                had[subject.source].update(new)
    return dealt


def _deal(round: Round, reviewers: list[RoundReviewer], chosen: list[Subject], groups: list[tuple[int, ...]]) -> int:
    """Write the items and slots of a round. Returns the number of subjects that another round has taken in the
    meantime.
    """
    training = _known_items(round, KnownUse.TRAINING)
    checks = _known_items(round, KnownUse.CHECK)
    hands: list[list[int]] = [[] for _ in reviewers]
    for index, group in enumerate(groups):
        for person in group:
            hands[person].append(index)
    wave_of: dict[int, int] = {}
    if round.by_gain:
        wave_of = waves_of([subject.number for subject in chosen], runs=round.runs.all(), seed=round.seed)
    positions: list[dict[int, int]] = []
    for reviewer, dealt in zip(reviewers, hands, strict=True):
        kinds = [chosen[index].like for index in dealt] + [item.instance_id or 0 for item in checks]
        parts = [wave_of.get(chosen[index].number, 0) for index in dealt] + [item.pk % WAVES for item in checks]
        order = _in_waves(kinds, parts if round.by_gain else [0] * len(kinds), seed=_seed(round, reviewer))
        position_of = {number: len(training) + position for position, number in enumerate(order)}
        positions.append({index: position_of[number] for number, index in enumerate(dealt)})
        check_positions = [position_of[len(dealt) + number] for number in range(len(checks))]
        _deal_known(round, reviewer, training, checks, check_positions)

    def write(indexes: list[int]) -> int:
        taken = _write(round, chosen, indexes, groups, positions, reviewers)
        _go_on(round)
        return taken

    return summed_in_pieces(range(len(chosen)), write, most=CHUNK)


def _in_waves(kinds: list[int], waves: list[int], *, seed: str) -> list[int]:
    """The indexes in a random order within each wave, one wave after the other; neighbours are of different kinds."""
    order: list[int] = []
    for wave in sorted(set(waves)):
        mine = [index for index, each in enumerate(waves) if each == wave]
        last = kinds[order[-1]] if order else None
        order += [mine[at] for at in spread([kinds[index] for index in mine], seed=seed, after=last)]
    return order


def _seed(round: Round, reviewer: RoundReviewer) -> str:
    return f"{round.seed}:{reviewer.pk}"


def _write(
    round: Round,
    chosen: list[Subject],
    indexes: Sequence[int],
    groups: list[tuple[int, ...]],
    positions: list[dict[int, int]],
    reviewers: list[RoundReviewer],
) -> int:
    questionnaire = questionnaire_of(round.questionnaire)
    # Another round dealt at this moment may be about to take the same subjects.
    lock(Round.objects.filter(state=RoundState.DEALING))
    taken = _taken_elsewhere(questionnaire, [chosen[index].number for index in indexes])
    free = [index for index in indexes if chosen[index].number not in taken]
    items = dict(zip(free, keys_for({Item: len(free)})[Item], strict=True))
    insert(
        Insert.of(
            Item,
            id=item,
            round_id=round.pk,
            instance_id=chosen[index].instance,
            **_named(questionnaire, chosen[index]),
        )
        for index, item in items.items()
    )
    insert(
        Insert.of(
            Judgment,
            round_id=round.pk,
            item_id=item,
            number=number,
            reviewer_id=reviewers[person].person_id,
            position=positions[person][index],
        )
        for index, item in items.items()
        for number, person in enumerate(groups[index], start=1)
    )
    return len(taken)


def _named(questionnaire: Questionnaire, subject: Subject) -> dict[str, object]:
    """The columns of an item that identify its subject, besides the instance."""
    if questionnaire.judges in (RESPONSE, INSTANCE):
        response = subject.number if questionnaire.judges == RESPONSE else None
        return {"response_id": response, "subject_kind": "", "subject_number": None}
    return {"response_id": None, "subject_kind": questionnaire.judges, "subject_number": subject.number}


def _number_of(questionnaire: Questionnaire) -> str:
    """The column of an item with the number of this questionnaire's subject."""
    return questionnaire.judges if questionnaire.judges in (RESPONSE, INSTANCE) else "subject_number"


def _about(questionnaire: Questionnaire, subjects: Iterable[int]) -> Q:
    """Items about these subjects of the questionnaire."""
    kind = "" if questionnaire.judges in (RESPONSE, INSTANCE) else questionnaire.judges
    return Q(subject_kind=kind, **{f"{_number_of(questionnaire)}__in": subjects})


def _taken_elsewhere(questionnaire: Questionnaire, subjects: list[int]) -> set[int]:
    """The subjects among these that another round judges. Instances may be judged in several."""
    if questionnaire.judges == INSTANCE:
        return set()
    untouched_items().filter(_about(questionnaire, subjects)).delete()
    ordinary = Item.everything.filter(_about(questionnaire, subjects), kind=ItemKind.ORDINARY)
    return set(ordinary.values_list(_number_of(questionnaire), flat=True))


def _known_items(round: Round, use: KnownUse) -> list[Item]:
    """The round's training or check items, created if they do not exist yet."""
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
) -> int:
    """Give the person a slot for each training item, in a random order before everything else, and one for each check
    item, at these positions. Existing slots stay. Returns the number of new ones.
    """
    order = spread([item.instance_id for item in training], seed=f"training {_seed(round, reviewer)}")
    slots = [(training[number], position) for position, number in enumerate(order)]
    slots += zip(checks, positions, strict=True)
    has = set(Judgment.objects.filter(round=round, reviewer=reviewer.person_id).values_list("item", flat=True))
    return in_pieces(
        [
            Judgment(round=round, item=item, reviewer_id=reviewer.person_id, position=position)
            for item, position in slots
            if item.pk not in has
        ],
        Judgment.objects.bulk_create,
    )


def _note_knowing(round: Round, questionnaire: Questionnaire, chosen: list[Subject]) -> None:
    """Record everybody who already knows one of these subjects: they neither take it over, nor get it, nor decide on
    it, even if they join later or get other roles. People who learn of it later are recorded then (`rule_out`).
    Queried again, so that nobody is missed who did so while the round was dealt.
    """
    by_subject = defaultdict(list)
    for person, subject in questionnaire.knowing(chosen):
        by_subject[subject].append(person)
    if not by_subject:
        return
    items = round.items.filter(_about(questionnaire, by_subject), kind=ItemKind.ORDINARY)
    rows = [
        SeenJudgments(person_id=person, what=Saw.DOCUMENT, item_id=item)
        for item, subject in items.values_list("pk", _number_of(questionnaire))
        for person in by_subject[subject]
    ]
    in_pieces(rows, lambda piece: SeenJudgments.objects.bulk_create(piece, ignore_conflicts=True))
    hand_back_all_seen(round.judgments.all())


def deal_known_to(*, round: Round, reviewer: RoundReviewer) -> int:
    """Give a reviewer who joins an open round the training set, and the check items in a random order. Returns the
    number of new slots.
    """
    training = _known_items(round, KnownUse.TRAINING)
    checks = _known_items(round, KnownUse.CHECK)
    order = spread([item.instance_id for item in checks], seed=_seed(round, reviewer))
    positions = [len(training) + position for position in order]
    return _deal_known(round, reviewer, [] if reviewer.training_skipped_at else training, checks, positions)
