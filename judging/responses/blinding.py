"""Who must not learn which model wrote a response, whatever their roles, and what is not published yet for their
sake.

This app does not know who judges; the app above registers the rules when it starts.
"""

from collections.abc import Callable
from functools import wraps

from django.db.models import Q, QuerySet

from annotation.models import Release, ReleasedInstance
from core.models import User
from core.refusals import Forbidden

from ..models import Response

_rules: list[Callable[[User], bool]] = []
_held_back: list[Callable[[], Q]] = []


def register(is_blind: Callable[[User], bool]) -> None:
    _rules.append(is_blind)


def register_held_back(held_back: Callable[[], Q]) -> None:
    """`held_back` gives the condition on responses that nobody outside may see yet."""
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

    return guarded


def refuse_names(person: User) -> None:
    """Raises Forbidden if this person must not learn which model wrote what."""
    if any(is_blind(person) for is_blind in _rules):
        raise Forbidden(
            "This page shows which model wrote what, and you judge responses in a round that is not finished. "
            "It opens again when that round is closed and every disagreement adjudicated."
        )
