"""The labels that classifiers of conflicts are trained on: people's final answers on contradiction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..evidence.checking import counting, defaults_of
from ..models import Evidence
from ..questionnaires.evidence import CLEARLY, CONTRADICTS
from ..questionnaires.precision import answers_of


@dataclass(frozen=True, slots=True)
class Labelled:
    """Conflict evidence and the default evidence beside it, and whether people say that they clearly contradict each
    other. Pairs of one conflict share a text.
    """

    evidence: int
    conflict: int
    default_text: str
    text: str
    label: int


def all_labels() -> dict[int, int]:
    """The label of each evidence by its number: 1 if people say clearly, 0 if ambiguously or no. Conflicts that are
    set aside have none.
    """
    said = {number: answers[CONTRADICTS] for number, answers in answers_of().items() if CONTRADICTS in answers}
    there = counting().filter(pk__in=list(said)).values_list("pk", flat=True)
    return {number: int(said[number] == CLEARLY) for number in sorted(there)}


def labelled(labels: Mapping[int, int]) -> Sequence[Labelled]:
    """The texts for these labels, in the order of the evidence's numbers; those whose default evidence is missing are
    left out.
    """
    evidence = list(Evidence.objects.filter(pk__in=list(labels)).select_related("claim").order_by("pk"))
    defaults = defaults_of(evidence)
    return [
        Labelled(each.pk, each.claim.conflict_id, defaults[each.pk].used_text, each.used_text, labels[each.pk])
        for each in evidence
        if each.pk in defaults
    ]
