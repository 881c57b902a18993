"""A reviewer's next items, and their progress. Nothing here depends on the other person's work."""

import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import IntegrityError, models, transaction
from django.db.models import Case, Count, Exists, F, IntegerField, Max, OuterRef, Subquery, When
from django.utils import timezone

from core.engine.queries.instances import PreparedInstances
from core.engine.queries.updates import PreparedUpdate
from core.languages import say
from core.models import Event, User
from core.refusals import Refusal

from ...models import Judgment, ReviewAction, Round, RoundReviewer, RoundState, SetAside
from ...models.judgments import NOTHING_WRITTEN
from ..questionnaires import questionnaire_of
from .seen import seen_by

COLUMNS = tuple(field.name for field in Judgment._meta.concrete_fields)
# The number of candidates to try: more than the people who finish at the same moment.
CANDIDATES = 64


def _with_progress(reviewers: models.QuerySet[RoundReviewer]) -> models.QuerySet[RoundReviewer]:
    """Each with their round and the values of `progress`, in one query."""
    own = Judgment.objects.filter(round=OuterRef("round"), reviewer=OuterRef("person")).order_by()
    # Most projects set nothing aside, and then nothing is counted.
    counted = _not_set_aside(own.open().values("round")).annotate(count=Count("*")).values("count")
    left = Case(
        When(Exists(SetAside.objects.active()), Subquery(counted)),
        default=F("slots_open"),
        output_field=IntegerField(),
    )
    return reviewers.select_related("round").annotate(left=left)


def _not_set_aside(slots: models.QuerySet[Judgment, Any]) -> models.QuerySet[Judgment, Any]:
    """The condition that an instance is not set aside: nobody need judge responses that reports leave out."""
    return slots.exclude(item__instance__in=SetAside.objects.active().values("instance"))


REVIEWER = PreparedInstances(
    lambda person, key: _with_progress(RoundReviewer.objects.filter(person=person, round__key=key)),
    person=int,
    key=UUID,
)


def find_reviewer(*, person: User, round_key: UUID) -> RoundReviewer:
    """The person's part in a round, with their `progress`. Raises `Refusal` (404) if they have none: then they must
    not know of the round.
    """
    reviewer = REVIEWER.first(person=person.pk, key=round_key)
    if reviewer is None or reviewer.round.is_import:
        raise Refusal(say("There is no round at this address in which you judge."), status=404)
    reviewer.person = person
    return reviewer


def rounds_of(person: User) -> list[RoundReviewer]:
    """The rounds in which a person judges, with their `progress`: open ones first, among them the next deadline, then
    newest first; not those that are being dealt.
    """
    own = RoundReviewer.objects.filter(person=person, round__is_import=False)
    newest_first = _with_progress(own.exclude(round__state=RoundState.DEALING)).order_by("-round")
    return sorted(newest_first, key=lambda each: _urgency(each.round))


def _urgency(round: Round) -> tuple[bool, date]:
    return not round.is_open, (round.is_open and round.deadline) or date.max


@lru_cache
def _own_slots(count: int, questionnaire: str) -> PreparedInstances[Judgment]:
    """The first `count` slots dealt to a person and not judged yet, in their order, with the subjects for the
    questionnaire.
    """
    of = questionnaire_of(questionnaire)

    def own(round: int, reviewer: int) -> models.QuerySet[Judgment]:
        slots = _not_set_aside(Judgment.objects.open().filter(round=round, reviewer=reviewer))
        read = slots.select_related(*of.related)
        read = read.only(*COLUMNS, *of.columns) if of.columns else read
        return read.order_by("position", "pk")[:count]

    return PreparedInstances(own, round=int, reviewer=int)


def next_slots(reviewer: RoundReviewer, *, count: int = 2, at: datetime | None = None) -> list[Judgment]:
    """The person's next slots, which nobody else gets meanwhile; fewer if fewer remain.

    Their own come first, even with an expired lease, unless another person has taken them over. A person without any
    takes over slots that others left open.
    """
    at = at or timezone.now()
    if not reviewer.round.is_open or reviewer.paused_at:
        return []
    slots = _own_slots(count, reviewer.round.questionnaire).all(round=reviewer.round_id, reviewer=reviewer.person_id)
    while len(slots) < count:
        taken = _take_free_slot(reviewer, at=at)
        if taken is None:
            break
        slots.append(taken)
    _reserve(reviewer, slots, at=at)
    return slots


