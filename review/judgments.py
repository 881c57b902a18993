"""Giving a judgment, taking it back, and resetting one.

A judgment can be taken back for a fixed time, whatever the other person does, and counts only when that time is over:
so neither "undo" nor its end tells whether the other judgment is in. See docs/reviewing.md.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.errors import Refusal
from annotation.models import Event, User
from judging.verdicts import Verdict

from .models import (
    Adjudication,
    ItemKind,
    Judgment,
    Pair,
    Round,
    RoundReviewer,
    Settlement,
    TakenBack,
    TakenBackWhy,
)
from .turns import NOTHING_WRITTEN

COMMENT_LENGTH = 10_000
# A page left open over night is no night's work.
MOST_SECONDS = 3600
NOT_GIVEN = {"verdict": "", "cannot_judge": "", "judged_at": None, "undo_until": None, "paired_at": None}


def find_place(*, person: User, key: UUID | str) -> Judgment:
    """The place at this address, if it is the person's. Raises `Refusal` (404) for any other alike: never theirs, not
    theirs any more, or not there at all."""
    place = (
        Judgment.objects.filter(key=key, reviewer=person, round__is_import=False)
        .select_related("round", "item__known", "item__response__template")
        .first()
    )
    if place is None:
        raise not_yours()
    return place


def not_yours() -> Refusal:
    return Refusal(
        "This response is not yours to judge, or no longer: one that lies open for long, or that an admin hands "
        "over, goes to somebody else. Nothing was recorded; go on with your next one.",
        status=404,
    )


def record_judgment(
    *,
    place: Judgment,
    reviewer: User,
    verdict: str = "",
    cannot_judge: str = "",
    comment: str = "",
    seconds: int | None = None,
    at: datetime | None = None,
    is_import: bool = False,
) -> Judgment:
    """Write down a verdict, or why there can be none. The same one sent twice is one.

    One that was made elsewhere counts at once, and may be a verdict that the template does not offer. Raises
    `Refusal` for a verdict that is not offered, a closed round, a place that is somebody else's, and where the person
    has judged already otherwise.
    """
    at = at or timezone.now()
    if not is_import:
        verdict, cannot_judge = _checked(place, verdict, cannot_judge)
        if not place.round.is_open:
            raise Refusal("This round is closed, so nothing was recorded. An admin can open it again.")
    # The explanation of a training item is shown at once: from then on there is nothing to take back.
    at_once = is_import or place.item.kind == ItemKind.TRAINING
    undo = timedelta(minutes=0 if at_once else place.round.undo_minutes)
    given = {
        "verdict": verdict,
        "cannot_judge": cannot_judge,
        "comment": comment.strip()[:COMMENT_LENGTH],
        "seconds": None if seconds is None else max(0, min(seconds, MOST_SECONDS)),
        "judged_at": at,
        "undo_until": at + undo,
    }
    # One statement is a transaction of its own; around it, begin and commit would be two more trips to the database.
    if Judgment.objects.open().filter(pk=place.pk, reviewer=reviewer).update(**given):
        for name, value in given.items():
            setattr(place, name, value)
        return place
    now = Judgment.objects.select_related("round", "item__known", "item__response__template").get(pk=place.pk)
    if now.reviewer_id == reviewer.pk and now.is_given and (now.verdict, now.cannot_judge) == (verdict, cannot_judge):
        return now
    if now.reviewer_id != reviewer.pk:
        raise not_yours()
    raise Refusal(
        f"You judged this response already: {now.get_verdict_display().lower() or 'cannot judge'}. That stands; take "
        "it back first if you want to judge otherwise."
    )


def _checked(place: Judgment, verdict: str, cannot_judge: str) -> tuple[str, str]:
    cannot_judge = cannot_judge.strip()[:COMMENT_LENGTH]
    if not verdict:
        if not cannot_judge:
            raise Refusal("Choose a verdict, or say why you cannot judge. Nothing was recorded.", status=400)
        return "", cannot_judge
    offered = place.item.response.template.offered_verdicts
    if verdict not in offered:
        words = ", ".join(each.label.lower() for each in offered)
        raise Refusal(f"The verdicts for this template are: {words}. Nothing was recorded.", status=400)
    return Verdict(verdict), ""


@transaction.atomic
def take_back(*, place: Judgment, reviewer: User, at: datetime | None = None) -> Judgment:
    """Undo one's own judgment: the place is open again, for the same person. Raises `Refusal` once it is too late."""
    at = at or timezone.now()
    was = Judgment.objects.select_related("round").get(pk=place.pk)
    if not was.round.is_open:
        raise Refusal("This round is closed: judgments can no longer be taken back. An admin can open it again.")
    given = Judgment.objects.given().filter(pk=place.pk, reviewer=reviewer, undo_until__gt=at, paired_at=None)
    if not given.update(lease_expires_at=at + timedelta(minutes=was.round.lease_minutes), **NOT_GIVEN):
        if was.reviewer_id != reviewer.pk:
            raise not_yours()
        if not was.is_given:
            raise Refusal("There is no judgment to take back: this response is open.")
        raise Refusal("This judgment can no longer be taken back. An admin can reset it, if you say why.")
    _keep(was, why=TakenBackWhy.UNDO, by=reviewer)
    # The log tells no admin who reviews as well which response it was, nor what was said of it.
    subject = RoundReviewer.objects.get(round=was.round_id, person=reviewer)
    Event.record("took back a judgment", subject, actor=reviewer)
    return Judgment.objects.get(pk=place.pk)


