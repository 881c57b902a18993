"""ConflictBank's making for the general commands: evidence and descriptions from models, and checks."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from core.languages import say
from core.words import plural
from judging.making.local_folders import LOCAL, NLI, local_folder
from judging.making.registry import CheckCounts, Checking, ChecksAsked, GenerationAsked, Making, Measure, Pages
from judging.models import LanguageModel, ModelKind, Run
from judging.runs.plan import Plan
from judging.runs.runs import Actor

from ..models import CheckName, CheckOutcome, ClaimSet, EvidenceCheck
from .checking import to_check
from .components import (
    CLASSIFIER,
    CLASSIFIER_WORDS,
    CONTRADICTION,
    ENTAILMENT,
    MEASURED,
    NAMES,
    NAMES_COMPONENT,
    components_for,
)
from .generation import BENCHMARK, EVIDENCE, METHODS, PATTERN, create_generation_run, plan_generation, warnings
from .listing import check_counts
from .measuring import plan_checks, run_checks


class MakingOfConflicts(Making):
    """Evidence for claims that conflict with facts, and its checks."""

    benchmark = BENCHMARK
    methods = METHODS
    default_method = EVIDENCE
    pages = Pages(
        sources=("conflicts", say("Claims and evidence")),
        made=("conflicts", say("Claims and evidence")),
        asking=say("Ask for evidence"),
        about=say(
            "Models write evidence for the newest claims, with the paper's prompts, or describe their subjects in "
            "another way. The baseline does both from fixed sentences."
        ),
        models=say("In the paper at temperature 0 and with at most 512 tokens (50 for descriptions)."),
        settings="conflict_settings",
        no_sources=say("There are no claims yet. Make some of facts first."),
        note="conflictbank/_misleading.html",
        more=("conflict_components", say("Local models and the classifier")),
    )
    measures = (
        Measure(ENTAILMENT, "entailment", say("{measured} (a model, local, names)", measured=MEASURED[ENTAILMENT])),
        Measure(
            CONTRADICTION,
            "contradiction",
            say("{measured} (a model, local, classifier)", measured=MEASURED[CONTRADICTION]),
        ),
    )

    def writers(self) -> QuerySet[LanguageModel]:
        pattern = Q(kind=ModelKind.BASELINE, endpoint_name=PATTERN)
        return LanguageModel.objects.callable().filter(Q(kind=ModelKind.ENDPOINT) | pattern)

    def has_sources(self) -> bool:
        return ClaimSet.objects.exists()

    def plan_generation(self, asked: GenerationAsked) -> Plan:
        return plan_generation(method=asked.method, language_models=asked.language_models, **columns_of(asked))

    def create_generation(self, asked: GenerationAsked, *, actor: Actor = None) -> Run:
        return create_generation_run(
            method=asked.method, language_models=asked.language_models, actor=actor, **columns_of(asked)
        )

    def warnings(self, asked: GenerationAsked) -> list[str]:
        return warnings(asked.method, asked.language_models)

    def components(self, measure: Measure) -> Sequence[tuple[str, str]]:
        folder = local_folder(NLI)
        first = (
            [(LOCAL, say("the local NLI model {name}", name=folder.name))] if folder else super().components(measure)
        )
        return [*first, (NAMES, NAMES_COMPONENT) if measure.code == ENTAILMENT else (CLASSIFIER, CLASSIFIER_WORDS)]

    def check_counts(self) -> Sequence[CheckCounts]:
        return check_counts()

    def to_check(self) -> str:
        return say("{texts} not checked at all so far.", texts=plural(to_check(CheckName.REFUSAL).count(), "text"))

    def check_lines(self, asked: ChecksAsked) -> list[str]:
        components = components_for(asked.components)
        lines: list[str] = []
        for check in CheckName:
            ready = plural(to_check(check, again=asked.again).count(), "text")
            component = components.get(check)
            by = component.name if component else say("not checked (no component)")
            if check == CheckName.REFUSAL:
                by = say("by features")
            lines.append(say("{check}: {ready} ready for it; {by}.", check=check.label, ready=ready, by=by))
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
        if entailment and entailment.measures and has_waiting(CheckName.ENTAILMENT):
            remarks.append(
                say("Contradictions are checked of what is entailed: run this again when that is measured.")
            )
        elif waiting:
            remarks.append(
                say("{texts} still to be compared with the default evidence.", texts=plural(waiting, "text"))
            )
        return Checking(run, remarks)


def has_waiting(check: CheckName) -> bool:
    return EvidenceCheck.objects.filter(name=check, outcome=CheckOutcome.WAITING).exists()


def columns_of(asked: GenerationAsked) -> dict:
    return {
        "name": asked.name,
        "budget": asked.budget,
        "only_missing": asked.only_missing,
        "in_batches": asked.in_batches,
    }
