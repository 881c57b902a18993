"""Components that measure texts: a language model with a prompt, one that returns the probabilities of a text's
tokens, or a model in a folder of the worker's machine. None is needed to start, and none is fetched.
"""

from collections.abc import Mapping

from core.languages import say
from judging.making.components import Component, asked_model, refused
from judging.making.local_folders import LOCAL, NLI, local_folder

from ..maker.values import Maker

NEXT_SENTENCE, PERPLEXITY = "next_sentence", "perplexity"
MEASURES = (NLI, NEXT_SENTENCE, PERPLEXITY)
# The names of the measures on pages and in messages.
NAMES = {NLI: say("contradiction of two texts"), NEXT_SENTENCE: say("next sentence"), PERPLEXITY: say("perplexity")}


def components_for(maker: Maker, chosen: Mapping[str, str]) -> dict[str, Component | None]:
    """The component for each measure: the language model named, or the local one; None without either. Raises Refusal
    if a name is not that of a callable model.
    """
    return {measure: component_for(maker, measure, chosen.get(measure) or "") for measure in MEASURES}


def component_for(maker: Maker, measure: str, name: str) -> Component | None:
    if name and name != LOCAL:
        model = asked_model(name)
        how = f"prompt {maker.prompt_version}" if measure in maker.prompted else "token probabilities"
        return Component(f"{model.name} ({how})", model)
    folder = local_folder(measure)
    if folder is None:
        if name == LOCAL:
            raise refused(
                f"The settings name no folder for a local model of: {NAMES[measure]}. An operator has to name one"
            )
        return None
    return Component(f"{LOCAL}: {folder.name}")
