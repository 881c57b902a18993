"""ConflictBank's making as the general commands ask for it: evidence and descriptions from models, and checks."""

from core.words import plural
from judging.making.registry import Checking, ChecksAsked, GenerationAsked, Making, Measure
from judging.models import Run
from judging.runs.plan import Plan
from judging.runs.runs import Actor

from ..models import CheckName
from .checking import to_check
from .components import CONTRADICTION, ENTAILMENT, MEASURED, components_for
from .generation import BENCHMARK, EVIDENCE, METHODS, create_generation_run, plan_generation, warnings
from .measuring import plan_checks, run_checks


class MakingOfConflicts(Making):
    """Evidence for claims that conflict with facts, and its checks."""

    benchmark = BENCHMARK
    methods = METHODS
    default_method = EVIDENCE
    measures = (
        Measure(ENTAILMENT, "entailment", f"{MEASURED[ENTAILMENT]} (a model, or: names)"),
        Measure(CONTRADICTION, "contradiction", MEASURED[CONTRADICTION]),
    )

    def plan_generation(self, asked: GenerationAsked) -> Plan:
        return plan_generation(method=asked.method, language_models=asked.language_models, **columns_of(asked))

    def create_generation(self, asked: GenerationAsked, *, actor: Actor = None) -> Run:
        return create_generation_run(
            method=asked.method, language_models=asked.language_models, actor=actor, **columns_of(asked)
        )

    def warnings(self, asked: GenerationAsked) -> list[str]:
        return warnings(asked.method, asked.language_models)

    def check_lines(self, asked: ChecksAsked) -> list[str]:
        components = components_for(asked.components)
        lines = []
        for check in CheckName:
            ready = plural(to_check(check, again=asked.again).count(), "text")
            component = components.get(check)
            by = component.name if component else "not checked, as nothing measures it"
            lines.append(
                f"{check.label}: {ready} ready for it; {'by features' if check == CheckName.REFUSAL else by}."
            )
        return lines

    def plan_checks(self, asked: ChecksAsked) -> Plan:
        components = components_for(asked.components)
        return plan_checks(components=components, budget=asked.budget, again=asked.again)

    def run_checks(self, asked: ChecksAsked, *, actor: Actor = None) -> Checking:
        components = components_for(asked.components)
        run = run_checks(components=components, budget=asked.budget, again=asked.again, name=asked.name, actor=actor)
        waiting = to_check(CheckName.CONTRADICTION).count()
        remarks = []
        entailment = components[ENTAILMENT]
        if run is not None and entailment and entailment.model:
            remarks.append(
                "Contradictions are checked of what is entailed: run this again when the run has finished."
            )
        elif waiting:
            remarks.append(f"{plural(waiting, 'text')} still to be compared with the default evidence.")
        return Checking(run, remarks)


def columns_of(asked: GenerationAsked) -> dict:
    return {
        "name": asked.name,
        "budget": asked.budget,
        "only_missing": asked.only_missing,
        "in_batches": asked.in_batches,
    }
