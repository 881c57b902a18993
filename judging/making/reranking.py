"""Orders the desk's suggested counterparts by a model in a folder of the worker: by the probability of a
contradiction (NLI model), or by the likeness of two texts (sentence encoder).
"""

import logging
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from django.db.models import QuerySet

from annotation.evidence.counterparts import Score
from annotation.evidence.reranking import rank_by_model, tags_to_rank
from annotation.models import Tag
from core.models import Project
from core.refusals import Refusal

from ..runs.pump import stopping
from .local_folders import CONTRADICTION, NLI, SENTENCE_ENCODER, local_folder, named_version
from .local_work import alone

log = logging.getLogger(__name__)

# Tags that one message has ranked at most; the next one continues.
MOST = 50


def models_that_rank() -> list[str]:
    """The names of the models that the settings may choose: of those in folders, the ones that compare two texts."""
    return [name for measure in LOADERS if (name := _name(measure))]


def rank_waiting() -> int:
    """Rank the counterparts of tags in the queue with the chosen model, if any; returns their number. Only in a
    worker.
    """
    chosen = Project.get().counterparts_model
    measure = next((measure for measure in LOADERS if chosen and _name(measure) == chosen), None)
    folder = local_folder(measure) if measure else None
    if measure is None or folder is None:
        return 0
    try:
        model = f"{chosen}, {named_version(folder).rpartition(', ')[2]}"
        waiting = tags_to_rank(model)
        return alone(lambda: _rank(waiting, model, LOADERS[measure](folder))) if waiting.exists() else 0
    except (Refusal, OSError, ValueError, RuntimeError, KeyError) as error:  # also what libraries raise over a folder
        log.warning("Counterparts keep their plain order: %s", error)
        return 0


def _rank(waiting: QuerySet[Tag], model: str, score: Score) -> int:
    done = 0
    for tag in waiting.select_related("article")[:MOST]:
        if stopping.is_set():
            break
        rank_by_model(tag, model, score)
        done += 1
    return done


def _name(measure: str) -> str:
    folder = local_folder(measure)
    words = {NLI: "NLI model", SENTENCE_ENCODER: "sentence encoder"}[measure]
    return f"{words} {folder.name[:60]}" if folder else ""


def by_nli(folder: Path) -> Score:
    # Imported only here, as below: the libraries take a worker hundreds of MB.
    from .local_models import load_nli

    probability = load_nli(folder)
    return lambda one, two: max(probability(CONTRADICTION, *pair)[0] for pair in ((one, two), (two, one)))


def by_encoder(folder: Path) -> Score:
    from .local_models import load_encoder

    embed = load_encoder(folder)
    return lambda one, two: cosine(embed(one), embed(two))


def cosine(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(first * second for first, second in zip(one, two, strict=True)) / (
        math.hypot(*one) * math.hypot(*two) or 1.0
    )


LOADERS: dict[str, Callable[[Path], Score]] = {NLI: by_nli, SENTENCE_ENCODER: by_encoder}
