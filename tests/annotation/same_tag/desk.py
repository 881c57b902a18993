"""A tag that two annotate, one of them with other roles as well: what tests of what they may not see share."""

from dataclasses import dataclass, replace
from decimal import Decimal

from django.contrib.auth.models import Group
from django.utils import timezone

from annotation.models import Annotation, ModelSuggestion, Tag
from core.models import User
from judging.models import Attempt, AttemptOutcome, Call, CallState, LanguageModel
from judging.runs.model_suggestions import run_of_suggestions
from tests.factories.judging import make_model

PRICED = {"price_in": 1, "price_out": 2}


@dataclass(frozen=True)
class Desk:
    """A tag that two annotate: Rita, who holds other roles as well, and Ansel. Both have begun."""

    tag: Tag
    rita: User
    ansel: User
    ralph: User
    mine: Annotation
    theirs: Annotation
    comment: int


def read_anew(desk: Desk) -> Desk:
    rows = {name: getattr(desk, name) for name in ("tag", "rita", "ansel", "ralph", "mine", "theirs")}
    return replace(desk, **{name: type(row).objects.get(pk=row.pk) for name, row in rows.items()})


def with_roles(person: User, *roles: str) -> User:
    """The person with just these roles, which are looked up once."""
    person.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
    return User.objects.get(pk=person.pk)


def call_for(annotation: Annotation, target: str, state: CallState) -> Call:
    """A call for a suggestion at the desk of this annotation's writer, with its outcome."""
    model = LanguageModel.objects.filter(name="Small").first() or make_model(name="Small", **PRICED)
    suggestion = ModelSuggestion.objects.create(
        annotation=annotation, target=target, model="Small", prompt="…", state="failed", error="It broke off."
    )
    call = Call.objects.create(
        run=run_of_suggestions(model), model=model, purpose="suggestion", model_suggestion=suggestion
    )
    outcome = AttemptOutcome.IN_DOUBT if state == CallState.IN_DOUBT else AttemptOutcome.REJECTED
    cost = {"request": {}, "possible_cost": Decimal("0.25"), "cost": 0}
    Attempt.objects.create(call=call, model=model, number=1, outcome=outcome, ended_at=timezone.now(), **cost)
    ended = {"attempts_made": 1, "ended_at": timezone.now(), "reason": "broken off", "error": "It broke off."}
    Call.objects.filter(pk=call.pk).update(state=state, failure_group="0123456789ab", **ended)
    return call
