"""Decides who may comment on a response as its adjudicator, and records that readers of such comments no longer judge
it.
"""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q

from core.models import User

from ..models import Saw
from .adjudication import adjudications_for
from .rounds import unfinished_rounds
from .turns.seen import record_seen


def adjudicates(person: User, response: OuterRef) -> tuple[Q, Q]:
    """Conditions on rows whose column `response` is a response: that this person may adjudicate it; that they may and
    its round is finished."""
    found = adjudications_for(person).filter(item__response=response)
    done = found.exclude(round__in=unfinished_rounds().order_by().values("pk"))
    return Q(Exists(found)), Q(Exists(done))


def note_comments_read(person: User, responses: Collection[int]) -> None:
    """Record that people who have read comments on a response no longer judge it."""
    record_seen(person=person, what=Saw.COMMENTS, responses=responses)