def _reserve(reviewer: RoundReviewer, slots: list[Judgment], *, at: datetime) -> None:
    """Renew leases that are half over, and begin one for the current slot.

    The slot behind it needs no lease yet. Its lease begins with the next write, which saves a write at every
    second verdict.
    """
    lease = timedelta(minutes=reviewer.round.lease_minutes)
    due = [slot.pk for slot in slots if slot.lease_expires_at is None or slot.lease_expires_at < at + lease / 2]
    half_over = [slot for slot in slots if slot.pk in due and slot.lease_expires_at]
    if half_over or (due and slots[0].lease_expires_at is None):
        # The same primary key twice if only one is due.
        RENEW.run(one=due[0], other=due[-1], person=reviewer.person_id, until=at + lease)


def _renewing(
    one: int, other: int, person: int, until: datetime
) -> tuple[models.QuerySet[Judgment], dict[str, object]]:
    return Judgment.objects.open().filter(pk__in=[one, other], reviewer=person), {"lease_expires_at": until}


# At most the current slot and the next one.
RENEW = PreparedUpdate(_renewing, one=int, other=int, person=int, until=datetime)


def _free_slots(round: int, person: int, at: datetime) -> models.QuerySet[Judgment]:
    """Slots that others left open, for which this person neither judges the other slot nor has seen a judgment; some
    of them, longest open first.
    """
    own = Judgment.objects.filter(item=OuterRef("item"), reviewer=person)
    free = Judgment.objects.to_be_had(at=at).ordinary().filter(~Exists(own), round=round)
    return _not_set_aside(free.exclude(seen_by(person))).order_by("lease_expires_at", "pk")[:CANDIDATES]


FREE = PreparedInstances(_free_slots, round=int, person=int, at=datetime)


def _take_free_slot(reviewer: RoundReviewer, *, at: datetime) -> Judgment | None:
    """Take over a free slot with a conditional UPDATE, whose row count says who won."""
    while True:
        candidates = FREE.all(round=reviewer.round_id, person=reviewer.person_id, at=at)
        if not candidates:
            return None
        random.shuffle(candidates)  # so that people who compete for one slot do not compete for the next one too
        for slot in candidates:
            if _take(slot, reviewer, at=at):
                related = questionnaire_of(reviewer.round.questionnaire).related
                return Judgment.objects.select_related(*related).get(pk=slot.pk)


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
    except IntegrityError:  # an admin has just given this person the other slot
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


def progress(reviewer: RoundReviewer) -> Progress:
    """The progress of a person returned by `find_reviewer` or `rounds_of`."""
    left = reviewer.left or 0  # type: ignore[attr-defined]  # from `_with_progress`
    return Progress(judged=reviewer.judged, left=left, seconds=reviewer.seconds)


def last_to_take_back(reviewer: RoundReviewer, *, given: Judgment | None = None) -> Judgment | None:
    """The person's last judgment, if it can still be taken back. `given` is the last, if the caller has it."""
    if given is None:
        own = Judgment.objects.given().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
        given = own.order_by("-judged_at", "-pk").first()
    return given if given and reviewer.round.is_open and given.can_be_taken_back() else None


def can_take_back(reviewer: RoundReviewer) -> models.QuerySet[Judgment]:
    """All judgments that the person can still take back, latest first."""
    given = Judgment.objects.given().filter(round=reviewer.round_id, reviewer=reviewer.person_id)
    return given.filter(undo_until__gt=timezone.now()).order_by("-judged_at", "-pk")


def slots_left(person: User) -> models.QuerySet[Judgment]:
    """The number of items waiting for a person, over all open rounds."""
    rounds = RoundReviewer.objects.filter(person=person, round__state=RoundState.OPEN, paused_at=None)
    slots = Judgment.objects.open().filter(reviewer=person, round__in=rounds.values("round"))
    return _not_set_aside(slots).order_by()
