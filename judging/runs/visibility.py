"""What a person may know about a run: a call for a suggestion at the desk quotes what an annotator wrote."""

from django.db.models import Q, QuerySet

from annotation.desk.visibility import known_to
from core.models import User

from ..models import Attempt, Call, Run, RunKind


def calls_known_to(person: User | None, calls: QuerySet[Call]) -> QuerySet[Call]:
    """Without the calls for other annotators of a tag to which this person is blind. None is a command, which may
    know of all."""
    if person is None:
        return calls
    return calls.filter(Q(model_suggestion=None) | known_to(person, "model_suggestion__annotation__"))


def known_calls(run: Run, reader: User | None) -> QuerySet[Call]:
    """The run's calls that this person may know of."""
    calls = run.calls.all()
    return calls_known_to(reader, calls) if run.kind == RunKind.SUGGESTION else calls


def known_attempts(run: Run, reader: User | None) -> QuerySet[Attempt]:
    attempts = Attempt.objects.filter(call__run=run)
    return attempts.filter(call__in=known_calls(run, reader)) if run.kind == RunKind.SUGGESTION else attempts


def hidden_calls(person: User) -> QuerySet[Call]:
    """The calls that `calls_known_to` leaves out. They are few, so a sum over many calls is better taken without
    looking at each."""
    of_the_desk = Call.objects.filter(model_suggestion__isnull=False)
    return of_the_desk.exclude(pk__in=calls_known_to(person, of_the_desk).values("pk"))
