"""ContraDoc's making as the general commands ask for it: statements from models, and the checks of candidates."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.forms import ModelForm

from core.languages import say
from core.words import plural
from judging.making.local_folders import local_folder
from judging.making.registry import CheckCounts, Checking, ChecksAsked, GenerationAsked, Making, Measure, Pages
from judging.models import LanguageModel, ModelKind, Run
from judging.runs.plan import Plan
from judging.runs.runs import Actor

from ..maker.pattern import PATTERN
from ..maker.values import Maker
from ..models import CheckSettings
from .checking import decide_again, to_check
from .components import NAMES, NEXT_SENTENCE, NLI, PERPLEXITY, components_for
from .generation import create_generation_run, documents_of, likely_cut, plan_generation
from .listing import check_counts
from .measuring import plan_checks, run_checks
from .thresholds import ThresholdsForm

NEEDS_PROBABILITIES = say("Its endpoint must return the probabilities of a text’s tokens, as vLLM’s does.")


class MakingOfDocuments(Making):
    """The making of a benchmark whose documents are made to contradict themselves, as `maker` says."""

    measures = (
        Measure(NLI, "contradiction", NAMES[NLI]),
        Measure(NEXT_SENTENCE, "next-sentence", NAMES[NEXT_SENTENCE]),
        Measure(PERPLEXITY, "perplexity", NAMES[PERPLEXITY], NEEDS_PROBABILITIES),
    )
    pages = Pages(
        sources=("documents", say("Documents")),
        made=("candidates", say("Candidates")),
        asking=say("Ask for statements"),
        about=say(
            "Models pick statements in every document and contradict them, with the prompts that made ContraDoc."
        ),
        models=say("Their token limit must allow ten statements: about 1,000."),
        settings="checks_settings",
        no_sources=say("There are no documents yet. Import some first."),
    )

    def __init__(self, maker: Maker):
        self.maker, self.benchmark = maker, maker.benchmark
        self.methods = {
            code: say("{method}: {count} statements", method=method.name, count=method.asks_for)
            for code, method in maker.methods.items()
        }

    def writers(self) -> QuerySet[LanguageModel]:
        pattern = Q(kind=ModelKind.BASELINE, endpoint_name=PATTERN)
        return LanguageModel.objects.callable().filter(Q(kind=ModelKind.ENDPOINT) | pattern)

    def has_sources(self) -> bool:
        return documents_of(self.benchmark).exists()

    def components(self, measure: Measure) -> Sequence[tuple[str, str]]:
        folder = local_folder(measure.code)
        return [("", say("the local model {name}", name=folder.name))] if folder else super().components(measure)

    def check_counts(self) -> Sequence[CheckCounts]:
        return check_counts(self.maker)

    def to_check(self) -> str:
        return say("{candidates} still to be checked.", candidates=plural(to_check(self.maker).count(), "candidate"))

    def settings_form(self) -> ModelForm:
        return ThresholdsForm(instance=CheckSettings.of(self.benchmark))

    def plan_generation(self, asked: GenerationAsked) -> Plan:
        return plan_generation(**self.generation_values(asked))

    def create_generation(self, asked: GenerationAsked, *, actor: Actor = None) -> Run:
        return create_generation_run(**self.generation_values(asked), actor=actor)

    def generation_values(self, asked: GenerationAsked) -> dict[str, Any]:
        return {
            "maker": self.maker,
            "method": asked.method,
            "language_models": asked.language_models,
            "name": asked.name,
            "budget": asked.budget,
            "only_missing": asked.only_missing,
            "in_batches": asked.in_batches,
        }

    def warnings(self, asked: GenerationAsked) -> list[str]:
        method = self.maker.methods[asked.method]
        return [
            say(
                "{model}: its limit of {most:,} tokens may not be enough for {count} statements, and a cut reply "
                "cannot be read. Use a model with a higher limit.",
                model=model,
                most=model.max_tokens,
                count=method.asks_for,
            )
            for model in likely_cut(asked.language_models, method)
        ]

    def check_lines(self, asked: ChecksAsked) -> list[str]:
        components = components_for(self.maker, asked.components)
        measured = ((kind, components.get(kind.measure)) for kind in self.maker.checks)
        waiting = plural(to_check(self.maker, again=asked.again).count(), "candidate")
        nothing = say("not checked (no component)")
        return [
            say("{candidates} to check.", candidates=waiting),
            *(
                say("{check}: {component}.", check=kind.name, component=component.name if component else nothing)
                for kind, component in measured
            ),
        ]

    def plan_checks(self, asked: ChecksAsked) -> Plan:
        return plan_checks(**self.check_values(asked))

    def run_checks(self, asked: ChecksAsked, *, actor: Actor = None) -> Checking:
        changed = decide_again(self.maker)
        remarks = []
        if changed:
            remarks.append(say("{checks} changed because a threshold did.", checks=plural(changed, "check")))
        run = run_checks(**self.check_values(asked), name=asked.name, actor=actor)
        return Checking(run, remarks)

    def check_values(self, asked: ChecksAsked) -> dict[str, Any]:
        components = components_for(self.maker, asked.components)
        return {"maker": self.maker, "components": components, "budget": asked.budget, "again": asked.again}
