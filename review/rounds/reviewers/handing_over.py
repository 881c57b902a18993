"""Reassigns or withdraws a person's open responses if they cannot judge them all."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q

from core.engine.writing.pieces import in_pieces, summed_in_pieces
from core.engine.writing.updates import update_each
from core.languages import say
from core.models import Event, Role, User
from core.refusals import Refusal
from core.writing.locking import lock

from ...models import (
    FEWEST_EACH,
    Adjudication,
    Judgment,
    JudgmentQuerySet,
    ReviewAction,
    Round,
    RoundReviewer,
    RoundState,
)
from ...models.people import JUDGE, may_judge
from ..dealing.order import spread
from ..rounds import check_reviewer, refuse_who_judges
from ..turns.seen import seen_by
from ..turns.turns import NOTHING_WRITTEN


def free_open(person: User, roles: Collection[str]) -> None:
    """Reassign a person's open work when their account is closed, or loses these roles: open judgments go to people
    in the round who have finished theirs, and open decisions to the next adjudicator. Existing judgments are kept.
    Does not report the amount: that would reveal it to an admin who judges in the same round. Call it in a
    transaction.
    """
    if JUDGE in roles:
        slots = Judgment.objects.open().ordinary().filter(reviewer=person)
        slots.update(reviewer=None, lease_expires_at=None, **NOTHING_WRITTEN)
    if Role.ADJUDICATOR in roles or not person.has_role(Role.ADJUDICATOR):
        Adjudication.objects.open().filter(held_by=person).update(held_by=None, lease_expires_at=None)


@dataclass(frozen=True, slots=True)
class HandedOver:
    moved: int
    # These people judge the response already, or have seen a judgment of it.
    stayed: int


def hand_over(
    *, reviewer: RoundReviewer, to: Sequence[RoundReviewer], admin: User, most: int | None = None
) -> HandedOver:
    """Reassign a person's open responses to others, in equal shares and at most `most` of them, beginning with those
    they would judge last.

    Nobody gets a response that they judge already or of which they have seen a judgment. This is planned without a
    lock and written in pieces, each of which checks again; if the process dies, the rest is unchanged. Raises
    `Refusal` if the admin judges in the round: the number of open responses would reveal the others' progress.
    """
    refuse_who_judges(reviewer.round, admin, say("reassign responses. Nothing was reassigned"))
    if not to or reviewer in to or any(each.round_id != reviewer.round_id for each in to):
        raise Refusal(say("Choose another reviewer of this round. Nothing was reassigned."), status=400)
    for each in to:
        check_reviewer(each.person)
    if not reviewer.round.is_open:
        raise Refusal(say("Responses can be reassigned only in an open round."))
    own = Judgment.objects.open().ordinary().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    slots = list(own.order_by("-position").values_list("pk", "item"))
    others = Judgment.objects.filter(item__in=own.values("item")).exclude(reviewer=reviewer.person_id)
    judged_by: dict[int, set[int | None]] = defaultdict(set)
    for item, person in others.values_list("item", "reviewer"):
        judged_by[item].add(person)
    seen = {each.person_id: set(own.filter(seen_by(each.person_id)).values_list("pk", flat=True)) for each in to}
    dealt: dict[int, list[int]] = {each.person_id: [] for each in to}
    stayed = 0
    for pk, item in slots:
        if most is not None and sum(map(len, dealt.values())) >= most:
            break
        free = [person for person in dealt if person not in judged_by[item] and pk not in seen[person]]
        if not free:
            stayed += 1
            continue
        dealt[min(free, key=lambda person: len(dealt[person]))].append(pk)
    # Logged before the first piece, in case the process dies.
    Event.record(
        ReviewAction.HANDED_OVER,
        reviewer,
        actor=admin,
        after={"to": [f"{each.person}: {len(dealt[each.person_id])}" for each in to]},
    )
    moved = sum(_receive(each, dealt[each.person_id], giver=reviewer) for each in to)
    stayed += sum(map(len, dealt.values())) - moved
    return HandedOver(moved=moved, stayed=stayed)


def _receive(receiver: RoundReviewer, slots: list[int], *, giver: RoundReviewer) -> int:
    """Give the receiver those of the slots that still belong to the giver, mixed into the receiver's unseen ones.
    Returns the number of these.
    """
    moved = 0

    def give(piece: list[int]) -> None:
        nonlocal moved
        moved += _move(piece, giver=giver, receiver=receiver)

    in_pieces(slots, give)
    if moved:
        _mix(receiver)
    return moved


def _move(slots: list[int], *, giver: RoundReviewer, receiver: RoundReviewer) -> int:
    theirs = Judgment.objects.filter(item=OuterRef("item"), reviewer=receiver.person_id)
    still_open = Judgment.objects.open().ordinary().filter(pk__in=slots, reviewer=giver.person_id)
    free = still_open.filter(~Exists(theirs), round__state=RoundState.OPEN).exclude(seen_by(receiver.person_id))
    numbers = list(free.values_list("pk", flat=True))
    try:
        with transaction.atomic():
            return still_open.filter(pk__in=numbers).update(
                reviewer=receiver.person_id, lease_expires_at=None, **NOTHING_WRITTEN
            )
    except IntegrityError:
        return 0  # the receiver has just taken another slot of one of these: this piece stays with the giver


def _mix(reviewer: RoundReviewer) -> None:
    """Shuffle the person's unseen slots; with expected gain, merge them in its order."""
    own = Judgment.objects.filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    seen = own.filter(Q(judged_at__isnull=False) | Q(lease_expires_at__isnull=False) | Q(item__kind="training"))
    last = seen.order_by("-position").values_list("position", "item__instance").first() or (-1, None)
    unseen = list(own.exclude(pk__in=seen.values("pk")).order_by("position", "pk").select_related("item"))
    if reviewer.round.by_gain:  # a slot has about the position that it had with its giver: the same wave
        order = list(range(len(unseen)))
    else:
        order = spread(
            [slot.item.instance_id for slot in unseen],
            seed=f"{reviewer.round.seed}:{reviewer.pk}:{len(unseen)}",
            after=last[1],
        )
    for position, number in enumerate(order, start=last[0] + 1):
        unseen[number].position = position
    in_pieces(unseen, lambda piece: update_each(Judgment, ["position"], piece))


