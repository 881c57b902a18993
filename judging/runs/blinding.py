"""Decides who must not learn which model wrote a response, whatever their roles, and which responses stay unpublished
because of them.

This app does not know who judges; the app above registers the rules when it starts.
"""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Protocol

from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from annotation.models import Release, ReleasedInstance
from core.languages import say
from core.models import User
from core.navigation.closing import closed_because
from core.refusals import Forbidden

from ..models import Response

HIDDEN = say(
    "This can reveal which model wrote what, and you judge in an unfinished round. It is available again once that "
    "round is closed and every disagreement adjudicated."
)


class BlindBy(Protocol):
    def __call__(self, person: User, /) -> QuerySet[Model]:
        """Return the rows because of which a person must not learn now which model wrote a response; none if they
        may. Asked on many pages, so an index must find the first row.
        """


class Adjudicates(Protocol):
    def __call__(self, person: User, response: OuterRef, /) -> tuple[Q, Q]:
        """Return two conditions on rows whose column `response` is a response: that this person may adjudicate it,
        and that they may and its round is finished.
        """


class NoteRead(Protocol):
    def __call__(self, person: User, responses: Collection[int], /) -> None:
        """Record that a person has read comments on these responses (primary keys). Called outside of transactions,
        each time: recording it again must change nothing.
        """


class HeldBack(Protocol):
    def __call__(self) -> Q:
        """Return the condition on responses that nobody outside may see yet."""


_rules: list[BlindBy] = []
_held_back: list[HeldBack] = []
_adjudicates: list[Adjudicates] = []
_note_read: list[NoteRead] = []


def register(blind_by: BlindBy) -> None:
    """Register another reason why people must not learn models."""
    _rules.append(blind_by)


def register_adjudicating(adjudicates: Adjudicates, note_read: NoteRead) -> None:
    """Register who adjudicates what, and how to record that a person has read comments on responses."""
    _adjudicates.append(adjudicates)
    _note_read.append(note_read)


def judges_unfinished(person: User) -> Q:
    """A condition that holds, for any row, if this person must not learn which model wrote a response."""
    found = Q()
    for blind_by in _rules:
        found |= Q(Exists(blind_by(person)))
    return found


def is_blind(person: User) -> bool:
    """Return whether this person must not learn now which model wrote a response."""
    return any(blind_by(person).exists() for blind_by in _rules)


def why_hidden(person: User) -> str:
    """The reason why this person must not learn now which model wrote a response, for pages that would otherwise
    offer a form that is refused; "" if they may.
    """
    return HIDDEN if is_blind(person) else ""


def may_adjudicate(person: User, response: OuterRef) -> tuple[Q, Q]:
    """The condition passed to `register_adjudicating`, for this person and column."""
    any_time, finished = Q(pk__in=[]), Q(pk__in=[])
    for adjudicates in _adjudicates:
        now, then = adjudicates(person, response)
        any_time, finished = any_time | now, finished | then
    return any_time, finished


def note_comments_read(person: User, responses: Collection[int]) -> None:
    """Record that the person has read comments on these responses. Do not call it in a transaction."""
    for note in _note_read:
        note(person, responses)


def register_held_back(held_back: HeldBack) -> None:
    """Register another reason why responses are not published yet."""
    _held_back.append(held_back)


def public_responses(release: Release) -> QuerySet[Response]:
    """The responses to a release's instances that may be published with the names of their models, in order."""
    instances = ReleasedInstance.objects.filter(release=release).values("instance")
    found = Response.objects.filter(instance__in=instances).order_by("pk")
    for held_back in _held_back:
        found = found.exclude(held_back())
    return found


def names_models(view: Callable) -> Callable:
    """For a view that shows responses with their models: refuses people who must not know."""

    @wraps(view)
    def guarded(request, *args, **kwargs):
        refuse_names(request.user)
        return view(request, *args, **kwargs)

    return closed_because(why_hidden)(guarded)


def refuse_names(person: User | None) -> None:
    """Raises Forbidden if this person must not learn which model wrote a response. None is a command, which may.

    The rule is the same for every run, judged or not: an answer that differed for the runs whose responses this
    person judges would reveal these, and a run often has one model.
    """
    if person is not None and is_blind(person):
        raise Forbidden(HIDDEN)
