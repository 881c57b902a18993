"""Records judgments, takes them back, and resets them.

A judgment can be taken back for a fixed time, regardless of other people, and counts only when that time is over: so
neither "undo" nor its end reveals whether another judgment exists. See docs/reviewing.md.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.engine.queries.instances import PreparedInstances
from core.languages import changed, say
from core.models import Event, User
from core.outside import required_text
from core.refusals import Refusal
from core.writing.locking import lock

from ..models import (
    Adjudication,
    Item,
    ItemKind,
    Judgment,
    ReviewAction,
    Round,
    RoundReviewer,
    TakenBack,
    TakenBackWhy,
)
from .keeping.registered import keeping_of
from .questionnaires import Answers, questionnaire_of
from .rounds import check_reviewer
from .turns.seen import has_seen, keep_seen, rule_out
from .turns.turns import COLUMNS, NOTHING_WRITTEN

COMMENT_LENGTH = 10_000
# A page left open overnight does not count as work all night.
MOST_SECONDS = 3600
NOT_GIVEN = {
    "verdict": "",
    "answers": None,
    "cannot_judge": "",
    "judged_at": None,
    "undo_until": None,
    "paired_at": None,
}


# The columns kept of a judgment that is taken back.
KEPT = ("reviewer", "verdict", "answers", "cannot_judge", "comment", "judged_at")
# The columns read with a slot to record a verdict and to explain it: a fifth of the columns of its round, response
# and template, each of which would be made a Python value at every verdict.
READ_WITH_SLOT = (
    *(f"round__{name}" for name in ("key", "state", "questionnaire", "undo_minutes", "lease_minutes", "is_import")),
    *(f"item__{name}" for name in ("kind", "round", "instance", "known__verdict", "known__explanation")),
    *("item__response__instance", "item__response__template__verdicts"),
)
SLOT = PreparedInstances(
    lambda person, key: (
        Judgment.objects.filter(key=key, reviewer=person, round__is_import=False)
        .select_related("round", "item__known", "item__response__template")
        .only(*COLUMNS, *READ_WITH_SLOT)
    ),
    person=int,
    key=UUID,
)


def find_slot(*, person: User, key: UUID) -> Judgment:
    """The slot at this address. Raises the same `Refusal` (404) if it was never the person's, is no longer theirs, or
    does not exist.
    """
    slot = SLOT.first(person=person.pk, key=key)
    if slot is None:
        raise not_yours()
    return slot


def not_yours() -> Refusal:
    return Refusal(
        say(
            "You do not judge this one, or no longer: it goes to another reviewer if it is left open for too long "
            "or an admin reassigns it. Nothing was recorded; continue with your next one."
        ),
        status=404,
    )


def record_judgment(
    *,
    slot: Judgment,
    reviewer: User,
    verdict: str = "",
    answers: Answers | None = None,
    cannot_judge: str = "",
    comment: str = "",
    seconds: int | None = None,
    at: datetime | None = None,
) -> Judgment:
    """Record a verdict or, in a round of another questionnaire, answers; or why there are none. Repeating the call
    has no further effect. `seconds` is the time taken.

    Raises `Refusal` if the verdict is not offered, if the round is closed, if the slot is another reviewer's, or if
    the person has already judged differently.
    """
    at = at or timezone.now()
    of, reason = keeping_of(slot.round.questionnaire), cannot_judge.strip()[:COMMENT_LENGTH]
    verdict, answers, cannot_judge = of.checked(slot, verdict, answers, reason)
    if not slot.round.is_open:
        raise _is_closed()
    # The explanation of a training item is shown at once: from then on there is nothing to take back.
    undo = timedelta(minutes=0 if slot.item.kind == ItemKind.TRAINING else slot.round.undo_minutes)
    given = given_values(
        verdict=verdict, cannot_judge=cannot_judge, comment=comment, seconds=seconds, at=at, undo=undo
    )
    if _give(slot, reviewer, given, answers):
        for name, value in given.items():
            setattr(slot, name, value)
        slot.answers = answers
        return slot
    found = Judgment.objects.select_related("round", "item__known", "item__response__template")
    now = found.filter(pk=slot.pk).first()
    if now is None:  # withdrawn meanwhile
        raise not_yours()
    same = (now.verdict, now.answers, now.cannot_judge) == (verdict, answers, cannot_judge)
    if now.reviewer_id == reviewer.pk and now.is_given and same:
        return now
    if now.reviewer_id != reviewer.pk:
        raise not_yours()
    if not now.is_given:  # the round was closed meanwhile
        raise _is_closed()
    said = changed(now.get_verdict_display(), str.lower) or (
        say("your answers are recorded") if now.answers else say("cannot judge")
    )
    raise Refusal(
        say(
            "You have already judged this response: {said}. That is kept; to change it, take it back first.",
            said=said,
        )
    )


def _is_closed() -> Refusal:
    return Refusal(say("This round is closed, so nothing was recorded. An admin can reopen it."))


def rule_out_others(questionnaire: str, item: Item, person: User, answers: Answers | None) -> None:
    """Record the items that a person must no longer judge after having judged or decided on this item of a round of
    this questionnaire.
    """
    rules_out = questionnaire_of(questionnaire).rules_out
    if rules_out is not None:
        rule_out(person=person, items=rules_out(item, answers))


def _give(slot: Judgment, reviewer: User, given: dict[str, object], answers: Answers | None) -> int:
    """Fill the slot if it is still open and this person's. Returns whether it was."""
    code = slot.round.questionnaire
    return keeping_of(code).give(
        slot, reviewer.pk, given, answers, lambda: rule_out_others(code, slot.item, reviewer, answers)
    )


