"""Who must not learn which model wrote a response, nor what another annotator of a tag asked a model, whatever their
roles.

This app does not know who judges; the app above registers the rule when it starts.
"""

from collections.abc import Callable
from functools import wraps

from django.db.models import Q, QuerySet

from annotation.desk.visibility import known_to
from core.models import User
from core.refusals import Forbidden

from ..models import Call

_rules: list[Callable[[User], bool]] = []


def register(is_blind: Callable[[User], bool]) -> None:
    _rules.append(is_blind)


def calls_known_to(person: User, calls: QuerySet[Call]) -> QuerySet[Call]:
    """The calls that this person may know of: one for a suggestion at the desk quotes what an annotator wrote."""
    return calls.filter(Q(model_suggestion=None) | known_to(person, "model_suggestion__annotation__"))


def names_models(view: Callable) -> Callable:
    """For a view that shows responses with their models: refuses people who must not know."""

    @wraps(view)
    def guarded(request, *args, **kwargs):
        if any(is_blind(request.user) for is_blind in _rules):
            raise Forbidden(
                "This page shows which model wrote what, and you judge responses in a round that is not finished. "
                "It opens again when that round is closed and every disagreement adjudicated."
            )
        return view(request, *args, **kwargs)

    return guarded