@dataclass(frozen=True, slots=True)
class Withdrawn:
    withdrawn: int
    # These responses would be left with fewer than two judgments.
    stayed: int


def withdraw_open(*, reviewer: RoundReviewer, admin: User) -> Withdrawn:
    """Withdraw a person's open responses: each gets one judgment fewer, but never fewer than two, and its final
    verdict depends on the remaining ones. For people who leave when nobody in the round can take over their
    responses.

    Written in pieces; if the process dies, repeating it withdraws the rest. Raises `Refusal` if the round is not open
    or asks for two judgments, or if the admin judges in it: the rest would reveal the others' progress.
    """
    round = reviewer.round
    refuse_who_judges(round, admin, say("withdraw responses. Nothing was withdrawn"))
    if not round.is_open:
        raise Refusal(say("Responses can be withdrawn only in an open round."))
    if round.judgments_each == FEWEST_EACH:
        raise Refusal(say("Each response of this round needs both judgments: reassign them. Nothing was withdrawn."))
    own = _left_by(reviewer)
    numbers = list(own.values_list("pk", flat=True))
    # Logged before the first piece, in case the process dies.
    Event.record(ReviewAction.WITHDREW_OPEN, reviewer, actor=admin, after={"open": len(numbers)})
    withdrawn = summed_in_pieces(numbers, lambda piece: _withdraw(piece, reviewer))
    return Withdrawn(withdrawn=withdrawn, stayed=own.count())


def _left_by(reviewer: RoundReviewer) -> JudgmentQuerySet:
    """A person's open slots; if they may no longer judge, also the unassigned ones, where their slots went."""
    holds = Q(reviewer=reviewer.person_id)
    if not may_judge(reviewer.person):
        holds |= Q(reviewer=None)
    return Judgment.objects.open().ordinary().filter(holds, round=reviewer.round_id)


def _withdraw(slots: list[int], reviewer: RoundReviewer) -> int:
    # Withdrawing or completing another slot of one of these has to wait: each counts what is left.
    if not lock(Round.objects.filter(pk=reviewer.round_id, state=RoundState.OPEN)):
        return 0
    still_open = _left_by(reviewer).filter(pk__in=slots).select_for_update()
    items = dict(still_open.values_list("item", "pk"))
    counted = Judgment.objects.filter(item__in=items).order_by().values_list("item").annotate(count=Count("pk"))
    enough = [item for item, count in counted if count > FEWEST_EACH]
    Judgment.objects.filter(pk__in=[items[item] for item in enough]).delete()
    # Some may be complete now, so the clock has to check them again.
    Judgment.objects.filter(item__in=enough, paired_at__isnull=False).update(paired_at=None)
    return len(enough)
