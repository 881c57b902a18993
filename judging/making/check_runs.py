"""Runs whose calls measure texts for checks: their plan, their start, and their results in numbers."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeVar

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from ..catalogue.purposes import Made
from ..models import Call, CallState, CheckOfMade, CheckOutcome, MeasuredOnce, MeasuredState, Run, RunKind
from ..runs.plan import Plan, Planner, plan_with
from ..runs.runs import Actor, cancel_run, check_models, save_planned, start_run
from .components import Component, models_of
from .registry import CheckCounts

Row = TypeVar("Row", bound=MeasuredOnce)
AnyCheck = TypeVar("AnyCheck", bound=CheckOfMade)


def plan_check_run(
    *,
    benchmark: str,
    purpose: str,
    components: Mapping[str, Component | None],
    named: Mapping[str, str],
    budget: Decimal | None,
    again: bool,
) -> Plan:
    """The plan of the calls that checks with these components need. Writes nothing. Raises Refusal if a model cannot
    be asked.

    Args:
        named: the names by which the components are chosen, by check, as the run keeps them.
        again: whether checks that were not made before are repeated.
    """
    models = models_of(components)
    if models:
        check_models(models, budget=budget)
    options = {"benchmark": benchmark, "components": dict(named), "again": again}
    run = Run(kind=RunKind.CHECKS, purpose=purpose, budget=budget, options=options)
    return plan_with(Planner(run, language_models=models))


def start_check_run(
    plan: Plan,
    *,
    measurements: QuerySet[Row],
    write: Callable[[Run | None], int],
    tell: Callable[[Run | None, int], object],
    name: str = "",
    actor: Actor = None,
) -> Run | None:
    """Write the checks, and start a run for the planned calls; returns the run, None if no call is needed.

    Args:
        measurements: all measurements of the benchmark.
        write: writes the checks with their measurements, which wait for the run; returns the number of checks.
        tell: records the number of checks that were written, if any were.
    """
    run = None
    if plan.calls:
        plan.run.name = name
        run = save_planned(plan.run, actor=actor, language_models=[each.model for each in plan.models if each.calls])
    checked = write(run)
    if run is not None and not waiting_calls(measurements, run).exists():  # another run came first
        cancel_run(run=run, actor=actor)
        run = None
    if checked:
        tell(run, checked)
    return start_run(run=run, actor=actor) if run else None


def waiting_calls(measurements: QuerySet[Row], run: Run) -> QuerySet[Row]:
    """The measurements that the run has to make by calls."""
    return measurements.filter(run=run, state=MeasuredState.WAITING, model__isnull=False)


def need_no_call() -> Q:
    """The measurements that need no call: finished, or part of a run in progress."""
    under_way = Run.objects.filter(pk=OuterRef("run"), finished_at=None).exclude(state="cancelled")
    return Q(state=MeasuredState.MEASURED) | Q(Exists(under_way))


def unreadable_calls(measurements: QuerySet[Row], run: Run) -> QuerySet[Call]:
    """The answered calls of a run with replies without a value."""
    unread = measurements.filter(pk=OuterRef("subject_number"), run=run, state=MeasuredState.UNREADABLE)
    return run.calls.filter(Exists(unread), state=CallState.DONE)


def count_checks(checks: QuerySet[AnyCheck], names: Mapping[str, str]) -> list[CheckCounts]:
    """The numbers of outcomes of these checks, for each of the checks that `names` has by code."""
    rows = checks.order_by().values_list("name", "outcome").annotate(n=Count("pk"))
    found = {(name, outcome): count for name, outcome, count in rows}
    return [
        CheckCounts(code, words, **{each.value: found.get((code, each.value), 0) for each in CheckOutcome})
        for code, words in names.items()
    ]


def measured_in_numbers(measurements: QuerySet[Row], run: Run, *, what: str) -> list[Made]:
    """The results of a run; `what` are the measurements in words, such as "values read"."""
    of_run = measurements.filter(run=run)
    unreadable = of_run.filter(state=MeasuredState.UNREADABLE).count()
    return [
        Made("measured", what, of_run.filter(state=MeasuredState.MEASURED).count()),
        Made("unreadable", "unreadable replies", unreadable, is_problem=True),
    ]
