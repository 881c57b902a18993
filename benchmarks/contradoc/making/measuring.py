"""Has components make the measurements that checks need: by calls, like everything that is paid for, or on the
worker's own machine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.engine.writing.pieces import few_at_a_time
from core.languages import say
from core.models import Event
from judging.catalogue.purposes import Answered, Made, Messages, PlannedCall, Planning, Purpose
from judging.endpoints.replies import ChatReply, prompt_probabilities
from judging.making.check_runs import (
    measured_in_numbers,
    need_no_call,
    plan_check_run,
    start_check_run,
    unreadable_calls,
    waiting_calls,
)
from judging.making.local_folders import LOCAL, local_folder
from judging.making.local_work import do_each, free
from judging.models import Attempt, Call, Run, RunKind
from judging.protocol.prompts import chat_messages
from judging.runs.plan import Plan
from judging.runs.runs import Actor

from ..maker.maker import MAKER
from ..maker.values import Maker, Need
from ..models import CheckSettings, ContradocAction, MeasuredState, Measurement
from .checking import Components, lock_for, note_measured, open_checks, to_check, wanted_by, with_texts
from .components import component_for

# --- Runs -----------------------------------------------------------------------------------------------------------


def run_checks(
    *,
    maker: Maker,
    components: Components,
    actor: Actor = None,
    budget: Decimal | None = None,
    name: str = "",
    again: bool = False,
) -> Run | None:
    """Check the candidates of a benchmark: checks without calls are decided or left to the worker's local models, and
    a run is started for the calls and returned. None if no call is needed. Raises Refusal if a model cannot be asked.
    """

    def write(run: Run | None) -> int:
        return open_checks(maker, components, run=run, again=again)

    def tell(run: Run | None, checked: int) -> None:
        subject = run or CheckSettings.of(maker.benchmark)
        Event.record(ContradocAction.CHECKED, subject, actor=actor, after={"candidates": checked})

    plan = plan_checks(maker=maker, components=components, budget=budget, again=again)
    measurements = Measurement.objects.all()
    return start_check_run(plan, measurements=measurements, write=write, tell=tell, name=name, actor=actor)


def plan_checks(*, maker: Maker, components: Components, budget: Decimal | None = None, again: bool = False) -> Plan:
    """The calls that `run_checks` would make, and their cost. Nothing is written."""
    return plan_check_run(
        benchmark=maker.benchmark,
        purpose=ForMeasurement.code,
        components=components,
        named={measure: each.model.name for measure, each in components.items() if each and each.model},
        budget=budget,
        again=again,
    )


class ForMeasurement(Purpose):
    """The purpose of asking a model to measure texts of a candidate."""

    code, kind = "measurement", RunKind.CHECKS
    template = "contradoc/_call_measurement.html"
    run_template, links_template = "contradoc/_run_of_checks.html", "contradoc/_links_of_checks.html"

    def made(self, run: Run) -> list[Made]:
        return measured_in_numbers(Measurement.objects.all(), run, what=say("values read"))

    # --- Asking ---------------------------------------------------------------------------------------------------

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        run = planner.run
        if run._state.adding:
            yield from self.planned_unsaved(planner)
            return
        there = set(planner.calls.values_list("subject_number", flat=True))
        waiting = waiting_calls(Measurement.objects.all(), run).select_related(
            "candidate__document", "candidate__statement", "model"
        )
        for measurement in few_at_a_time(waiting.order_by("pk")):
            if measurement.pk not in there:
                columns = planner.columns(self.code, measurement.model_id, subject_number=measurement.pk)
                yield PlannedCall(columns, messages_for(measurement))

    def planned_unsaved(self, planner: Planning) -> Iterator[PlannedCall]:
        """The calls needed if the checks were opened now, without finished and running measurements."""
        options = planner.run.options
        components = {measure: component_for(MAKER, measure, name) for measure, name in options["components"].items()}
        there = set(
            Measurement.objects.filter(~Q(state=MeasuredState.UNREADABLE), need_no_call()).values_list(
                "name", "component", "digest"
            )
        )
        window = CheckSettings.of(MAKER.benchmark).window
        for candidate in few_at_a_time(with_texts(to_check(MAKER, again=options["again"]))):
            for kind in MAKER.checks:
                for wanted in wanted_by(candidate, kind, components, window):
                    if wanted.position not in there and wanted.component.model:
                        there.add(wanted.position)
                        messages = need_messages(MAKER, kind.measure, wanted.need)
                        yield PlannedCall({"model_id": wanted.component.model.pk}, messages)

    def subjects(self) -> QuerySet:
        return Measurement.objects.select_related("candidate__document", "candidate__statement")

    def messages(self, call: Call) -> Messages:
        return messages_for(subject_of(call))

    def text_of_tokens(self, call: Call) -> str | None:
        measurement = subject_of(call)
        return None if measurement.name in MAKER.prompted else need_of(measurement, MAKER).first

    # --- The outcome ----------------------------------------------------------------------------------------------

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        found = self.subjects().in_bulk({call.subject_number for call, _, _ in answered})
        lock_for(found.values())
        changed = []
        for call, attempt, reply in answered:
            measurement = found[call.subject_number]
            if measurement.state != MeasuredState.MEASURED:
                fill(measurement, attempt, reply, now=now)
                changed.append(measurement)
        note_measured(changed)

    def unreadable(self, run: Run) -> QuerySet[Call]:
        return unreadable_calls(Measurement.objects.all(), run)

    # --- On pages -------------------------------------------------------------------------------------------------

    def title(self, call: Call) -> str:
        return f"{call.model} measures texts of a candidate"

    def about(self, call: Call) -> Mapping[str, Any]:
        measurement = call.subject or self.subjects().filter(pk=call.subject_number).first()
        need = need_of(measurement, MAKER) if measurement else None
        return {"measurement": measurement, "need": need}


def subject_of(call: Call) -> Measurement:
    """The measurement of a call. Raises ValueError if it no longer exists."""
    if call.subject is None:
        raise ValueError("The texts of this call no longer exist.")
    return call.subject


def need_of(measurement: Measurement, maker: Maker) -> Need:
    """The texts to be measured. Raises ValueError if the benchmark no longer has this check."""
    code, _, part = measurement.part.partition(":")
    for kind in maker.checks:
        if kind.code == code:
            for need in kind.needs(measurement.candidate, measurement.window):
                if need.part == part:
                    return need
    raise ValueError(f"The check {measurement.part} no longer exists.")


def messages_for(measurement: Measurement) -> Messages:
    return need_messages(MAKER, measurement.name, need_of(measurement, MAKER))


def need_messages(maker: Maker, measure: str, need: Need) -> Messages:
    """The messages to the model; for the probabilities of tokens, the text itself."""
    asked = maker.prompt_for(measure, need.first, need.second) if measure in maker.prompted else need.first
    return chat_messages(asked, empty_system=False)


def fill(measurement: Measurement, attempt: Attempt, reply: ChatReply, *, now: datetime) -> None:
    """Save the result of a measurement from a reply, or that the reply is unreadable."""
    if measurement.name in MAKER.prompted:
        read = MAKER.read_value(measurement.name, reply.text)
        said, value = read or (f"The reply does not name exactly one label: “{reply.text[:120]}”.", None)
    else:
        probabilities = prompt_probabilities(reply.raw)
        value = MAKER.perplexity(probabilities) if probabilities else None
        said = "" if value is not None else "The reply does not hold the probabilities of all tokens of the text."
    measurement.attempt = attempt
    measurement.note(value, said, now=now)


# --- On this machine ------------------------------------------------------------------------------------------------

Measure = Callable[[str, str], float]


def waiting_here() -> QuerySet[Measurement]:
    """The measurements for local models that no worker has taken."""
    waiting = Measurement.objects.filter(free(), state=MeasuredState.WAITING, component__startswith=f"{LOCAL}: ")
    return waiting.select_related("candidate__document", "candidate__statement").order_by("pk")


def measure_here(load: Callable[[str, Path], Measure]) -> int:
    """Make the measurements for the local models of this machine; returns their number. Only in a worker."""
    done = 0
    for measure in waiting_here().order_by().values_list("name", flat=True).distinct():
        folder = local_folder(measure)
        if folder is not None:
            done += measure_with(measure, folder, load)
    return done


def measure_with(measure: str, folder: Path, load: Callable[[str, Path], Measure]) -> int:
    component = f"{LOCAL}: {folder.name}"
    waiting = partial(waiting_of, measure, component)
    if not waiting().exists():
        return 0
    loaded = load(measure, folder)
    return do_each(
        waiting,
        lambda each: store_local(each, loaded, need_of(each, MAKER)),
    )


def waiting_of(measure: str, component: str) -> QuerySet[Measurement]:
    return waiting_here().filter(name=measure, component=component)


def store_local(measurement: Measurement, measure: Measure, need: Need) -> None:
    try:
        value, said = measure(need.first, need.second), ""
    except (ValueError, RuntimeError, IndexError) as error:  # what libraries raise over a text
        value, said = None, f"The local model failed: {error}"
    with transaction.atomic():
        lock_for([measurement])
        if Measurement.objects.filter(pk=measurement.pk, state=MeasuredState.WAITING).exists():
            measurement.note(value, said, now=timezone.now())
            note_measured([measurement])
