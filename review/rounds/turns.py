"""What a reviewer judges next, and how far they are. Nothing here looks at what the other person did."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, models, transaction
from django.db.models import Count, Exists, Max, OuterRef, Sum
from django.utils import timezone

from core.models import Event, User
from core.refusals import Refusal

from ..models import Judgment, ReviewAction, RoundReviewer, RoundState, SetAside
from ..models.judgments import NOTHING_WRITTEN
from .seen import seen_by

# What the judging page shows of a slot.
SHOWN = ("item__response__template", "item__response__instance", "item__response__resolved")
# Candidates looked at in one go: more than people who finish in the same instant.
CANDIDATES = 64


def find_reviewer(*, person: User, round_key: UUID | str) -> RoundReviewer:
    """The person's part in a round. Raises `Refusal` (404) where they have none: then the round is not theirs to
    know of."""
    reviewer = RoundReviewer.objects.filter(person=person, round__key=round_key).select_related("round").first()
    if reviewer is None or reviewer.round.is_import:
        raise Refusal("There is no round at this address in which you judge.", status=404)
    reviewer.person = person
    return reviewer


def rounds_of(person: User) -> list[RoundReviewer]:
    """The rounds in which a person judges, newest first; not those that are being dealt."""
    return list(
        RoundReviewer.objects.filter(person=person, round__is_import=False)
        .exclude(round__state=RoundState.DEALING)
        .select_related("round")
        .order_by("-round")
    )


def open_slots(reviewer: RoundReviewer) -> models.QuerySet[Judgment]:
    """What is dealt to the person and not judged yet, in their order."""
    own = Judgment.objects.open().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    return without_set_aside(own).order_by("position", "pk")


def without_set_aside(slots: models.QuerySet[Judgment]) -> models.QuerySet[Judgment]:
    """Nobody need judge what reports leave out. Most projects set nothing aside, and then this costs no join."""
    set_aside = list(SetAside.objects.active().values_list("instance", flat=True))
    return slots.exclude(item__instance__in=set_aside) if set_aside else slots


def next_slots(
    reviewer: RoundReviewer,
    *,
    count: int = 2,
    own: models.QuerySet[Judgment] | None = None,
    at: datetime | None = None,
) -> list[Judgment]:
    """The next slots of this person, which nobody else is given; fewer where there is less to do.

    One's own (`open_slots`, where the caller has them) come first, also where the lease lapsed and nobody took them.
    Who has none left takes over what others left lying open.
    """
    at = at or timezone.now()
    if not reviewer.round.is_open or reviewer.paused_at:
        return []
    own = open_slots(reviewer) if own is None else own
    slots = list(own.select_related(*SHOWN)[:count])
    while len(slots) < count:
        taken = _take_free_slot(reviewer, at=at)
        if taken is None:
            break
        slots.append(taken)
    _reserve(reviewer, slots, at=at)
    return slots


def _reserve(reviewer: RoundReviewer, slots: list[Judgment], *, at: datetime) -> None:
    """Renew leases that are half over, and begin one for the slot at hand.

    A slot that waits behind it and has none stays its reviewer's without: its lease begins with the next writing, so
    that every second verdict costs a write less.
    """
    lease = timedelta(minutes=reviewer.round.lease_minutes)
    due = [slot.pk for slot in slots if slot.lease_expires_at is None or slot.lease_expires_at < at + lease / 2]
    half_over = [slot for slot in slots if slot.pk in due and slot.lease_expires_at]
    if half_over or (due and slots[0].lease_expires_at is None):
        own = Judgment.objects.open().filter(pk__in=due, reviewer=reviewer.person_id)
        own.update(lease_expires_at=at + lease)


def _free_slots(reviewer: RoundReviewer, *, at: datetime) -> models.QuerySet[Judgment]:
    """What others left lying open, of which this person neither judges the other slot nor has seen a judgment."""
    own = Judgment.objects.filter(item=OuterRef("item"), reviewer=reviewer.person_id)
    free = Judgment.objects.to_be_had(at=at).ordinary().filter(~Exists(own), round=reviewer.round_id)
    return without_set_aside(free.exclude(seen_by(reviewer.person_id)))


def _take_free_slot(reviewer: RoundReviewer, *, at: datetime) -> Judgment | None:
    """Take over a free slot by an UPDATE that says what must still be true; the row count says who won."""
    while True:
        candidates = list(_free_slots(reviewer, at=at).order_by("lease_expires_at", "pk")[:CANDIDATES])
        if not candidates:
            return None
        random.shuffle(candidates)  # who finds one taken shall not meet the same people at the next one
        for slot in candidates:
            if _take(slot, reviewer, at=at):
                return Judgment.objects.select_related(*SHOWN).get(pk=slot.pk)


def _take(slot: Judgment, reviewer: RoundReviewer, *, at: datetime) -> bool:
    last = Judgment.objects.filter(round=reviewer.round_id, reviewer=reviewer.person_id).aggregate(
        position=Max("position")
    )
    try:
        with transaction.atomic():
            taken = (
                Judgment.objects.to_be_had(at=at)
                .filter(pk=slot.pk)
                .update(
                    reviewer=reviewer.person_id,
                    position=(last["position"] or 0) + 1,
                    lease_expires_at=at + timedelta(minutes=reviewer.round.lease_minutes),
                    **NOTHING_WRITTEN,
                )
            )
            if taken:
                Event.record(ReviewAction.TOOK_OVER, reviewer, actor=reviewer.person)
    except IntegrityError:  # an admin gave this person the other slot in this instant
        return False
    return bool(taken)


@dataclass(frozen=True, slots=True)
class Progress:
    """One person's progress in a round, from their own work alone."""

    judged: int
    left: int
    seconds: int

    @property
    def total(self) -> int:
        return self.judged + self.left

    @property
    def minutes(self) -> int:
        return round(self.seconds / 60)

    @property
    def percent(self) -> int:
        return 100 * self.judged // self.total if self.total else 100


def progress(reviewer: RoundReviewer, own: models.QuerySet[Judgment] | None = None) -> Progress:
    """How far the person is; `own` are their `open_slots`, where the caller has them."""
    own = open_slots(reviewer) if own is None else own
    given = Judgment.objects.given().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    # Of all rows, not of keys: then the index alone answers, also for a person who judged 20,000.
    done = given.aggregate(judged=Count("*"), seconds=Sum("seconds"))
    return Progress(judged=done["judged"], left=own.count(), seconds=done["seconds"] or 0)


def last_to_take_back(reviewer: RoundReviewer, *, at: datetime | None = None) -> Judgment | None:
    """The person's last judgment, if it can still be taken back."""
    given = Judgment.objects.given().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    last = given.order_by("-judged_at", "-pk").first()
    return last if last and reviewer.round.is_open and last.can_be_taken_back(at=at) else None


def can_take_back(reviewer: RoundReviewer, *, at: datetime | None = None) -> models.QuerySet[Judgment]:
    """All that the person can still take back, last first."""
    given = Judgment.objects.given().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    return given.filter(undo_until__gt=at or timezone.now()).order_by("-judged_at", "-pk")


def left_for(person: User) -> int:
    """How many responses are waiting for a person, over all open rounds."""
    rounds = RoundReviewer.objects.filter(person=person, round__state=RoundState.OPEN, paused_at=None)
    slots = Judgment.objects.open().filter(reviewer=person, round__in=rounds.values("round"))
    return without_set_aside(slots).count()
