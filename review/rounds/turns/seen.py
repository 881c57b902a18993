"""Records who has seen other people's judgments of which responses.

Every view that shows another person's judgment calls `record_seen` first; code that gives a person a response to
judge leaves out the seen ones. See docs/reviewing.md.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from core.engine.writing.inserts import Insert, insert
from core.engine.writing.pieces import in_pieces, summed_in_pieces
from core.models import User

from ...models import (
    Item,
    Judgment,
    JudgmentQuerySet,
    Round,
    Saw,
    SeenJudgments,
)
from ...models.judgments import NOTHING_WRITTEN
from ..keeping.registered import keeping_of

# A page shows at most this many responses; more than that are only in files.
PAGE = 500


def record_seen(
    *,
    person: User,
    what: Saw,
    rounds: Iterable[Round] = (),
    responses: Iterable[int] = (),
    items: Collection[Item] = (),
    at: datetime | None = None,
) -> None:
    """Record that the person is shown judgments: all that count at `at` in these rounds, and those of these responses
    (given by primary key) and items. A repeated call costs no write. Written in pieces, so do not call it in a
    transaction.
    """
    at = at or timezone.now()
    by_item = [item for item in items if item.response_id is None]
    responses = [*responses, *(item.response_id for item in items if item.response_id is not None)]
    if by_item:
        _write_items(person, what, by_item, at)
    whole = [SeenJudgments(person=person, what=what, round=round, at=at) for round in rounds]
    in_pieces(whole, _write_rounds)
    shown = sorted(set(responses))
    if not shown:
        return
    noted = _noted(person, what)
    known = set(noted.filter(response__in=shown) if len(shown) <= PAGE else noted)
    values = {"person_id": person.pk, "what": what.value, "at": at}
    new = ((each, Insert.of(SeenJudgments, response_id=each, **values)) for each in shown if each not in known)
    in_pieces(new, lambda piece: _write_responses(person, piece))


def _noted(person: User, what: Saw) -> QuerySet[SeenJudgments, int]:
    rows = SeenJudgments.objects.filter(person=person, what=what, response__isnull=False)
    return rows.order_by().values_list("response", flat=True)


def rule_out(*, person: User, items: Iterable[Item]) -> None:
    """Record that a person must not judge or decide on these items, as they know the content to be found; their open
    ones go to others.
    """
    _write_items(person, Saw.DOCUMENT, list(items), timezone.now())


def _write_items(person: User, what: Saw, items: list[Item], at: datetime) -> None:
    noted = SeenJudgments.objects.filter(person=person, what=what, item__in=items)
    known = set(noted.values_list("item", flat=True))
    new = [SeenJudgments(person=person, what=what, item=item, at=at) for item in items if item.pk not in known]
    if not new:
        return
    SeenJudgments.objects.bulk_create(new, ignore_conflicts=True)
    slots = Judgment.objects.open().filter(reviewer=person, round__state="open")
    if slots.exists():
        hand_back_seen(slots.filter(item__in=items))


def _write_rounds(whole: list[SeenJudgments]) -> None:
    SeenJudgments.objects.bulk_create(
        whole, update_conflicts=True, unique_fields=["person", "round", "what"], update_fields=["at"]
    )


def _write_responses(person: User, seen: list[tuple[int, Insert]]) -> None:
    insert((row for _, row in seen), ignore_conflicts=True)
    # Nobody keeps an open response after seeing a judgment of it.
    slots = Judgment.objects.open().filter(reviewer=person, round__state="open")
    if slots.exists():  # most admins do not judge
        hand_back_seen(slots.filter(item__response__in=[response for response, _ in seen]))


def seen_by(person: User | int | OuterRef, *, besides: Collection[Saw] = ()) -> Q:
    """A condition on `Judgment` rows: those of responses of which this person has seen another person's judgment, in
    any way not listed in `besides`.

    The outcome of complete responses is left out: one with all its judgments has no open slot, and one with a
    reopened slot has a separate row (`keep_seen`).
    """
    direct = SeenJudgments.objects.filter(person=person, response=OuterRef("item__response"))
    direct = direct.exclude(what__in=besides)
    of_item = SeenJudgments.objects.filter(person=person, item=OuterRef("item")).exclude(what__in=besides)
    counted_then = (
        Judgment.objects.filter(
            item=OuterRef("item"),
            round__seen_by__person=person,
            round__seen_by__what=Saw.JUDGMENTS,
            round__seen_by__at__gte=F("undo_until"),
        )
        .exclude(reviewer=person)
        .order_by()
    )
    return Q(Exists(direct)) | Q(Exists(of_item)) | Q(Exists(counted_then))


def has_seen(*, person: User, judgment: int, besides: Collection[Saw] = ()) -> bool:
    return Judgment.objects.filter(seen_by(person, besides=besides), pk=judgment).exists()


def seen_responses(people: Collection[int]) -> set[tuple[int, int]]:
    """(person, response) for each response of which one of these people was shown a judgment individually. For a
    response that is in no round, or that nobody has judged in its round, that is everything.
    """
    rows = SeenJudgments.objects.filter(person__in=people, response__isnull=False).order_by()
    return {(person, response) for person, response in rows.values_list("person", "response") if response}


def hand_back_seen(slots: JudgmentQuerySet) -> int:
    """Take open judgments among these from reviewers who have seen another person's judgment of the same response;
    others may then take them. Returns their number. Call it in a transaction, or use `hand_back_all_seen`.
    """
    return _hand_back(_seen_slots(slots))


def hand_back_all_seen(slots: JudgmentQuerySet) -> int:
    """Like `hand_back_seen`, for any number: they are found without a lock and handed back in pieces."""
    return summed_in_pieces(_seen_slots(slots), _hand_back)


def _seen_slots(slots: JudgmentQuerySet) -> list[int]:
    seen = slots.open().ordinary().filter(seen_by(OuterRef("reviewer")), reviewer__isnull=False)
    return list(seen.values_list("pk", flat=True))


def _hand_back(numbers: list[int]) -> int:
    still_open = Judgment.objects.open().filter(pk__in=numbers)
    return still_open.update(reviewer=None, lease_expires_at=None, **NOTHING_WRITTEN)


def keep_seen(judgment: Judgment) -> None:
    """Record who has seen the judgments of this response in its round. Call this before a judgment is reset:
    otherwise it would look as if nobody had seen one.
    """
    completed = keeping_of(judgment.round.questionnaire).completed_at(judgment)
    saw = Q(what=Saw.JUDGMENTS, at__gte=judgment.undo_until) & ~Q(person=judgment.reviewer_id)
    if completed is not None:
        saw |= Q(what=Saw.VERDICTS, at__gte=completed)
    rows = SeenJudgments.objects.filter(saw, round=judgment.round_id)
    response = judgment.item.response_id
    of = {"response_id": response} if response else {"item_id": judgment.item_id}
    SeenJudgments.objects.bulk_create(
        [SeenJudgments(person_id=row.person_id, what=row.what, at=row.at, **of) for row in rows],
        ignore_conflicts=True,
    )
