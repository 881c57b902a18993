"""Adjudicates differing judgments, and reopens adjudications."""

import random
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from string import ascii_uppercase
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.releases.reading import note_instances_read
from core.engine.queries.conditions import PreparedSet
from core.languages import say
from core.lists.pages import NEAR_A_CHIP, Window, count_each_up_to, on_a_chip
from core.models import Event, Role, User
from core.outside import required_text
from core.refusals import Refusal
from core.writing.locking import lock
from core.writing.reads import record_read
from judging.protocol.verdicts import Verdict

from ..models import (
    Adjudication,
    Judgment,
    ReviewAction,
    Round,
    Saw,
    SeenJudgments,
    SetAside,
    TakenBack,
)
from ..models.final_verdicts import AdjudicationQuerySet
from ..models.subjects import load_subjects
from .announcing import announce_if_finished
from .judgments import rule_out_others
from .keeping.registered import keeping_of
from .questionnaires import Answers
from .turns.seen import record_seen

LEASE = timedelta(minutes=30)


def adjudications_for(person: User) -> AdjudicationQuerySet:
    """The adjudications that a person may see and decide: as adjudicator all except those that they judged
    themselves, even if they took it back, or know from another round; and those that they judged in rounds where the
    people who judged adjudicate together.
    """
    judged = Judgment.objects.filter(item=OuterRef("item"), reviewer=person)
    # Few rounds, if any: named, so that who sees nothing of the others is not asked about each disagreement there.
    rounds = Round.objects.filter(adjudicate_among_two=True, reviewers__person=person).order_by()
    among_two = Q(round__in=rounds.values("pk")) & Exists(judged)
    if person.has_role(Role.ADJUDICATOR):
        known = SeenJudgments.objects.filter(item=OuterRef("item"), person=person, what=Saw.DOCUMENT)
        once = TakenBack.objects.filter(item=OuterRef("item"), reviewer=person)
        return Adjudication.objects.filter(~Exists(judged) & ~Exists(once) & ~Exists(known) | among_two)
    return Adjudication.objects.filter(among_two)


def waiting_for(person: User, *, at: datetime | None = None) -> AdjudicationQuerySet:
    """Adjudications waiting for this person, longest first, without those that another adjudicator has open."""
    free = Q(held_by=None) | Q(held_by=person) | Q(lease_expires_at__lte=at or timezone.now())
    set_aside = SetAside.objects.active().filter(instance=OuterRef("item__instance"))
    return adjudications_for(person).open().filter(free, ~Exists(set_aside)).order_by("opened_at", "pk")


def waiting_window(person: User, *, at: datetime | None = None) -> Window:
    """The adjudications waiting for this person, longest first. Without those hidden from them: the rows that a list
    reads would reveal their number.
    """
    at = at or timezone.now()
    waiting = _waiting(person.roles).has_each("pk", person=person.pk, at=at)
    return Window(Adjudication.objects.open().filter(waiting), ("opened_at", "pk"), is_whole=True)


def decided_window(person: User) -> Window:
    """The decided adjudications that this person may see, newest first; without hidden ones, as in
    `waiting_window`.
    """
    seen = _theirs(person.roles).has_each("pk", person=person.pk)
    return Window(Adjudication.objects.adjudicated().filter(seen), ("-adjudicated_at", "-pk"), is_whole=True)


@lru_cache
def _waiting(roles: frozenset[str]) -> PreparedSet:
    def found(person: int, at: datetime) -> QuerySet[Adjudication, Any]:
        return waiting_for(User.with_these_roles(person, roles), at=at).order_by().values("pk")

    return PreparedSet(found, person=int, at=datetime)


@lru_cache
def _theirs(roles: frozenset[str]) -> PreparedSet:
    def found(person: int) -> QuerySet[Adjudication, Any]:
        return adjudications_for(User.with_these_roles(person, roles)).order_by().values("pk")

    return PreparedSet(found, person=int)