def given_values(
    *, verdict: str, cannot_judge: str, comment: str, seconds: int | None, at: datetime, undo: timedelta = timedelta()
) -> dict[str, object]:
    """The column values of a given judgment; `undo` is the time during which it can be taken back."""
    return {
        "verdict": verdict,
        "cannot_judge": cannot_judge,
        "comment": comment.strip()[:COMMENT_LENGTH],
        "seconds": None if seconds is None else max(0, min(seconds, MOST_SECONDS)),
        "judged_at": at,
        "undo_until": at + undo,
    }


@transaction.atomic
def take_back(*, judgment: Judgment, reviewer: User, at: datetime | None = None) -> Judgment:
    """Undo the reviewer's own judgment: the slot is open again, for the same person. Raises `Refusal` if it is too
    late."""
    at = at or timezone.now()
    was = Judgment.objects.select_related("round").filter(pk=judgment.pk).first()
    if was is None:
        raise not_yours()
    if not was.round.is_open:
        raise Refusal(say("This round is closed: judgments can no longer be taken back. An admin can reopen it."))
    given = Judgment.objects.given().filter(pk=judgment.pk, reviewer=reviewer, undo_until__gt=at, paired_at=None)
    if not given.update(lease_expires_at=at + timedelta(minutes=was.round.lease_minutes), **NOT_GIVEN):
        if was.reviewer_id != reviewer.pk:
            raise not_yours()
        if not was.is_given:
            raise Refusal(say("There is no judgment to take back: this response is open."))
        raise Refusal(say("This judgment can no longer be taken back. An admin can reset it if you give a reason."))
    _keep(was, why=TakenBackWhy.UNDO, by=reviewer)
    # The log does not reveal the response or the verdict to admins who also review.
    subject = RoundReviewer.objects.get(round=was.round_id, person=reviewer)
    Event.record(ReviewAction.TOOK_BACK_JUDGMENT, subject, actor=reviewer)
    return Judgment.objects.get(pk=judgment.pk)


def _keep(was: Judgment, *, why: TakenBackWhy, by: User, reason: str = "") -> None:
    TakenBack.objects.create(
        item_id=was.item_id,
        judgment=was,
        why=why,
        by=by,
        reason=reason,
        **{name: getattr(was, name) for name in KEPT},
    )


