"""Records that an admin who judges opened another person's account in the same round.

`core.accounts.access` leaves that to another admin; without one, it is recorded in the round.
"""

from collections.abc import Collection

from django.db.models import F, Value
from django.db.models.functions import Concat
from django.utils import timezone

from core.accounts import access
from core.models import Event, User

from ...models import ReviewAction, Round
from ..rounds import hidden_from


def in_common(admin: User, person: User | None) -> list[Round]:
    """The unfinished rounds in which both judge; without a person, all those in which the admin judges."""
    rounds = hidden_from(admin)
    return list(rounds.filter(reviewers__person=person) if person else rounds)


def note_opened(admin: User, rounds: Collection[Round], words: str) -> None:
    """Record in these rounds that the admin opened an account, as no other admin could. The people who judge there
    are told, as are readers of reports.
    """
    said = f"{admin}, who judges here, {words}; no other admin could do it"
    for round in rounds:
        line = Value(f"{timezone.now():%Y-%m-%d %H:%M} UTC: {said}.\n")
        Round.objects.filter(pk=round.pk).update(accounts_opened=Concat(F("accounts_opened"), line))
        Event.record(ReviewAction.OPENED_ACCESS, round, actor=admin, message=said)


def register() -> None:
    access.register(in_common, note_opened)
