"""Components that measure whether a premise entails or contradicts a hypothesis: a language model with a frozen
prompt of three labels; an NLI model in a folder of the worker's machine; for contradictions, the classifier that is
trained on people's answers; for entailment, the floor that looks for names.

The paper's classifier of conflicts is not released. Where NLI is used instead, the component's name says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.languages import say
from judging.making import components
from judging.making.components import NLI_PROMPT, NLI_PROMPT_VERSION, asked_model, filled_prompt, refused
from judging.making.local_folders import (
    LOCAL,
    NLI,
    NLI_LABELS,
    SENTENCE_ENCODER,
    local_folder,
    named_version,
    nli_labels,
)

from ..models import CheckName, ConflictClassifier, MeasuredPair, TrainingState

ENTAILMENT, CONTRADICTION = CheckName.ENTAILMENT.value, CheckName.CONTRADICTION.value
MEASURED = {
    ENTAILMENT: say("whether evidence entails its claim"),
    CONTRADICTION: say("whether two texts contradict each other"),
}
# A label alone, perhaps behind a word that announces it.
ONE_LABEL = re.compile(
    rf"[\W_]*(?:(?:the )?(?:final )?(?:answer|label|relation)\b(?: is\b)?[\W_]*)?({'|'.join(NLI_LABELS)})[\W_]*",
    re.IGNORECASE,
)
# The name by which the floor is chosen, and what checks name as their component.
NAMES, NAMES_COMPONENT = "names", say("floor: the names of subject and object stand in the text")
# The name by which the trained classifier is chosen.
CLASSIFIER, CLASSIFIER_WORDS = "classifier", say("the classifier that was trained last on people’s answers")


@dataclass(frozen=True, slots=True)
class Component(components.Component):
    """A component that measures pairs of texts. A `local` one measures in the worker: an NLI model in a folder, or a
    trained classifier.
    """

    local: Path | ConflictClassifier | None = None

    @property
    def measures(self) -> bool:
        """Return whether its values come later: from calls, or from the worker."""
        return self.model is not None or self.local is not None


Components = Mapping[str, Component | None]


def components_for(chosen: Mapping[str, str]) -> dict[str, Component | None]:
    """The component for each check that needs one: the one named, or else the local NLI model; None without either.
    Raises Refusal if a name is not that of a component that can be used.
    """
    return {name: component_for(name, chosen.get(name) or "") for name in MEASURED}


def component_for(check: str, name: str) -> Component | None:
    if name == NAMES:
        if check != ENTAILMENT:
            raise refused(say("Names say nothing about contradictions: name a model"))
        return Component(NAMES_COMPONENT)
    if name == CLASSIFIER:
        if check != CONTRADICTION:
            raise refused(
                say("The classifier is trained on contradictions and tells nothing of entailment: name a model")
            )
        return trained_classifier()
    if name in ("", LOCAL):
        return local_nli(must=name == LOCAL)
    model = asked_model(name)
    return Component(f"{model.name} (NLI, prompt {NLI_PROMPT_VERSION})", model)


def local_nli(*, must: bool = False) -> Component | None:
    """The NLI model in the folder of the settings; None without one. Raises Refusal if its labels are unknown, or if
    there `must` be one.
    """
    folder = local_folder(NLI)
    if folder is None:
        if must:
            raise refused(say("The settings name no folder for a local NLI model (LOCAL_NLI_MODEL)"))
        return None
    nli_labels(folder)
    return Component(f"local NLI: {named_version(folder)}", local=folder)


def trained_classifier() -> Component:
    """The classifier that was trained last. Raises Refusal if there is none, or if its encoder is not here."""
    classifier = ConflictClassifier.objects.filter(state=TrainingState.TRAINED).order_by("pk").last()
    if classifier is None:
        raise refused(say("No classifier is trained yet. Train one with: manage.py train_conflict_classifier"))
    folder = local_folder(SENTENCE_ENCODER)
    if folder is None or named_version(folder) != classifier.encoder:
        raise refused(
            say(
                "{classifier} needs the sentence encoder it was trained with ({encoder}), and the settings name "
                "another one, or none (LOCAL_SENTENCE_ENCODER)",
                classifier=classifier,
                encoder=classifier.encoder,
            )
        )
    return Component(classifier.component, local=classifier)


def prompt_of(pair: MeasuredPair) -> str:
    return filled_prompt(NLI_PROMPT, pair.premise, pair.hypothesis)


def read_label(reply: str) -> str | None:
    """The label that the first sentence of a reply consists of, or its last line; None if neither does, or if they
    differ. “Not a contradiction” names a label and does not mean it.
    """
    lines = [line for line in reply.splitlines() if re.search(r"\w", line)]
    said = [lines[0].split(". ")[0], lines[-1]] if lines else []
    named = {found[1].lower() for found in map(ONE_LABEL.fullmatch, said) if found}
    return named.pop() if len(named) == 1 else None
