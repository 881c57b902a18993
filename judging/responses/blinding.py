"""Who must not learn which model wrote a response, whatever their roles.

This app does not know who judges; the app above registers the rule when it starts.
"""

from collections.abc import Callable
from functools import wraps

from core.models import User
from core.refusals import Forbidden

_rules: list[Callable[[User], bool]] = []


def register(is_blind: Callable[[User], bool]) -> None:
    _rules.append(is_blind)


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
