"""Components that measure texts: a language model with a prompt, one that returns the probabilities of a text's
tokens, or a model in a folder of the worker's machine. None is needed to start, and none is fetched.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.refusals import Refusal
from judging.making.local_folders import LOCAL, NLI, local_folder
from judging.models import LanguageModel, ModelKind

from .registry import Maker

NEXT_SENTENCE, PERPLEXITY = "next_sentence", "perplexity"
MEASURES = (NLI, NEXT_SENTENCE, PERPLEXITY)
# The names of the measures on pages and in messages.
NAMES = {NLI: "contradiction of two texts", NEXT_SENTENCE: "next sentence", PERPLEXITY: "perplexity"}


@dataclass(frozen=True, slots=True)
class Component:
    """A component that measures texts; `name` gives the model, and how it is asked. Without `model` it is a local
    one.
    """

    name: str
    model: LanguageModel | None = None


def components_for(maker: Maker, chosen: Mapping[str, str]) -> dict[str, Component | None]:
    """The component for each measure: the language model named, or the local one; None without either. Raises Refusal
    if a name is not that of a callable model.
    """
    return {measure: component_for(maker, measure, chosen.get(measure) or "") for measure in MEASURES}


def component_for(maker: Maker, measure: str, name: str) -> Component | None:
    if name and name != LOCAL:
        model = LanguageModel.objects.callable().filter(kind=ModelKind.ENDPOINT, name=name).first()
        if model is None:
            raise Refusal(f"There is no model “{name}” that can be asked. Nothing was planned.", status=400)
        how = f"prompt {maker.prompt_version}" if measure in maker.prompted else "token probabilities"
        return Component(f"{model.name} ({how})", model)
    folder = local_folder(measure)
    if folder is None:
        if name == LOCAL:
            raise Refusal(
                f"The settings name no folder for a local model of: {NAMES[measure]}. An operator has to name one. "
                "Nothing was planned.",
                status=400,
            )
        return None
    return Component(f"{LOCAL}: {folder.name}")
