"""Runs whose calls measure pairs of texts for checks of evidence."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from django.db.models import QuerySet

from core.engine.writing.pieces import few_at_a_time
from core.languages import say
from core.models import Event
from judging.catalogue.purposes import Answered, Made, Messages, PlannedCall, Planning, Purpose
from judging.making.check_runs import (
    measured_in_numbers,
    need_no_call,
    plan_check_run,
    start_check_run,
    unreadable_calls,
    waiting_calls,
)
from judging.making.local_folders import LOCAL
from judging.models import Call, Run, RunKind
from judging.protocol.prompts import chat_messages
from judging.runs.plan import Plan
from judging.runs.runs import Actor

from ..models import (
    Cause,
    CheckName,
    CheckOutcome,
    ConflictbankAction,
    ConflictClassifier,
    ConflictSettings,
    Evidence,
    MeasuredPair,
    MeasuredState,
)
from .checking import check_refusals, counting, defaults_of, has_failed, note_measured, open_checks, texts_for
from .components import (
    CLASSIFIER,
    CONTRADICTION,
    ENTAILMENT,
    NAMES,
    NAMES_COMPONENT,
    Component,
    Components,
    component_for,
    prompt_of,
    read_label,
)
from .texts import has_names, refusal_in


def run_checks(
    *,
    components: Components,
    actor: Actor = None,
    budget: Decimal | None = None,
    name: str = "",
    again: bool = False,
) -> Run | None:
    """Make all checks that are ready: decide those without calls, and start and return a run for the others; None if
    no call is needed. Evidence whose entailment this run measures is checked for contradiction by the next run.
    """

    def write(run: Run | None) -> int:
        checks = (CheckName.ENTAILMENT, CheckName.CONTRADICTION)
        return check_refusals() + sum(open_checks(each, components[each], run=run, again=again) for each in checks)

    def tell(run: Run | None, checked: int) -> None:
        settings, _ = ConflictSettings.objects.get_or_create(pk=1)
        Event.record(ConflictbankAction.CHECKED, run or settings, actor=actor, after={"checks": checked})

    plan = plan_checks(components=components, budget=budget, again=again)
    pairs = MeasuredPair.objects.all()
    return start_check_run(plan, measurements=pairs, write=write, tell=tell, name=name, actor=actor)


def plan_checks(*, components: Components, budget: Decimal | None = None, again: bool = False) -> Plan:
    """The calls that `run_checks` would make, and their cost. Nothing is written."""
    return plan_check_run(
        benchmark="conflictbank",
        purpose=ForPairs.code,
        components=components,
        named={check: chosen_by(each) for check, each in components.items() if each},
        budget=budget,
        again=again,
    )


def chosen_by(component: Component) -> str:
    """The name by which this component is chosen."""
    if component.model:
        return component.model.name
    if isinstance(component.local, ConflictClassifier):
        return CLASSIFIER
    return LOCAL if component.local else NAMES


class ForPairs(Purpose):
    """The purpose of asking a model how a hypothesis relates to a premise."""

    code, kind = "conflict_check", RunKind.CHECKS
    template = "conflictbank/_call_pair.html"
    run_template, links_template = "conflictbank/_run_of_pairs.html", "conflictbank/_links_of_pairs.html"

    def made(self, run: Run) -> list[Made]:
        return measured_in_numbers(MeasuredPair.objects.all(), run, what=say("pairs measured"))

    # --- Asking ---------------------------------------------------------------------------------------------------

    def planned(self, planner: Planning) -> Iterator[PlannedCall]:
        if planner.run._state.adding:
            yield from planned_unsaved(planner)
            return
        there = set(planner.calls.values_list("subject_number", flat=True))
        for pair in few_at_a_time(waiting_calls(MeasuredPair.objects.all(), planner.run).order_by("pk")):
            if pair.pk not in there:
                columns = planner.columns(self.code, pair.model_id, subject_number=pair.pk)
                yield PlannedCall(columns, messages_for(pair))

    def subjects(self) -> QuerySet:
        return MeasuredPair.objects.all()

    def messages(self, call: Call) -> Messages:
        if call.subject is None:
            raise ValueError("The texts of this call no longer exist.")
        return messages_for(call.subject)

    # --- The result -----------------------------------------------------------------------------------------------

    def store(self, answered: Sequence[Answered], *, now: datetime) -> None:
        found = MeasuredPair.objects.select_for_update().order_by("pk")
        pairs = found.in_bulk([call.subject_number or 0 for call, _, _ in answered])
        changed = []
        for call, attempt, reply in answered:
            pair = pairs[call.subject_number or 0]
            if pair.state != MeasuredState.MEASURED:
                label = read_label(reply.text)
                said = label or f"The reply is not exactly one label: “{reply.text[:120]}”."
                pair.attempt = attempt
                pair.note(None if label is None else float(label == pair.label), said, now=now)
                changed.append(pair)
        note_measured(changed)

    def unreadable(self, run: Run) -> QuerySet[Call]:
        return unreadable_calls(MeasuredPair.objects.all(), run)

    # --- On pages -------------------------------------------------------------------------------------------------

    def title(self, call: Call) -> str:
        return f"{call.model} compares two texts"

    def about(self, call: Call) -> Mapping[str, object]:
        return {"pair": call.subject or MeasuredPair.objects.filter(pk=call.subject_number or 0).first()}


def messages_for(pair: MeasuredPair) -> Messages:
    return chat_messages(prompt_of(pair), empty_system=False)


# --- Planned without writing ----------------------------------------------------------------------------------------


def planned_unsaved(planner: Planning) -> Iterator[PlannedCall]:
    """The calls needed if the checks were opened now, without finished and running measurements."""
    options = planner.run.options
    components = {
        check: component_for(check, options["components"].get(check, "")) for check in (ENTAILMENT, CONTRADICTION)
    }
    there = set(MeasuredPair.objects.filter(need_no_call()).values_list("label", "component", "digest"))
    related = ("claim__conflict__fact__subject", "claim__conflict__object", "claim__conflict__replacement")
    evidence = counting().select_related(*related).prefetch_related("checks").order_by("pk")
    for one in few_at_a_time(evidence):
        outlook = Outlook(one, components, again=options["again"])
        for check, default in outlook.calls():
            component = components[check]
            if component is None or component.model is None:
                continue
            texts = texts_for(one, CheckName(check), component, default)
            for position, (premise, hypothesis) in zip(texts.positions(), texts.pairs, strict=True):
                if position not in there:
                    there.add(position)
                    pair = MeasuredPair(label=check, premise=premise, hypothesis=hypothesis)
                    yield PlannedCall({"model_id": component.model.pk}, messages_for(pair))


class Outlook:
    """The expected outcomes of the checks of one evidence, if known without calls."""

    def __init__(self, evidence: Evidence, components: Components, *, again: bool):
        self.evidence, self.components, self.again = evidence, components, again
        checks = evidence.checks.all()
        self.outcomes = {check.name: check.outcome for check in checks}
        self.unmeasured = {check.name for check in checks if not check.component}

    def calls(self) -> Iterator[tuple[str, Evidence | None]]:
        """The checks that need calls, with the default evidence if one needs it."""
        if not self.goes_on(CheckName.REFUSAL):
            return
        if self.is_measured_next():
            yield ENTAILMENT, None
            return
        if self.evidence.claim.cause == Cause.DEFAULT or not self.goes_on(CheckName.ENTAILMENT):
            return
        default = defaults_of([self.evidence]).get(self.evidence.pk)
        if default is None or has_failed(default) or not self.is_open(CheckName.CONTRADICTION):
            return
        other = Outlook(default, self.components, again=self.again)
        if not other.is_measured_next() and other.goes_on(CheckName.REFUSAL) and other.goes_on(CheckName.ENTAILMENT):
            yield CONTRADICTION, default

    def is_open(self, check: CheckName) -> bool:
        outcome = self.outcomes.get(check)
        return outcome is None or (self.again and outcome == CheckOutcome.NOT_CHECKED)

    def is_measured_next(self) -> bool:
        """Return whether the entailment check comes next, with an outcome that is known later."""
        component = self.components[ENTAILMENT]
        return self.is_open(CheckName.ENTAILMENT) and component is not None and component.measures

    def goes_on(self, check: CheckName) -> bool:
        """Return whether the evidence is passed to the next check."""
        outcome = self.outcomes.get(check)
        if self.evidence.overruled or outcome == CheckOutcome.PASSED:
            return True
        if outcome is not None:
            return outcome == CheckOutcome.NOT_CHECKED and check in self.unmeasured
        if check == CheckName.REFUSAL:
            settings = ConflictSettings.current()
            fewest = settings.fewest_characters
            return not refusal_in(self.evidence.used_text, settings.features, fewest_characters=fewest)
        component: Component | None = self.components[ENTAILMENT]
        if component is None or component.name != NAMES_COMPONENT:
            return True
        conflict = self.evidence.claim.conflict
        object = conflict.object if self.evidence.claim.is_true else conflict.replacement
        return has_names(self.evidence.used_text, [conflict.fact.subject.name, object.name])