def _keep(was: Judgment, *, why: TakenBackWhy, by: User, reason: str = "") -> None:
    TakenBack.objects.create(
        judgment=was,
        why=why,
        reviewer=was.reviewer,  # type: ignore[misc]  # a given judgment has a person and a time
        verdict=was.verdict,
        cannot_judge=was.cannot_judge,
        comment=was.comment,
        judged_at=was.judged_at,
        by=by,
        reason=reason,
    )


@transaction.atomic
def hand_in(*, reviewer: RoundReviewer, at: datetime | None = None) -> int:
    """Give up the time for taking back: all that the person judged counts from now on. Returns how many these are."""
    at = at or timezone.now()
    given = Judgment.objects.given().filter(round=reviewer.round_id, reviewer=reviewer.person_id, undo_until__gt=at)
    count = given.update(undo_until=at)
    if count:
        Event.record("handed in judgments", reviewer, actor=reviewer.person, after={"judgments": count})
    return count


@transaction.atomic
def reset_judgment(*, judgment: Judgment, admin: User, reason: str, to: User | None = None) -> Judgment:
    """Undo a judgment for its reviewer, who judges anew, or give the place to somebody else.

    The pair falls apart, and with it a final verdict on which the two agreed. Raises `Refusal` without a reason, in a
    closed round, where an adjudicator has settled the response, and where the reviewer may have seen the other
    judgment and is to judge again.
    """
    reason = reason.strip()
    if not reason:
        raise Refusal("Say why this judgment is reset: the reason stands in the log.", status=400)
    # A pair must not be put together from it in this instant.
    Round.objects.select_for_update(no_key=True).get(pk=judgment.round_id)
    was = Judgment.objects.select_related("round", "reviewer").get(pk=judgment.pk)
    if was.round.is_import or not was.round.is_open:
        raise Refusal("Judgments can be reset in an open round only. Open the round again first.")
    if not was.is_given:
        raise Refusal("There is no judgment to reset: this response is not judged yet.")
    adjudication = Adjudication.objects.select_for_update().filter(item=was.item_id).first()
    if adjudication and adjudication.settled_at:
        raise Refusal("This response was adjudicated. Reopen that first: a judgment is not changed beneath it.")
    was_complete = Pair.objects.filter(item=was.item_id).exists()
    if was_complete and was.round.settle_among_two and to in (None, was.reviewer):
        raise Refusal("In this round the two see each other's judgments once both are in: give it to somebody else.")
    new = _new_reviewer(was, to)
    Pair.objects.filter(item=was.item_id).delete()
    Settlement.objects.filter(item=was.item_id).delete()
    if adjudication:
        adjudication.delete()
    try:
        with transaction.atomic():
            Judgment.objects.filter(pk=was.pk).update(
                reviewer=new, lease_expires_at=None, **NOT_GIVEN, **NOTHING_WRITTEN
            )
    except IntegrityError as error:
        raise Refusal("This person judges the same response in the other place. Choose somebody else.") from error
    _keep(was, why=TakenBackWhy.RESET, by=admin, reason=reason)
    subject = RoundReviewer.objects.get(round=was.round_id, person=was.reviewer_id)
    changes = {"before": {"reviewer": str(was.reviewer)}, "after": {"reviewer": str(new)}} if to else {}
    Event.record("reset a judgment", subject, actor=admin, message=reason, **changes)
    return Judgment.objects.get(pk=was.pk)


def _new_reviewer(was: Judgment, to: User | None) -> User:
    if to is None or to == was.reviewer:
        return was.reviewer  # type: ignore[return-value]  # a given judgment has a person
    if was.number is None:
        raise Refusal("Training and check items have a place for each reviewer: this one cannot go to another.")
    if not RoundReviewer.objects.filter(round=was.round_id, person=to).exists():
        raise Refusal(f"{to} does not judge in this round. Add them to it first.")
    return to
