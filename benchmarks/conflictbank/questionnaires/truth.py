"""Keeps the truth from people who judge evidence: until their round is finished they learn of no claim whether it is
true, and of no evidence whether it passed, whatever their roles.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.apps import apps
from django.db.models import Exists, Q, QuerySet

from annotation.models import Release
from core.languages import say
from core.models import User
from core.models.events import log_kind
from core.navigation.closing import closed_because
from core.refusals import Forbidden
from review.models import Round
from review.rounds.rounds import hidden_from

from ..items import CODE
from .evidence import COMMON_CODE, PAIRS_CODE


def rounds_of(person: User) -> QuerySet[Round]:
    """The unfinished rounds in which this person judges evidence."""
    return hidden_from(person).filter(questionnaire__in=[COMMON_CODE, PAIRS_CODE])


TELLS_TRUTH = say(
    "This says which claims of ConflictBank are true, and you judge their evidence in a round that is "
    "not finished. It opens again when it is."
)


def why_untold(person: User) -> str:
    """The reason why this person must not learn now which claims are true; "" if they may."""
    return TELLS_TRUTH if rounds_of(person).exists() else ""


def refuse_truth(person: User) -> None:
    """Raises Forbidden if this person judges evidence in an unfinished round."""
    if reason := why_untold(person):
        raise Forbidden(reason)


def refuse_who_judges(reader: User, release: Release) -> None:
    """Raises Forbidden for people who judge evidence, if this is a release of ConflictBank: its items say what is
    true, and all their evidence passed.
    """
    if release.benchmark == CODE:
        refuse_truth(reader)


def hidden_events(person: User) -> Q:
    """The log entries about facts, claims and evidence, for a person who judges evidence."""
    kinds = [log_kind(model) for model in apps.get_app_config(CODE).get_models()]
    return Q(subject_kind__in=kinds) & Q(Exists(rounds_of(person).order_by()))


def tells_truth(view: Callable) -> Callable:
    """For a view that tells what is true or which evidence passed: refuses people who judge evidence."""

    @wraps(view)
    def guarded(request: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_truth(request.user)
        return view(request, *args, **kwargs)

    return closed_because(why_untold)(guarded)
