"""Explains why a comparison of two models has fewer instances than each of them: instances without a counterpart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.models import Instance
from core.languages import joined, say, say_count

from ..counting.columns import VerdictColumns


@dataclass(frozen=True, slots=True)
class Counterparts:
    """The instances with a final verdict of each of two models, the number with one of both, and the number of
    questions that both have in different instances: with other passages, for example.
    """

    first: int
    second: int
    both: int
    asked_differently: int

    @property
    def is_whole(self) -> bool:
        """Return whether every instance of each has a counterpart."""
        return self.first == self.second == self.both

    def words(self, first: str, second: str) -> str:
        """The reason why not all instances are compared; empty if all are."""
        if self.is_whole:
            return ""
        said = [
            say("{model}: {both:,} of {of:,}", model=model, both=self.both, of=of)
            if of
            else say("{model}: none", model=model)
            for model, of in ((first, self.first), (second, self.second))
        ]
        why = say("Compared are the instances with a final verdict of both ({models}).", models=joined(said, "; "))
        if self.asked_differently:
            differently = say_count(
                self.asked_differently,
                "{count:,} question of the others was given to both models, but with other passages or answers.",
                "{count:,} questions of the others were given to both models, but with other passages or answers.",
            )
            return joined([why, differently])
        return why


def counterparts(columns: VerdictColumns, pairs: Sequence[tuple[int, int]]) -> list[Counterparts]:
    """The counterparts of pairs of models, given by their primary keys, among these verdicts."""
    models = {model for pair in pairs for model in pair}
    of = {model: np.unique(columns.instance[columns.model == model]) for model in models}
    alone = {(one, other): (_without(of[one], of[other]), _without(of[other], of[one])) for one, other in pairs}
    both_lack = [each for each in alone.values() if all(map(len, each))]
    wanted = {pk for each in both_lack for keys in each for pk in keys.tolist()}
    questions = dict(Instance.objects.filter(pk__in=wanted).values_list("pk", "question"))
    found = []
    for pair in pairs:
        one, other = ({questions.get(pk) for pk in each.tolist()} - {None} for each in alone[pair])
        both = len(of[pair[0]]) - len(alone[pair][0])
        found.append(Counterparts(len(of[pair[0]]), len(of[pair[1]]), both, len(one & other)))
    return found


def _without(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The numbers of `some` that are not in `others`; each has every number once, in order."""
    if not len(others):
        return some
    at = np.minimum(np.searchsorted(others, some), len(others) - 1)
    return some[others[at] != some]
