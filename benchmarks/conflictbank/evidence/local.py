"""The worker's measuring of pairs by models on its own machine: an NLI model in a folder, or a trained classifier
with its sentence encoder.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from core.languages import say
from core.refusals import Refusal
from core.words import plural
from judging.making.local_folders import NLI, SENTENCE_ENCODER, local_folder, named_version
from judging.making.local_work import do_each, free

from ..models import CheckOutcome, ConflictClassifier, EvidenceCheck, MeasuredPair, MeasuredState, TrainingState
from .checking import note_measured
from .components import CONTRADICTION, Component, local_nli

# The value of a pair for its label, and a remark.
Measure = Callable[[MeasuredPair], tuple[float, str]]
Embed = Callable[[str], Sequence[float]]
# Default evidence is compared with that of each cause.
MOST_EMBEDDED = 64


def waiting_here() -> QuerySet[MeasuredPair]:
    """The pairs for local models that a check waits for, and no worker has taken."""
    wanted = EvidenceCheck.objects.filter(pairs=OuterRef("pk"), outcome=CheckOutcome.WAITING)
    waiting = MeasuredPair.objects.filter(free(), run=None, model=None, state=MeasuredState.WAITING)
    return waiting.filter(Exists(wanted)).order_by("pk")


def waiting_for(component: str) -> QuerySet[MeasuredPair]:
    return waiting_here().filter(component=component)


def measure_pairs(load: Callable[[Component], Measure]) -> int:
    """Measure the waiting pairs whose components are on this machine; returns their number. Only in a worker."""
    there = set(waiting_here().order_by().values_list("component", flat=True).distinct())
    done = 0
    for component in local_components() if there else []:
        if component.name in there:
            measure = load(component)
            done += do_each(partial(waiting_for, component.name), partial(store, measure))
    return done


def local_components() -> list[Component]:
    """The components of this machine: its NLI model, and the classifiers whose encoder it has."""
    nli = local_nli() if local_folder(NLI) else None
    folder = local_folder(SENTENCE_ENCODER)
    trained = ConflictClassifier.objects.none()
    if folder is not None:
        trained = ConflictClassifier.objects.filter(state=TrainingState.TRAINED, encoder=named_version(folder))
    return [*([nli] if nli else []), *(Component(each.component, local=each) for each in trained)]


def load_measure(component: Component) -> Measure:
    """The function that measures with a local component. Raises Refusal if its libraries or folder are missing."""
    # Imported only here: the libraries take a worker hundreds of MB.
    from judging.making.local_models import load_encoder, load_nli

    if isinstance(component.local, Path):
        return by_nli(load_nli(component.local))
    folder = local_folder(SENTENCE_ENCODER)
    if not isinstance(component.local, ConflictClassifier) or folder is None:
        raise Refusal(say("The settings name no folder for: {name}.", name=component.name))
    return by_classifier(component.local, load_encoder(folder))


def by_nli(probability: Callable[[str, str, str], tuple[float, int]]) -> Measure:
    def measure(pair: MeasuredPair) -> tuple[float, str]:
        value, windows = probability(pair.label, pair.premise, pair.hypothesis)
        return value, f"the best of {plural(windows, 'window')}" if windows > 1 else ""

    return measure


def by_classifier(classifier: ConflictClassifier, embed: Embed) -> Measure:
    embedding = lru_cache(MOST_EMBEDDED)(embed)

    def measure(pair: MeasuredPair) -> tuple[float, str]:
        if pair.label != CONTRADICTION:
            raise ValueError("it tells nothing of this")
        return classifier.probability(embedding(pair.premise), embedding(pair.hypothesis)), ""

    return measure


def store(measure: Measure, pair: MeasuredPair) -> None:
    try:
        value, said = measure(pair)
        if not 0 <= value <= 1:
            raise ValueError(f"{value} is no probability")
    except (ValueError, RuntimeError, IndexError, OverflowError) as error:  # what libraries raise over a text
        value, said = None, f"The local model failed: {error}"
    with transaction.atomic():
        row = MeasuredPair.objects.select_for_update().get(pk=pair.pk)
        if row.state == MeasuredState.WAITING:
            row.note(value, said, now=timezone.now())
            note_measured([row])
