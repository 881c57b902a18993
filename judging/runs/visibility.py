"""Decides what a person may know about a run: a call for a suggestion at the desk quotes an annotator's text, and the
unanswered calls reveal to a judge who wrote the existing answers.
"""

from django.db.models import Q, QuerySet

from annotation.desk.visibility import known_to
from core.models import User

from ..models import Attempt, Call, Run, RunKind
from .blinding import is_blind, refuse_names

# Runs whose responses people judge, and those that judge them.
OF_RESPONSES = (RunKind.ANSWER, RunKind.IMPORT, RunKind.JUDGE)


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


def hides_outcomes(run: Run, reader: User | None) -> bool:
    """Return whether this person may not learn how many calls of the run were answered, failed or are in doubt, nor
    their cost: by model and run, that reveals whose answers exist.
    """
    return reader is not None and run.kind in OF_RESPONSES and is_blind(reader)


def refuse_outcomes(run: Run, reader: User | None) -> None:
    """Raises Forbidden if the outcomes of the run's calls are hidden from this person."""
    if run.kind in OF_RESPONSES:
        refuse_names(reader)


def plan_reveals(run: Run) -> bool:
    """Return whether the plan of the run reveals existing data: which calls have answers that are reused or left out,
    or which responses are judged.
    """
    return run.kind == RunKind.JUDGE or run.only_missing or run.reuses_replies


def refuse_plan(run: Run, reader: User | None) -> None:
    """Raises Forbidden if the plan of the run would reveal existing data to this person."""
    if plan_reveals(run):
        refuse_names(reader)


def hidden_calls(person: User) -> QuerySet[Call]:
    """The calls that `calls_known_to` leaves out. They are few, so a sum over many calls is faster without checking
    each.
    """
    of_the_desk = Call.objects.filter(model_suggestion__isnull=False)
    return of_the_desk.exclude(pk__in=calls_known_to(person, of_the_desk).values("pk"))