@transaction.atomic
def submit_judgments(*, reviewer: RoundReviewer, at: datetime | None = None) -> int:
    """End the time for taking back: all of the person's judgments count from now on. Returns their number."""
    at = at or timezone.now()
    given = Judgment.objects.given().filter(round=reviewer.round_id, reviewer=reviewer.person_id, undo_until__gt=at)
    count = given.update(undo_until=at)
    if count:
        Event.record(ReviewAction.SUBMITTED, reviewer, actor=reviewer.person, after={"judgments": count})
    return count


@transaction.atomic
def reset_judgment(*, judgment: Judgment, admin: User, reason: str, to: User | None = None) -> Judgment:
    """Undo a judgment, so that its reviewer judges again, or reassign the slot to another reviewer.

    Its pairs are deleted, and with them a final verdict on which people agreed. Raises `Refusal` if there is no
    reason, if the round is closed, if an adjudicator has decided on the response, or if the new reviewer has seen
    another person's judgment of it.
    """
    reason = required_text(reason, say("Give a reason for the reset; it is kept in the activity log."))
    # No pair may be made from it at this moment.
    lock(Round.objects.filter(pk=judgment.round_id))
    was = Judgment.objects.select_related("round", "reviewer").get(pk=judgment.pk)
    if was.round.is_import or not was.round.is_open:
        raise Refusal(say("Judgments can be reset only in an open round. Reopen the round first."))
    if not was.is_given:
        raise Refusal(say("There is no judgment to reset: this response is not judged yet."))
    adjudication = Adjudication.objects.select_for_update().filter(item=was.item_id).first()
    if adjudication and adjudication.adjudicated_at:
        raise Refusal(say("This response was adjudicated. Reopen the adjudication first. Nothing was reset."))
    was_complete = keeping_of(was.round.questionnaire).completed_at(was) is not None
    if was_complete and was.round.adjudicate_among_two and to in (None, was.reviewer):
        raise Refusal(
            say(
                "In this round people see the other judgments of a response once all are complete: give it to "
                "another reviewer."
            )
        )
    new = _new_reviewer(was, to)
    keep_seen(was)
    if has_seen(person=new, judgment=was.pk):
        raise Refusal(
            say(
                "{new} has seen a judgment of this response. Give it to another reviewer. Nothing was reset.", new=new
            )
        )
    keeping_of(was.round.questionnaire).withdraw(was.item)
    if adjudication:
        adjudication.delete()
    try:
        with transaction.atomic():
            Judgment.objects.filter(pk=was.pk).update(
                reviewer=new, lease_expires_at=None, **NOT_GIVEN, **NOTHING_WRITTEN
            )
    except IntegrityError as error:
        raise Refusal(
            say("This person already judges this response in another slot. Choose another reviewer.")
        ) from error
    _keep(was, why=TakenBackWhy.RESET, by=admin, reason=reason)
    subject = RoundReviewer.objects.get(round=was.round_id, person=was.reviewer_id)
    changes = {"before": {"reviewer": str(was.reviewer)}, "after": {"reviewer": str(new)}} if to else {}
    Event.record(ReviewAction.RESET, subject, actor=admin, message=reason, **changes)
    return Judgment.objects.get(pk=was.pk)


def _new_reviewer(was: Judgment, to: User | None) -> User:
    if to is None or to == was.reviewer:
        check_reviewer(was.reviewer)  # type: ignore[arg-type]  # a given judgment has a person
        return was.reviewer  # type: ignore[return-value]
    check_reviewer(to)
    if was.number is None:
        raise Refusal(say("Training and check items have a slot for each reviewer: it cannot be given to another."))
    if not RoundReviewer.objects.filter(round=was.round_id, person=to).exists():
        raise Refusal(say("{to} does not judge in this round. Add them to it first.", to=to))
    return to