def chip_counts(person: User) -> dict[str, str]:
    """The number waiting for this person, and the number of decided ones they may see, as precisely as a chip shows
    it.
    """
    windows = {"waiting": waiting_window(person), "decided": decided_window(person)}
    counts = count_each_up_to(
        NEAR_A_CHIP, {show: window.rows.order_by(*window.order) for show, window in windows.items()}
    )
    return {show: on_a_chip(count, count) for show, count in counts.items()}


LISTED = (
    "key",
    "cause",
    "times_reopened",
    "opened_at",
    "verdict",
    "adjudicated_at",
    "round__name",
    "round__questionnaire",
    "item__response",
    "item__instance__question",
    "item__subject_kind",
    "item__subject_number",
    "item__response__instance__question",
    "item__response__template__code",
    *(f"adjudicator__{name}" for name in User.NAMES),
)
SHOWN_WITH = ("round", "item__response__instance", "item__response__template", "item__instance", "adjudicator")


def listed_adjudications(adjudications: Collection[int]) -> list[Adjudication]:
    """These adjudications, given by primary key, unordered, with the values that the list shows."""
    found = Adjudication.objects.filter(pk__in=adjudications).order_by()
    listed = list(found.select_related(*SHOWN_WITH).only(*LISTED))
    load_subjects(each.item for each in listed)
    return listed


def find_adjudication(*, person: User, key: UUID | str) -> Adjudication:
    """The adjudication with this key. Raises `Refusal` (404) if this person may not adjudicate it."""
    found = (
        adjudications_for(person)
        .filter(key=key)
        .select_related("round", "item__response__template", "item__response__instance", "adjudicator")
        .first()
    )
    if found is None:
        raise Refusal(say("There is nothing at this address for you to adjudicate."), status=404)
    return found


def open_adjudication(*, person: User, key: UUID | str) -> Adjudication:
    """The adjudication with this key, for this person to read: it is held while it waits, and what they have seen is
    recorded, in the activity log if they are an admin. Raises `Refusal` (404) as `find_adjudication` does.
    """
    found = find_adjudication(person=person, key=key)
    if found.adjudicated_at is None:
        hold(found, person)
    record_seen(person=person, what=Saw.JUDGMENTS, items=[found.item])
    record_read([found], reader=person)
    if found.item.response_id and found.item.instance:
        note_instances_read([found.item.instance], reader=person)
    return found


def next_adjudication(*, person: User, after: Adjudication | None = None) -> Adjudication | None:
    """The adjudication that has waited longest, or the next after `after`, held for this person from now on; None
    without one.
    """
    at = timezone.now()
    waiting = waiting_for(person, at=at)
    if after is not None:
        later = Q(opened_at__gt=after.opened_at) | Q(opened_at=after.opened_at, pk__gt=after.pk)
        waiting = waiting.exclude(pk=after.pk)
        found = waiting.filter(later).first() or waiting.first()
    else:
        found = waiting.first()
    if found is not None:
        hold(found, person, at=at)
    return found


