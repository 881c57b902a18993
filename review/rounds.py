"""Rounds and the people in them: begin, close, open again, pause, hand over; and how far a round is."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.errors import Refusal
from annotation.models import Event, Role, User
from judging.models import Run

from .choosing import count_left_out
from .dealing import deal_known_to
from .models import Adjudication, Item, ItemKind, Judgment, Pair, Round, RoundReviewer, RoundState, Settlement
from .order import spread
from .pairing import complete_pairs
from .turns import NOTHING_WRITTEN


@transaction.atomic
def create_round(
    *,
    admin: User,
    name: str,
    runs: Collection[Run],
    reviewers: Collection[User],
    sample_size: int | None = None,
    seed: int = 5,
    with_training: bool = True,
    training_required: bool = True,
    check_items: int = 0,
    settle_among_two: bool = False,
    lease_minutes: int = 30,
    undo_minutes: int = 15,
) -> Round:
    """A round that waits to be dealt (`review.dealing.deal_round`).

    Raises `Refusal` for fewer than two reviewers, somebody who is none, a name that is taken, and where the runs hold
    nothing that could be judged.
    """
    if len(set(reviewers)) < 2:
        raise Refusal("Two judgments of each response take two people at least. No round was made.", status=400)
    for person in reviewers:
        _check_reviewer(person)
    if not runs or not count_left_out(runs)[""]:
        raise Refusal("These runs hold no response that waits to be judged. No round was made.")
    try:
        with transaction.atomic():
            round = Round.objects.create(
                name=name,
                sample_size=sample_size,
                seed=seed,
                with_training=with_training,
                training_required=training_required,
                check_items=check_items,
                settle_among_two=settle_among_two,
                lease_minutes=lease_minutes,
                undo_minutes=undo_minutes,
                created_by=admin,
            )
    except IntegrityError as error:
        raise Refusal(f"There is a round called “{name}” already. Choose another name.") from error
    round.runs.set(runs)
    RoundReviewer.objects.bulk_create(
        RoundReviewer(round=round, person=person) for person in sorted(set(reviewers), key=lambda each: each.pk)
    )
    Event.record(
        "began a round",
        round,
        actor=admin,
        after={
            "name": name,
            "runs": [run.pk for run in runs],
            "reviewers": [str(person) for person in reviewers],
            "sample": sample_size,
            "seed": seed,
        },
    )
    return round


def _check_reviewer(person: User) -> None:
    if not person.is_active or not person.has_role(Role.REVIEWER):
        raise Refusal(f"{person} has no role as a reviewer. Nothing was changed.", status=400)


def find_round(pk: int) -> Round:
    round = Round.objects.filter(pk=pk).first()
    if round is None:
        raise Refusal("There is no such round.", status=404)
    return round


@transaction.atomic
def close_round(*, round: Round, admin: User, at: datetime | None = None) -> Round:
    """Nobody judges in it from now on; what was judged counts at once. What lacks a judgment has no final verdict."""
    at = at or timezone.now()
    if not Round.objects.filter(pk=round.pk, state=RoundState.OPEN).update(state=RoundState.CLOSED, closed_at=at):
        raise Refusal("Only an open round can be closed.")
    Judgment.objects.given().filter(round=round, undo_until__gt=at).update(undo_until=at)
    complete_pairs(round=round, at=at)
    Event.record("closed", round, actor=admin, before={"state": "open"}, after={"state": "closed"})
    return Round.objects.get(pk=round.pk)


@transaction.atomic
def reopen_round(*, round: Round, admin: User) -> Round:
    """Judging goes on where it stopped. What another round took over meanwhile stays there."""
    closed = Round.objects.filter(pk=round.pk, state=RoundState.CLOSED, is_import=False)
    if not closed.update(state=RoundState.OPEN, closed_at=None):
        raise Refusal("Only a closed round can be opened again.")
    Event.record("opened again", round, actor=admin, before={"state": "closed"}, after={"state": "open"})
    return Round.objects.get(pk=round.pk)


def is_settled(round: Round) -> bool:
    """Closed, and no disagreement left. Only then may those who judged in it learn which models they judged."""
    return round.state == RoundState.CLOSED and not Adjudication.objects.open().filter(round=round).exists()


def hidden_from(person: User) -> QuerySet[Round]:
    """Rounds whose verdicts, counts and models this person must not see, whatever other roles they hold: those in
    which they judge and that are not settled."""
    disagreements = Adjudication.objects.open().filter(round=OuterRef("pk"))
    unsettled = ~Q(state=RoundState.CLOSED) | Exists(disagreements)
    return Round.objects.filter(unsettled, reviewers__person=person, is_import=False)


def is_hidden_from(round: Round, person: User) -> bool:
    return hidden_from(person).filter(pk=round.pk).exists()


def find_round_reviewer(round: Round, person_id: int) -> RoundReviewer:
    reviewer = round.reviewers.filter(person=person_id).select_related("person", "round").first()
    if reviewer is None:
        raise Refusal("This person does not judge in this round.", status=404)
    return reviewer


@transaction.atomic
def add_reviewer(*, round: Round, person: User, admin: User) -> RoundReviewer:
    """Let somebody join an open round: they get the training set and the check items, other work by handing over or
    when others leave something open."""
    _check_reviewer(person)
    if not round.is_open:
        raise Refusal("People can be added to an open round only.")
    reviewer, is_new = RoundReviewer.objects.get_or_create(round=round, person=person)
    if not is_new:
        raise Refusal(f"{person} judges in this round already.")
    deal_known_to(round=round, reviewer=reviewer)
    Event.record("joined", reviewer, actor=admin, after={"round": round.name, "reviewer": str(person)})
    return reviewer


@transaction.atomic
def pause_reviewer(*, reviewer: RoundReviewer, admin: User) -> None:
    """Give this person nothing more. The response that they have open may still be judged."""
    if not RoundReviewer.objects.filter(pk=reviewer.pk, paused_at=None).update(paused_at=timezone.now()):
        raise Refusal(f"{reviewer.person} is paused already.")
    Event.record("paused", reviewer, actor=admin)


@transaction.atomic
def resume_reviewer(*, reviewer: RoundReviewer, admin: User) -> None:
    if not RoundReviewer.objects.filter(pk=reviewer.pk, paused_at__isnull=False).update(paused_at=None):
        raise Refusal(f"{reviewer.person} is not paused.")
    Event.record("resumed", reviewer, actor=admin)


@transaction.atomic
def skip_training(*, reviewer: RoundReviewer) -> None:
    """Leave out the rest of the training set, where the round allows it."""
    if reviewer.round.training_required:
        raise Refusal("The training set comes first in this round.")
    training = Judgment.objects.open().filter(
        round=reviewer.round_id, reviewer=reviewer.person_id, item__kind=ItemKind.TRAINING
    )
    left_out = training.count()
    training.delete()
    RoundReviewer.objects.filter(pk=reviewer.pk).update(training_skipped_at=timezone.now())
    Event.record("skipped the training set", reviewer, actor=reviewer.person, after={"left out": left_out})


@dataclass(frozen=True, slots=True)
class HandedOver:
    moved: int
    # The person judges the response in the other place, so it had to stay.
    stayed: int


@transaction.atomic
def hand_over(
    *, reviewer: RoundReviewer, to: Sequence[RoundReviewer], admin: User, most: int | None = None
) -> HandedOver:
    """Give open responses of one person to others, evenly, `most` at most; those last in their order first."""
    if not to or reviewer in to or any(each.round_id != reviewer.round_id for each in to):
        raise Refusal("Choose somebody else who judges in this round. Nothing was handed over.", status=400)
    if not reviewer.round.is_open:
        raise Refusal("Responses can be handed over in an open round only.")
    own = Judgment.objects.open().ordinary().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    places = list(own.select_for_update().order_by("-position").values_list("pk", "item"))
    gone = dict(
        Judgment.objects.filter(item__in=own.values("item"))
        .exclude(reviewer=reviewer.person_id)
        .values_list("item", "reviewer")
    )
    dealt: dict[int, list[int]] = {each.person_id: [] for each in to}
    stayed = 0
    for pk, item in places:
        if most is not None and sum(map(len, dealt.values())) >= most:
            break
        free = [person for person in dealt if gone.get(item) != person]
        if not free:
            stayed += 1
            continue
        dealt[min(free, key=lambda person: len(dealt[person]))].append(pk)
    for each in to:
        _receive(each, dealt[each.person_id])
    moved = sum(map(len, dealt.values()))
    Event.record(
        "handed over responses",
        reviewer,
        actor=admin,
        after={"to": [f"{each.person}: {len(dealt[each.person_id])}" for each in to]},
    )
    return HandedOver(moved=moved, stayed=stayed)


def _receive(reviewer: RoundReviewer, places: list[int]) -> None:
    """Mix places into what the person has not seen yet."""
    if not places:
        return
    try:
        with transaction.atomic():
            Judgment.objects.filter(pk__in=places).update(
                reviewer=reviewer.person_id, lease_expires_at=None, **NOTHING_WRITTEN
            )
    except IntegrityError as error:
        raise Refusal("Somebody took one of these responses in this instant. Try again.") from error
    own = Judgment.objects.filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    seen = own.filter(Q(judged_at__isnull=False) | Q(lease_expires_at__isnull=False) | Q(item__kind="training"))
    last = seen.order_by("-position").values_list("position", "item__instance").first() or (-1, None)
    unseen = list(own.exclude(pk__in=seen.values("pk")).order_by("position", "pk").select_related("item"))
    order = spread(
        [place.item.instance_id for place in unseen],
        seed=f"{reviewer.round.seed}:{reviewer.pk}:{len(unseen)}",
        after=last[1],
    )
    for position, number in enumerate(order, start=last[0] + 1):
        unseen[number].position = position
    Judgment.objects.bulk_update(unseen, ["position"], batch_size=500)


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """How far a round is. What may still be taken back is not counted as judged."""

    responses: int
    judgments: int
    pairs: int
    agreed: int
    could_not: int
    open_disagreements: int
    adjudicated: int
    reopened: int
    final: int

    @property
    def without_verdict(self) -> int:
        return self.responses - self.final


def round_progress(round: Round) -> RoundProgress:
    ordinary = Item.objects.filter(round=round, kind=ItemKind.ORDINARY)
    pairs = Pair.objects.filter(round=round).aggregate(
        count=Count("pk"), could_not=Count("pk", filter=Q(verdict_1="") | Q(verdict_2=""))
    )
    adjudications = Adjudication.objects.filter(round=round).aggregate(
        count=Count("pk"),
        open=Count("pk", filter=Q(settled_at=None)),
        reopened=Count("pk", filter=Q(times_reopened__gt=0)),
    )
    return RoundProgress(
        responses=ordinary.count(),
        judgments=Judgment.objects.ordinary().fixed().filter(round=round).count(),
        pairs=pairs["count"],
        agreed=pairs["count"] - adjudications["count"],
        could_not=pairs["could_not"],
        open_disagreements=adjudications["open"],
        adjudicated=adjudications["count"] - adjudications["open"],
        reopened=adjudications["reopened"],
        final=Settlement.objects.filter(item__round=round).count(),
    )