def hold(adjudication: Adjudication, person: User, *, at: datetime | None = None) -> None:
    """Keep an open one from being offered to others for a limited time. The first decision counts, whether held or
    not.
    """
    at = at or timezone.now()
    free = Q(held_by=None) | Q(held_by=person) | Q(lease_expires_at__lte=at)
    open_one = Adjudication.objects.open().filter(free, pk=adjudication.pk)
    open_one.update(held_by=person, lease_expires_at=at + LEASE)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the judgments, under a name that does not reveal its author."""

    name: str
    verdict: Verdict | None
    cannot_judge: str
    comment: str
    answers: Answers | None = None


def sides_of(adjudication: Adjudication) -> list[Side]:
    """All judgments in random order, the same each time for one adjudication."""
    judgments = list(Judgment.objects.ordinary().filter(item=adjudication.item_id).order_by("number"))
    random.Random(adjudication.key.int).shuffle(judgments)  # noqa: S311 - an order, not a secret
    return [
        Side(
            name=say("Judgment {letter}", letter=letter),
            verdict=Verdict(judgment.verdict) if judgment.verdict else None,
            cannot_judge=judgment.cannot_judge,
            comment=judgment.comment,
            answers=judgment.answers,
        )
        for letter, judgment in zip(ascii_uppercase, judgments, strict=False)
    ]


@transaction.atomic
def adjudicate(
    *,
    adjudication: Adjudication,
    person: User,
    reason: str,
    verdict: str = "",
    answers: Answers | None = None,
    at: datetime | None = None,
) -> Adjudication:
    """Decide the final verdict or, in a round with another questionnaire, the final answers, once. Repeating the call
    has no further effect.

    Raises `Refusal` if there is no reason, if the verdict or an answer is not offered, if the person may not
    adjudicate it, or if it is already decided.
    """
    at = at or timezone.now()
    # First the round, as where a judgment is reset: each would otherwise wait for the other.
    lock(Round.objects.filter(pk=adjudication.round_id))
    adjudication = find_adjudication(person=person, key=adjudication.key)
    reason = required_text(reason, say("Give a reason; it is kept with the verdict. Nothing was decided."))
    code = adjudication.round.questionnaire
    verdict, answers = keeping_of(code).decided(adjudication.item, verdict, answers)
    decided = (
        Adjudication.objects.open()
        .filter(pk=adjudication.pk)
        .update(
            verdict=verdict,
            answers=answers,
            reason=reason,
            adjudicator=person,
            adjudicated_at=at,
            held_by=None,
            lease_expires_at=None,
        )
    )
    if not decided:
        return _decided_already(adjudication, person, verdict, answers, reason)
    keeping_of(code).finish(adjudication, verdict, answers, at)
    rule_out_others(code, adjudication.item, person, answers)
    after = {"verdict": verdict} if answers is None else {"answers": answers}
    Event.record(ReviewAction.ADJUDICATED, adjudication, actor=person, after=after, message=reason)
    announce_if_finished(adjudication.round_id)
    return Adjudication.objects.get(pk=adjudication.pk)


def _decided_already(
    adjudication: Adjudication, person: User, verdict: str, answers: Answers | None, reason: str
) -> Adjudication:
    """The decision, if it is the one that this person has just made: a second click sends it again."""
    now = Adjudication.objects.get(pk=adjudication.pk)
    if now.adjudicator_id != person.pk:
        raise Refusal(say("Another person has just decided this one. Their verdict is kept; yours was not recorded."))
    if (now.verdict, now.answers, now.reason) != (verdict, answers, reason):
        raise Refusal(say("You have already decided this one. That is kept; to change it, reopen it first."))
    return now


@transaction.atomic
def reopen(*, adjudication: Adjudication, person: User, reason: str) -> Adjudication:
    """Withdraw a final verdict, to be decided again. Reports show the number reopened. Raises `Refusal` if it cannot
    be reopened.
    """
    why = say("Give a reason for reopening; it is kept in the activity log. Nothing was changed.")
    reason = required_text(reason, why)
    was = Adjudication.objects.get(pk=adjudication.pk)
    reopened = (
        Adjudication.objects.adjudicated()
        .filter(pk=was.pk)
        .update(
            verdict="",
            answers=None,
            reason="",
            adjudicator=None,
            adjudicated_at=None,
            opened_at=timezone.now(),
            times_reopened=models.F("times_reopened") + 1,
        )
    )
    if not reopened:
        raise Refusal(say("This one is already open."))
    keeping_of(was.round.questionnaire).withdraw_final(was.item)
    decided = {"verdict": was.verdict} if was.answers is None else {"answers": was.answers}
    Event.record(
        ReviewAction.REOPENED,
        was,
        actor=person,
        before={**decided, "reason": was.reason, "adjudicator": str(was.adjudicator)},
        message=reason,
    )
    return Adjudication.objects.get(pk=was.pk)
